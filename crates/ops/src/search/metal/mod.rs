//! On Metal: a thread per value.

use super::Search;
use crate::{
    bind::no_doubles,
    gpu::{Draft, Rows, msl},
};
use bessemer_core::{
    DType, DeviceKind, Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn search(op: &Search, gpu: &GpuTraits) -> Result<Launches> {
    let Search { sorted, values, right, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let key = match sorted.dtype() {
        DType::F64 => return Err(no_doubles(op.name(), DeviceKind::Metal)),
        DType::U64 => "ulong",
        dtype if dtype.is_float() => "float",
        _ => "long",
    };
    let launch =
        Draft::new(op.name(), msl!("../../gpu/types.metal", "search.metal"), "search", gpu)
            .read("LIST", sorted)
            .read_another(values)
            .write("OUT", out)
            .define("KEY", key)
            .size("length", sorted.elements())
            .flag("right", *right)
            .size("count", out.elements())
            .last_step("step", sorted)
            .rows("values", &Rows::new([values, out], 0))
            .over([out.elements(), 1, 1])?;
    Ok(launch.into())
}
