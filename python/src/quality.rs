//! Qualities that are Python functions: q = quality(context), one weight per observation.

use crate::arrays::Vector;
use pyo3::prelude::*;
use spargo::allocate::{Allocation, Quality, QualityFunction};
use spargo::data::AllocationContext;
use spargo::study::{Config, Extensions};
use spargo::{Error, Result};
use std::sync::{Arc, Mutex, PoisonError};

/// Name of a function that has none of its own: every lambda is called so.
const NAMELESS: &str = "<lambda>";

/// A Python function, and the exception that it raised.
#[derive(Debug, Clone)]
pub struct PythonQuality {
    name: String,
    function: Arc<Py<PyAny>>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl<'a, 'py> FromPyObject<'a, 'py> for PythonQuality {
    type Error = PyErr;

    /// The function, by its name.
    fn extract(function: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let name = function.getattr("__name__").and_then(|name| name.extract()).unwrap_or_else(|_| NAMELESS.into());
        Ok(PythonQuality { name, function: Arc::new(function.to_owned().unbind()), raised: Arc::default() })
    }
}

impl PythonQuality {
    /// Refuses a function that a file could not name.
    pub fn check_name(&self) -> Result<()> {
        if self.name != NAMELESS {
            return Ok(());
        }
        let remedy = "define it with def, and give the same function to Study.open";
        Err(Error::unsupported("a quality without a name, in a study with a file", remedy))
    }

    /// Refuses a function that is not the one that a study's settings name.
    pub fn check_named_by(&self, config: &Config) -> Result<()> {
        match config.allocation.quality() {
            Quality::Custom(stored) if stored.name() == self.name => Ok(()),
            Quality::Custom(stored) => Err(Error::unsupported(
                format!("the quality '{}' for a study whose quality is '{}'", self.name, stored.name()),
                format!("open it with quality={}, or without to look at it", stored.name()),
            )),
            _ => Err(Error::unsupported(
                format!("the quality '{}' for a study that was made without one", self.name),
                "open it without quality",
            )),
        }
    }

    /// Extensions with this quality.
    pub fn extensions(&self) -> Extensions {
        Extensions::default().with_quality(self.clone())
    }

    /// The allocation by this quality.
    pub fn allocation(&self) -> Allocation {
        Allocation::custom(self.clone())
    }

    /// The exception that the function raised since the last time, which is raised in place of the library's error.
    pub fn take_raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn call(&self, py: Python<'_>, context: &AllocationContext, m: usize) -> PyResult<Vec<f64>> {
        let evaluate = py.import("spargo.quality")?.getattr("evaluate")?;
        let [output] = context.outputs() else { return Ok(vec![1.0; context.rows()]) };
        let [y, mean, variance, noise] =
            [output.y(), output.mean(), output.variance(), output.noise()].map(|list| Vector(list.to_vec()));
        let weights = evaluate.call1((self.function.bind(py), y, mean, variance, noise, output.level(), m))?;
        Ok(weights.extract::<Vector>()?.0)
    }
}

impl QualityFunction for PythonQuality {
    fn name(&self) -> &str {
        &self.name
    }

    fn evaluate(&self, context: &AllocationContext, m: usize) -> Result<Vec<f64>> {
        Python::attach(|py| self.call(py, context, m)).map_err(|error| {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Error::Interrupted
        })
    }
}
