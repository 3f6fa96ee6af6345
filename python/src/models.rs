//! Models of plain arrays, at hyperparameters that are learned or given.

use crate::arrays::{matrix, table, vector};
use crate::frame::Frame;
use crate::heavy::{heavy, unsupported};
use crate::posterior::Posterior;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use spargo::Result;
use spargo::allocate::Allocation;
use spargo::data::{Dataset, Standardizer};
use spargo::kernel::Family;
use spargo::linalg::Mat;
use spargo::model::svgp::Variational;
use spargo::model::{
    Fit, FitReport, HyperparameterObjective, Hyperparameters, Inference, Likelihood, Prediction, Priors,
};
use spargo::regression::{FixedHyperparameters, Inducing, Regression, RegressionOptions, Target, UserHyperparameters};
use std::sync::Arc;

/// How to model, as Python says it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    kernel: Family,
    variance: Option<f64>,
    lengthscales: Option<Vec<f64>>,
    noise: Option<f64>,
    mean: Option<f64>,
    inducing: usize,
    allocate: Allocation,
    hyperparameters: HyperparameterObjective,
    inference: Inference,
    likelihood: Likelihood,
    jitter: Option<f64>,
    priors: Priors,
    seed: u64,
}

/// A fitted model.
#[pyclass(frozen, module = "spargo._spargo")]
pub struct Fitted {
    data: Dataset,
    regression: Regression,
    frame: Arc<Frame>,
    particulars: Particulars,
}

/// What a posterior is computed by, beside data, hyperparameters and inducing points.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Particulars {
    inference: Inference,
    likelihood: Likelihood,
    jitter: Option<f64>,
    q: Option<Variational>,
}

/// All of a fitted model but its arrays.
#[derive(Serialize, Deserialize)]
struct State {
    units: Standardizer,
    hyper: Hyperparameters,
    report: FitReport,
    particulars: Particulars,
}

type Array1<'py> = Bound<'py, PyArray1<f64>>;
type Array2<'py> = Bound<'py, PyArray2<f64>>;
type Arrays<'py> = (Array2<'py>, Array1<'py>, Option<Array2<'py>>, String);

#[pymethods]
impl Fitted {
    /// Fits; `z` are inducing points in place of chosen ones, `q` is (mean, lower root) of the whitened q(u).
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        x: PyReadonlyArray2<'_, f64>,
        y: PyReadonlyArray1<'_, f64>,
        settings: &str,
        z: Option<PyReadonlyArray2<'_, f64>>,
        q: Option<(Vec<f64>, PyReadonlyArray2<'_, f64>)>,
    ) -> PyResult<Self> {
        let (x, y) = (matrix(&x), y.as_array().to_vec());
        let z = z.as_ref().map(matrix);
        let q = q.map(|(mean, root)| (mean, matrix(&root)));
        heavy(py, || {
            let settings = read(settings)?;
            let q = q.map(|(mean, root)| Variational::new(mean, root)).transpose()?;
            let data = Dataset::new(x, y)?;
            let regressing = settings.regressing(z, q);
            let regression = Regression::fit(&data, &regressing)?;
            let RegressionOptions { inference, likelihood, jitter, q, .. } = regressing;
            Ok(Fitted::new(data, regression, Particulars { inference, likelihood, jitter, q }))
        })
    }

