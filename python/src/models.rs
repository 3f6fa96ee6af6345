//! Models of plain arrays, at learned or fixed hyperparameters.

use crate::arrays::{Matrix, Vector};
use crate::errors::exception;
use crate::frame::Frame;
use crate::heavy::{heavy, unsupported};
use crate::posterior::Posterior;
use crate::settings::{Json, json, read};
use crate::values::Points;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use spargo::data::{Dataset, Standardizer};
use spargo::model::svgp::Variational;
use spargo::model::{Fit, FitReport, Hyperparameters};
use spargo::regression::{Inducing, Regression, RegressionOptions, UserHyperparameters};
use std::sync::Arc;

/// A fitted model.
#[pyclass(frozen, module = "spargo._spargo")]
pub struct Fitted {
    data: Dataset,
    regression: Regression,
    frame: Arc<Frame>,
    options: RegressionOptions,
}

/// A fitted model without its arrays.
#[derive(Serialize, Deserialize)]
struct State {
    units: Standardizer,
    hyper: Hyperparameters,
    report: FitReport,
    options: RegressionOptions,
}

#[pymethods]
impl Fitted {
    /// Fits a model; `z` are given inducing points, `q` is (mean, lower root) of a given whitened q(u).
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        x: Matrix,
        y: Vector,
        settings: &str,
        z: Option<Matrix>,
        q: Option<(Vector, Matrix)>,
    ) -> PyResult<Self> {
        heavy(py, || {
            let mut options: RegressionOptions = read(settings, "help() of the model lists its parameters")?;
            if let Some(Matrix(z)) = z {
                options.inducing = Inducing::Points(z);
            }
            options.fit.q = q.map(|(mean, root)| Variational::new(mean.0, root.0)).transpose()?;
            let data = Dataset::new(x.0, y.0)?;
            let regression = Regression::fit(&data, &options)?;
            Ok(Fitted::new(data, regression, options))
        })
    }

    /// The arrays of the model, and everything else as JSON.
    fn state(&self, py: Python<'_>) -> PyResult<(Matrix, Vector, Option<Matrix>, String)> {
        let Regression { units, fit: Fit { hyper, report, .. }, inducing, .. } = &self.regression;
        let (units, hyper, report) = (units.clone(), hyper.clone(), report.clone());
        let state = State { units, hyper, report, options: self.options.clone() };
        let text = heavy(py, || serde_json::to_string(&state).map_err(unreadable))?;
        Ok((Matrix(self.data.x().to_owned()), Vector(self.data.y().to_vec()), inducing.clone().map(Matrix), text))
    }

    /// The model with a state: its posterior is computed again from data, hyperparameters and inducing points.
    #[staticmethod]
    fn restore(py: Python<'_>, x: Matrix, y: Vector, z: Option<Matrix>, text: &str) -> PyResult<Self> {
        heavy(py, || {
            let State { units, hyper, report, options } = serde_json::from_str(text).map_err(unreadable)?;
            let data = Dataset::new(x.0, y.0)?;
            let mut regression = Regression::at(&hyper, &data, units, z.map(|z| z.0), &options)?;
            regression.fit.report = report;
            Ok(Fitted::new(data, regression, options))
        })
    }

    /// Posterior in the user's units.
    fn posterior(&self) -> Posterior {
        Posterior { model: Arc::new(self.regression.posterior().clone()), frame: self.frame.clone() }
    }

    /// Mean and variance of f at each point, or of an observation there: for a label, the probability of 1 and its variance.
    fn predict(&self, py: Python<'_>, x: Matrix, observed: bool) -> PyResult<(Vector, Vector)> {
        heavy(py, || {
            let x = self.frame.place(Points::Numbers(x.0))?.z;
            let mut prediction = self.regression.posterior().predict(x.as_ref())?;
            if observed {
                prediction = self.options.fit.likelihood.predict(&prediction, self.regression.fit.hyper.noise);
            }
            Ok(self.frame.moments(prediction))
        })
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
    fn inducing_points(&self) -> Option<Matrix> {
        let Regression { inducing, units, .. } = &self.regression;
        inducing.as_ref().map(|z| Matrix(units.inputs.from_model(z.as_ref())))
    }

    /// Report of the fit.
    fn report(&self, py: Python<'_>) -> PyResult<Json> {
        json(&self.regression.fit.report).map_err(|error| exception(py, &error))
    }
}

impl Fitted {
    fn new(data: Dataset, regression: Regression, options: RegressionOptions) -> Self {
        let frame = Arc::new(Frame::of_arrays(&regression.units));
        Fitted { data, regression, frame, options }
    }
}

fn unreadable(error: serde_json::Error) -> spargo::Error {
    unsupported(format!("a model that cannot be read or written ({error})"), "fit it again")
}
