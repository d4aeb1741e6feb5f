//! The compiled part of the Python package `bessemer`: classes and functions over the crate of that
//! name, and no logic of their own. What is pure Python is in `python/bessemer`.

mod array;
mod device;
mod dtype;
mod errors;
mod functions;
mod llm;
mod operand;
mod program;
mod signals;

use pyo3::prelude::*;

/// The compiled part of `bessemer`; import that instead.
#[pymodule(gil_used = false)]
mod _bessemer {
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        dtype::register(module)?;
        device::register(module)?;
        array::register(module)?;
        functions::register(module)?;
        program::register(module)?;
        llm::register(module)
    }
}
