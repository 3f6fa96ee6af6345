//! Python bindings of spargo: conversions between Python's values and the library's. The public API is in `python/spargo`.

mod allocate;
mod arrays;
mod campaign;
mod errors;
mod frame;
mod heavy;
mod models;
mod posterior;
mod problems;
mod quality;
mod records;
mod settings;
mod study;
mod values;

use pyo3::prelude::*;

/// The system's allocator would return the pages of large temporaries after each use.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pymodule]
fn _spargo(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<study::Study>()?;
    module.add_class::<campaign::Campaign>()?;
    module.add_class::<posterior::Posterior>()?;
    module.add_class::<posterior::Paths>()?;
    module.add_class::<models::Fitted>()?;
    module.add_function(wrap_pyfunction!(allocate::allocate, module)?)?;
    module.add_function(wrap_pyfunction!(problems::list_problems, module)?)?;
    module.add_function(wrap_pyfunction!(problems::list_multi_objective, module)?)?;
    module.add_function(wrap_pyfunction!(problems::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(problems::observe, module)?)?;
    module.add_function(wrap_pyfunction!(problems::evaluate_outputs, module)?)?;
    module.add_function(wrap_pyfunction!(problems::hypervolume, module)?)?;
    Ok(())
}
