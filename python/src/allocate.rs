//! Allocation: the choice of inducing points among the rows of an array.

use crate::arrays::{Matrix, Vector};
use crate::heavy::{heavy, unsupported};
use crate::settings::read;
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
struct Settings {
    allocation: Allocation,
    kernel: Family,
    #[serde(flatten)]
    given: FixedHyperparameters,
    goal: Direction,
    level: f64,
    seed: u64,
}

/// Indices of the rows that are chosen, in the order of choice.
#[pyfunction]
pub fn allocate(
    py: Python<'_>,
    x: Matrix,
    m: usize,
    settings: &str,
    y: Option<Vector>,
    quality: Option<Vector>,
) -> PyResult<Vec<usize>> {
    heavy(py, || {
        let settings: Settings = read(settings, "help(spargo.allocate) lists the settings")?;
        let Settings { allocation, kernel, given, goal, level, seed } = settings;
        let options = AllocationOptions {
            quality: allocation.quality(),
            target: Target { direction: goal, level },
            family: kernel,
            given,
            priors: Priors::On,
            seed,
        };
        let x = x.0.as_ref();
        let (model, context) = options.kernel_and_context(x, y.as_ref().map(|y| y.0.as_slice()))?;
        let kernel = model.kernel();
        let mut rng = stream(seed, Purpose::Allocation, 0, 0);
        let Chosen { rows, .. } = match quality {
            None => choose(&allocation, x, &kernel, &context, m, &mut rng),
            Some(Vector(quality)) => {
                if quality.len() != x.nrows() {
                    let what = "the list of qualities".into();
                    return Err(spargo::Error::Shape { what, found: quality.len(), expected: x.nrows() });
                }
                let search = if matches!(allocation, Allocation::Dpp { .. }) { Search::Sample } else { Search::Lazy };
                allocate_by(|i| quality[i], search, x, &kernel, m, &mut rng)
            }
        }?;
        rows.ok_or_else(|| {
            let what = "rows where inducing points are no rows, as by kmeans and uniform";
            unsupported(what, "use SparseGP(allocation=\"kmeans\")")
        })
    })
}
