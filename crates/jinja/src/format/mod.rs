//! Texts made of values by a format: `%`, `str.format` and JSON.

mod braces;
mod json;
mod percent;
mod spec;

pub(crate) use braces::braces;
pub(crate) use json::{Style, json};
pub(crate) use percent::percent;
