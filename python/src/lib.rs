//! The Python face of spargo: one file a stage, conversions and nothing else. What users see is in `python/spargo`.

mod allocate;
mod arrays;
mod errors;
mod frame;
mod heavy;
mod models;
mod posterior;
mod problems;
mod records;
mod study;
mod values;

use pyo3::prelude::*;

/// As in the command: the system's allocator gives the pages of large temporaries back after each use.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pymodule]
fn _spargo(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<study::Study>()?;
    module.add_class::<posterior::Posterior>()?;
    module.add_class::<posterior::Paths>()?;
    module.add_class::<models::Fitted>()?;
    module.add_function(wrap_pyfunction!(allocate::allocate, module)?)?;
    module.add_function(wrap_pyfunction!(problems::list_problems, module)?)?;
    module.add_function(wrap_pyfunction!(problems::list_tradeoffs, module)?)?;
    module.add_function(wrap_pyfunction!(problems::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(problems::observe, module)?)?;
    module.add_function(wrap_pyfunction!(problems::evaluate_several, module)?)?;
    module.add_function(wrap_pyfunction!(problems::hypervolume, module)?)?;
    module.add_function(wrap_pyfunction!(problems::front, module)?)?;
    Ok(())
}
