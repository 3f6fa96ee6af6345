//! The choice of inducing points among the rows of an array.

use crate::arrays::matrix;
use crate::heavy::{heavy, unsupported};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use serde::Deserialize;
use spargo::allocate::{Allocation, Chosen, Search, allocate as choose, allocate_by};
use spargo::data::Direction;
use spargo::kernel::Family;
use spargo::model::Priors;
use spargo::regression::{AllocationOptions, FixedHyperparameters, Target};
use spargo::rng::{Purpose, stream};

/// How to choose, as Python says it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    method: Allocation,
    kernel: Family,
    variance: Option<f64>,
    lengthscales: Option<Vec<f64>>,
    noise: Option<f64>,
    mean: Option<f64>,
    sign: f64,
    level: f64,
    seed: u64,
}

/// Rows in the order of choice.
#[pyfunction]
pub fn allocate(
    py: Python<'_>,
    x: PyReadonlyArray2<'_, f64>,
    m: usize,
    settings: &str,
    y: Option<PyReadonlyArray1<'_, f64>>,
    quality: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<Vec<usize>> {
    let x = matrix(&x);
    let y = y.map(|y| y.as_array().to_vec());
    let quality = quality.map(|quality| quality.as_array().to_vec());
    heavy(py, || {
        let settings: Settings = serde_json::from_str(settings).map_err(|error| {
            let text = error.to_string();
            unsupported(text.split(" at line ").next().unwrap_or(&text), "help(spargo.allocate) lists the settings")
        })?;
        let Settings { method, kernel, variance, lengthscales, noise, mean, sign, level, seed } = settings;
        let direction = if sign < 0.0 { Direction::Minimize } else { Direction::Maximize };
        let choosing = AllocationOptions {
            quality: method.quality(),
            target: Target { direction, level },
            family: kernel,
            given: FixedHyperparameters { variance, lengthscales, noise, mean },
            priors: Priors::On,
            seed,
        };
        let (model, evidence) = choosing.kernel_and_context(x.as_ref(), y.as_deref())?;
        let kernel = model.kernel();
        let mut rng = stream(seed, Purpose::Allocation, 0, 0);
        let Chosen { rows, .. } = match quality {
            None => choose(&method, x.as_ref(), &kernel, &evidence, m, &mut rng),
            Some(quality) => {
                if quality.len() != x.nrows() {
                    let what = "the list of qualities".into();
                    return Err(spargo::Error::Shape { what, found: quality.len(), expected: x.nrows() });
                }
                let search = if matches!(method, Allocation::Dpp { .. }) { Search::Sample } else { Search::Lazy };
                allocate_by(|i| quality[i], search, x.as_ref(), &kernel, m, &mut rng)
            }
        }?;
        rows.ok_or_else(|| {
            let what = "the rows of a choice of points that are no rows, as by kmeans and uniform";
            unsupported(what, "SparseGP(allocate=\"kmeans\") has such points")
        })
    })
}
