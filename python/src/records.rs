//! Settings, outcomes and records of a study between Python and the library.

use crate::heavy::unsupported;
use crate::values::to_list;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde::Serialize;
use spargo::Result;
use spargo::space::{Dimension, Domain, Scale};
use spargo::study::Record;
use spargo::study::{Config, Outcome};

/// A trial's number, its values, their noise variances, or why there are none.
pub type Told = (u64, Option<Vec<f64>>, Option<Vec<Option<f64>>>, Option<String>);

/// Settings as a user writes them; the message does not tell of the JSON in between.
pub fn read(config: &str) -> Result<Config> {
    serde_json::from_str(config).map_err(|error| {
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or(&text).to_string();
        unsupported(what, "help(spargo.Study) lists the settings")
    })
}

pub fn dimension(given: (String, String, Bound<'_, PyAny>, bool)) -> PyResult<Dimension> {
    let (name, kind, what, log) = given;
    let scale = if log { Scale::Log } else { Scale::Linear };
    let domain = match kind.as_str() {
        "real" => {
            let (lower, upper) = what.extract()?;
            Domain::Real { lower, upper, scale }
        }
        "int" => {
            let (lower, upper) = what.extract()?;
            Domain::Int { lower, upper, scale }
        }
        _ => Domain::Categorical { choices: what.extract()? },
    };
    Ok(Dimension { name, domain })
}

pub fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| unsupported(error.to_string(), "report this as a fault of spargo"))
}

pub fn outcome(values: Option<Vec<f64>>, noise: Option<Vec<Option<f64>>>, reason: Option<String>) -> Outcome {
    match (values, reason) {
        (Some(values), None) => Outcome::Observed { values, noise },
        (_, reason) => Outcome::failed(reason.unwrap_or_default()),
    }
}

pub fn to_tuple<'py>(py: Python<'py>, record: &Record) -> PyResult<Bound<'py, PyTuple>> {
    let point = to_list(py, &record.trial.point)?;
    let (values, noise, reason) = match record.told.as_ref().map(|told| &told.outcome) {
        None => (None, None, None),
        Some(Outcome::Failed { reason }) => (None, None, Some(reason)),
        Some(Outcome::Observed { values, noise }) => (Some(values), noise.as_ref(), None),
    };
    (record.trial.id, record.ask, point, values, noise, reason).into_pyobject(py)
}