    /// Arrays and everything else, to be restored from.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Arrays<'py>> {
        let Regression { units, fit: Fit { hyper, report, .. }, inducing, .. } = &self.regression;
        let (units, hyper, report) = (units.clone(), hyper.clone(), report.clone());
        let state = State { units, hyper, report, particulars: self.particulars.clone() };
        let json = heavy(py, || serde_json::to_string(&state).map_err(unreadable))?;
        let z = inducing.as_ref().map(|z| table(py, z.as_ref())).transpose()?;
        Ok((table(py, self.data.x())?, vector(py, self.data.y().to_vec()), z, json))
    }

    /// The model that had this state.
    #[staticmethod]
    fn restore(
        py: Python<'_>,
        x: PyReadonlyArray2<'_, f64>,
        y: PyReadonlyArray1<'_, f64>,
        z: Option<PyReadonlyArray2<'_, f64>>,
        json: &str,
    ) -> PyResult<Self> {
        let (x, y) = (matrix(&x), y.as_array().to_vec());
        let z = z.as_ref().map(matrix);
        heavy(py, || {
            let state: State = serde_json::from_str(json).map_err(unreadable)?;
            let data = Dataset::new(x, y)?;
            Ok(Fitted::new(data.clone(), state.regression(&data, z)?, state.particulars))
        })
    }

    fn posterior(&self) -> Posterior {
        Posterior { model: Arc::new(self.regression.posterior().clone()), frame: self.frame.clone() }
    }

    /// Mean and variance of f at each point.
    fn predict<'py>(&self, py: Python<'py>, x: PyReadonlyArray2<'py, f64>) -> PyResult<(Array1<'py>, Array1<'py>)> {
        let x = matrix(&x);
        let (mean, variance) = heavy(py, || {
            let x = self.frame.inputs(x)?;
            let Prediction { mean, variance } = self.regression.posterior().predict(x.as_ref())?;
            let moments = mean.into_iter().zip(variance).map(|(mean, v)| self.frame.moments(mean, v));
            Ok(moments.unzip::<_, _, Vec<f64>, Vec<f64>>())
        })?;
        Ok((vector(py, mean), vector(py, variance)))
    }

    /// Mean and variance of an observation at each point: of a label, the probability that it is 1.
    fn predict_observed<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<(Array1<'py>, Array1<'py>)> {
        let x = matrix(&x);
        let (mean, variance) = heavy(py, || {
            let x = self.frame.inputs(x)?;
            let latent = self.regression.posterior().predict(x.as_ref())?;
            let observed = self.particulars.likelihood.predict(&latent, self.regression.fit.hyper.noise);
            let moments = observed.mean.into_iter().zip(observed.variance).map(|(mean, v)| self.frame.moments(mean, v));
            Ok(moments.unzip::<_, _, Vec<f64>, Vec<f64>>())
        })?;
        Ok((vector(py, mean), vector(py, variance)))
    }

    /// Log likelihood or bound of all data.
    fn objective(&self) -> f64 {
        self.regression.objective()
    }

    /// Variance, length scales, noise variance and mean.
    fn hyperparameters(&self) -> (f64, Vec<f64>, f64, f64) {
        let UserHyperparameters { variance, lengthscales, noise, mean, .. } = self.regression.hyperparameters();
        (variance, lengthscales, noise, mean)
    }

    /// Z, if there is one.
    fn inducing_points<'py>(&self, py: Python<'py>) -> PyResult<Option<Array2<'py>>> {
        let inputs = &self.regression.units.inputs;
        let inducing = self.regression.inducing.as_ref();
        inducing.map(|z| table(py, inputs.from_model(z.as_ref()).as_ref())).transpose()
    }

    /// How it came about, as JSON.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        heavy(py, || serde_json::to_string(&self.regression.fit.report).map_err(unreadable))
    }
}

impl Fitted {
    fn new(data: Dataset, regression: Regression, particulars: Particulars) -> Self {
        let frame = Arc::new(Frame::Plain(regression.units.clone()));
        Fitted { data, regression, frame, particulars }
    }
}

impl State {
    /// The posterior is a function of data, hyperparameters and inducing points: it is computed again.
    fn regression(&self, data: &Dataset, z: Option<Mat<f64>>) -> Result<Regression> {
        let Particulars { inference, likelihood, jitter, q } = self.particulars.clone();
        let settings = RegressionOptions { inference, likelihood, jitter, q, ..RegressionOptions::default() };
        let mut regression = Regression::at(&self.hyper, data, self.units.clone(), z, &settings)?;
        regression.fit.report = self.report.clone();
        Ok(regression)
    }
}

impl Settings {
    fn regressing(self, z: Option<Mat<f64>>, q: Option<Variational>) -> RegressionOptions {
        RegressionOptions {
            inducing: z.map_or(Inducing::Count(self.inducing), Inducing::Points),
            allocation: self.allocate,
            target: Target::default(),
            family: self.kernel,
            given: FixedHyperparameters {
                variance: self.variance,
                lengthscales: self.lengthscales,
                noise: self.noise,
                mean: self.mean,
            },
            hyperparameters: self.hyperparameters,
            inference: self.inference,
            likelihood: self.likelihood,
            jitter: self.jitter,
            q,
            priors: self.priors,
            seed: self.seed,
        }
    }
}

fn read(settings: &str) -> Result<Settings> {
    serde_json::from_str(settings).map_err(|error| {
        let text = error.to_string();
        unsupported(text.split(" at line ").next().unwrap_or(&text), "help() of the model lists its parameters")
    })
}

fn unreadable(error: serde_json::Error) -> spargo::Error {
    unsupported(format!("a model that cannot be read or written ({error})"), "fit it again")
}
