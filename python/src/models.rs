//! Models of plain arrays, at learned or fixed hyperparameters.

use crate::arrays::{matrix, table, vector};
use crate::frame::Frame;
use crate::heavy::{heavy, unsupported};
use crate::posterior::Posterior;
use crate::settings::read;
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
    Fit, FitOptions, FitReport, HyperparameterObjective, Hyperparameters, Inference, Likelihood, Prediction, Priors,
};
use spargo::regression::{FixedHyperparameters, Inducing, Regression, RegressionOptions, Target, UserHyperparameters};
use std::sync::Arc;

/// Keyword arguments of a model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    kernel: Family,
    variance: Option<f64>,
    lengthscales: Option<Vec<f64>>,
    noise: Option<f64>,
    mean: Option<f64>,
    inducing: usize,
    allocation: Allocation,
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

/// Everything else that determines a posterior, given data, hyperparameters and inducing points.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Particulars {
    inference: Inference,
    likelihood: Likelihood,
    jitter: Option<f64>,
    q: Option<Variational>,
}

/// A fitted model without its arrays.
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
    /// Fits a model; `z` are given inducing points, `q` is (mean, lower root) of a given whitened q(u).
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
            let settings: Settings = read(settings, "help() of the model lists its parameters")?;
            let q = q.map(|(mean, root)| Variational::new(mean, root)).transpose()?;
            let data = Dataset::new(x, y)?;
            let options = settings.options(z, q);
            let regression = Regression::fit(&data, &options)?;
            let RegressionOptions { jitter, fit: FitOptions { inference, likelihood, q, .. }, .. } = options;
            Ok(Fitted::new(data, regression, Particulars { inference, likelihood, jitter, q }))
        })
    }

    /// The arrays of the model, and everything else as JSON.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Arrays<'py>> {
        let Regression { units, fit: Fit { hyper, report, .. }, inducing, .. } = &self.regression;
        let (units, hyper, report) = (units.clone(), hyper.clone(), report.clone());
        let state = State { units, hyper, report, particulars: self.particulars.clone() };
        let json = heavy(py, || serde_json::to_string(&state).map_err(unreadable))?;
        let z = inducing.as_ref().map(|z| table(py, z.as_ref())).transpose()?;
        Ok((table(py, self.data.x())?, vector(py, self.data.y().to_vec()), z, json))
    }

    /// The model with a state.
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

    /// Posterior in the user's units.
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

    /// Mean and variance of an observation at each point; for a label, the probability of 1 and its variance.
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

    /// Log marginal likelihood of the data, or a bound on it.
    fn objective(&self) -> f64 {
        self.regression.objective()
    }

    /// Variance, length scales, noise variance and mean.
    fn hyperparameters(&self) -> (f64, Vec<f64>, f64, f64) {
        let UserHyperparameters { variance, lengthscales, noise, mean, .. } = self.regression.hyperparameters();
        (variance, lengthscales, noise, mean)
    }

    /// Inducing points, if there are any.
    fn inducing_points<'py>(&self, py: Python<'py>) -> PyResult<Option<Array2<'py>>> {
        let inputs = &self.regression.units.inputs;
        let inducing = self.regression.inducing.as_ref();
        inducing.map(|z| table(py, inputs.from_model(z.as_ref()).as_ref())).transpose()
    }

    /// Report of the fit, as JSON.
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
    /// Computes the posterior again from data, hyperparameters and inducing points.
    fn regression(&self, data: &Dataset, z: Option<Mat<f64>>) -> Result<Regression> {
        let Particulars { inference, likelihood, jitter, q } = self.particulars.clone();
        let fit = FitOptions { inference, likelihood, q, ..FitOptions::default() };
        let settings = RegressionOptions { jitter, fit, ..RegressionOptions::default() };
        let mut regression = Regression::at(&self.hyper, data, self.units.clone(), z, &settings)?;
        regression.fit.report = self.report.clone();
        Ok(regression)
    }
}

impl Settings {
    fn options(self, z: Option<Mat<f64>>, q: Option<Variational>) -> RegressionOptions {
        RegressionOptions {
            inducing: z.map_or(Inducing::Count(self.inducing), Inducing::Points),
            allocation: self.allocation,
            target: Target::default(),
            family: self.kernel,
            given: FixedHyperparameters {
                variance: self.variance,
                lengthscales: self.lengthscales,
                noise: self.noise,
                mean: self.mean,
            },
            jitter: self.jitter,
            fit: FitOptions {
                hyperparameters: self.hyperparameters,
                inference: self.inference,
                likelihood: self.likelihood,
                q,
                priors: self.priors,
                seed: self.seed,
                ..FitOptions::default()
            },
        }
    }
}

fn unreadable(error: serde_json::Error) -> spargo::Error {
    unsupported(format!("a model that cannot be read or written ({error})"), "fit it again")
}
