//! Allocation: the choice of inducing points among the rows of an array.

use crate::arrays::matrix;
use crate::heavy::{heavy, unsupported};
use crate::settings::read;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use serde::Deserialize;
use spargo::allocate::{Allocation, Chosen, Search, allocate as choose, allocate_by};
use spargo::data::Direction;
use spargo::kernel::Family;
use spargo::model::Priors;
use spargo::regression::{AllocationOptions, FixedHyperparameters, Target};
use spargo::rng::{Purpose, stream};

/// Keyword arguments of `spargo.allocate`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    allocation: Allocation,
    kernel: Family,
    variance: Option<f64>,
    lengthscales: Option<Vec<f64>>,
    noise: Option<f64>,
    mean: Option<f64>,
    goal: Direction,
    level: f64,
    seed: u64,
}

/// Indices of the rows that are chosen, in the order of choice.
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
        let settings: Settings = read(settings, "help(spargo.allocate) lists the settings")?;
        let Settings { allocation, kernel, variance, lengthscales, noise, mean, goal, level, seed } = settings;
        let options = AllocationOptions {
            quality: allocation.quality(),
            target: Target { direction: goal, level },
            family: kernel,
            given: FixedHyperparameters { variance, lengthscales, noise, mean },
            priors: Priors::On,
            seed,
        };
        let (model, context) = options.kernel_and_context(x.as_ref(), y.as_deref())?;
        let kernel = model.kernel();
        let mut rng = stream(seed, Purpose::Allocation, 0, 0);
        let Chosen { rows, .. } = match quality {
            None => choose(&allocation, x.as_ref(), &kernel, &context, m, &mut rng),
            Some(quality) => {
                if quality.len() != x.nrows() {
                    let what = "the list of qualities".into();
                    return Err(spargo::Error::Shape { what, found: quality.len(), expected: x.nrows() });
                }
                let search = if matches!(allocation, Allocation::Dpp { .. }) { Search::Sample } else { Search::Lazy };
                allocate_by(|i| quality[i], search, x.as_ref(), &kernel, m, &mut rng)
            }
        }?;
        rows.ok_or_else(|| {
            let what = "rows where inducing points are no rows, as by kmeans and uniform";
            unsupported(what, "use SparseGP(allocation=\"kmeans\")")
        })
    })
}
