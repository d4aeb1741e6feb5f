//! The functions of the package, by topic and under the names of the array API. A function is a line
//! in one of the tables here, or a few lines that call bessemer; nothing is computed here.

pub(crate) mod arithmetic;
mod creation;
mod dtypes;
mod elementwise;
mod evaluation;
mod fft;
mod files;
mod linalg;
mod linear;
mod manipulation;
mod neural;
mod random;
pub(crate) mod reductions;
mod searching;

use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    creation::register(module)?;
    dtypes::register(module)?;
    elementwise::register(module)?;
    evaluation::register(module)?;
    fft::register(module)?;
    files::register(module)?;
    linalg::register(module)?;
    linear::register(module)?;
    manipulation::register(module)?;
    neural::register(module)?;
    random::register(module)?;
    reductions::register(module)?;
    searching::register(module)
}

/// Adds functions to a module.
macro_rules! add {
    ($module:ident: $($function:ident)*) => {{
        $($module.add_function(pyo3::wrap_pyfunction!($function, $module)?)?;)*
        pyo3::PyResult::Ok(())
    }};
}
pub(crate) use add;

/// Adds functions of one of the package's modules: with what stands before their names.
macro_rules! add_as {
    ($module:ident $before:literal: $($function:ident)*) => {{
        $($module.add(
            concat!($before, stringify!($function)),
            pyo3::wrap_pyfunction!($function, $module)?,
        )?;)*
        pyo3::PyResult::Ok(())
    }};
}
pub(crate) use add_as;
