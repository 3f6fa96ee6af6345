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
mod reconfigure;
mod records;
mod session;
mod settings;
mod study;
mod values;

use pyo3::prelude::*;
use spargo::study::{
    DISCARDED_WORD, DONE_WORDS, FAILED_WORDS, OUTPUT_COLUMN_WORDS, OUTPUT_COLUMNS, PENDING_WORD, RESERVED_NAMES,
};

/// The system's allocator would return the pages of large temporaries after each use.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pymodule]
fn _spargo(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("RESERVED_NAMES", RESERVED_NAMES)?;
    module.add("OUTPUT_COLUMNS", OUTPUT_COLUMNS)?;
    module.add("OUTPUT_COLUMN_WORDS", OUTPUT_COLUMN_WORDS)?;
    module.add("DONE_WORDS", DONE_WORDS)?;
    module.add("FAILED_WORDS", FAILED_WORDS)?;
    module.add("PENDING_WORD", PENDING_WORD)?;
    module.add("DISCARDED_WORD", DISCARDED_WORD)?;
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
    module.add_function(wrap_pyfunction!(session::network_file_system, module)?)?;
    Ok(())
}
