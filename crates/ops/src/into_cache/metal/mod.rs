//! On Metal: a threadgroup per head of a row, queries, keys and values in one launch.

use super::IntoCache;
use crate::{
    RopePairs,
    gpu::{Draft, msl},
};
use bessemer_core::{
    DType, DeviceKind, Error, Operation, Result,
    gpu::{GpuTraits, Launches},
};

/// The most elements of a head: `MOST` in the source.
const MOST: usize = 2048;

pub(super) fn into_cache(op: &IntoCache, gpu: &GpuTraits) -> Result<Launches> {
    let IntoCache { q, k, v, norms, positions, frequencies, keys, values, out, .. } = op;
    if q.elements() == 0 && k.elements() == 0 {
        return Ok(Launches::default());
    }
    let (rows, heads, size) = (q.shape()[0], q.shape()[1], q.shape()[2]);
    let kv_heads = k.shape()[1];
    if size > MOST {
        let why = "heads have at most 2048 elements there";
        return Err(Error::NoKernel { op: op.name(), device: DeviceKind::Metal, why });
    }
    let encoded = keys.dtype() == DType::Q8_0;
    let (q_norm, k_norm) = norms.as_ref().map_or((q, k), |norms| (&norms.q, &norms.k));
    let source = msl!(
        "../../gpu/types.metal",
        "../../gpu/turn.metal",
        ENCODE_Q8_0_BY_PAIRS,
        "into_cache.metal"
    );
    let mut draft = Draft::new(op.name(), source, "into_cache", gpu)
        .read("Q", q)
        .read("K", k)
        .read("V", v)
        .read_another(positions)
        .read_another(frequencies)
        .read("Q_NORM", q_norm)
        .read("K_NORM", k_norm)
        .write("OUT", out);
    draft = match encoded {
        true => draft.write_as("CACHE", "ushort", keys).define("ENCODED", "1"),
        false => draft.write("CACHE", keys),
    };
    draft = draft
        .write_another(values)
        .read_another(op.places())
        .define_if(norms.is_some(), "NORMED")
        .size("rows", rows)
        .size("heads", heads)
        .size("kv_heads", kv_heads)
        .size("size", size)
        .size("tokens", keys.shape()[1])
        .size("pairs", frequencies.elements())
        .flag("neighbours", op.pairs == RopePairs::Neighbours);
    for (name, view) in [("q", q), ("k", k), ("v", v), ("out", out)] {
        draft = draft
            .step_of(format_args!("{name}_row"), view, 0)
            .step_of(format_args!("{name}_head"), view, 1)
            .last_step(format_args!("{name}_step"), view);
    }
    for (name, view) in [("keys", keys), ("values", values)] {
        draft = draft
            .step_of(format_args!("{name}_head"), view, 0)
            .step_of(format_args!("{name}_token"), view, 1)
            .last_step(format_args!("{name}_step"), view);
    }
    let epsilon = norms.as_ref().map_or(0.0, |norms| norms.epsilon);
    let launch = draft
        .last_step("position_step", positions)
        .last_step("place_step", op.places())
        .last_step("frequency_step", frequencies)
        .last_step("q_norm_step", q_norm)
        .last_step("k_norm_step", k_norm)
        .float("magnitude", op.magnitude)
        .float("epsilon", epsilon)
        .grid([heads + 2 * kv_heads, rows, 1], [if size > 64 { 64 } else { 32 }, 1, 1])?;
    Ok(launch.into())
}
