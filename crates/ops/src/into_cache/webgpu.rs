//! On WebGPU: a workgroup for each head of each row.

use super::IntoCache;
use crate::{
    RopePairs,
    quantize::webgpu::encoder,
    rope::webgpu::TURN,
    wgsl::{Build, size, step},
};
use bessemer_core::{
    DType, Result, View,
    gpu::{GpuTraits, Launches},
};

const NAME: &str = "into_cache";

pub(super) fn launches(op: &IntoCache, gpu: &GpuTraits) -> Result<Launches> {
    let (&[rows, heads, head_size], &[kv_heads, tokens, _]) = (&**op.q.shape(), &**op.keys.shape())
    else {
        return Ok(Launches::default());
    };
    if rows == 0 || head_size == 0 {
        return Ok(Launches::default());
    }
    let build = Build::new(gpu, "into_cache.wgsl", include_str!("into_cache.wgsl"));
    let threads = build.row_threads(head_size);
    let mut build = build
        .read("positions", &op.positions)
        .rows(NAME, "positions", &op.positions)?
        .read("frequencies", &op.frequencies)
        .rows(NAME, "frequencies", &op.frequencies)?
        .u32("rows", size(NAME, rows)?)
        .u32("heads", size(NAME, heads)?)
        .u32("kv_heads", size(NAME, kv_heads)?)
        .u32("tokens", size(NAME, tokens)?)
        .u32("pairs", size(NAME, op.frequencies.elements())?)
        .u32("halves", u32::from(op.pairs == RopePairs::Halves))
        .f32("magnitude", op.magnitude)
        .f32("epsilon", op.norms.as_ref().map_or(0.0, |norms| norms.epsilon))
        .define("SIZE", format!("{head_size}u"))
        .define("NORM", if op.norms.is_some() { "true" } else { "false" })
        .define("TURN", TURN);
    for (name, view) in [("q", &op.q), ("k", &op.k), ("v", &op.v)] {
        build = heads_of(build.read(name, view), name, view)?;
    }
    build = heads_of(build.write("out", &op.out), "out", &op.out)?;
    build = build.also(
        "fn source(which: u32, row: u32, head: u32, i: i32) -> f32 {
    if which < params.heads {
        return load_q(i32(row) * params.q_row + i32(head) * params.q_head + i * params.q_step);
    }
    if which < params.heads + params.kv_heads {
        return load_k(i32(row) * params.k_row + i32(head) * params.k_head + i * params.k_step);
    }
    return load_v(i32(row) * params.v_row + i32(head) * params.v_head + i * params.v_step);
}
",
    );
    build = match &op.norms {
        None => build.also("fn norm_of(query: bool, i: i32) -> f32 { return 1.0; }\n"),
        Some(norms) => build
            .read("norm_q", &norms.q)
            .rows(NAME, "norm_q", &norms.q)?
            .read("norm_k", &norms.k)
            .rows(NAME, "norm_k", &norms.k)?
            .also(
                "fn norm_of(query: bool, i: i32) -> f32 {
    if query { return load_norm_q(i * params.norm_q_step); }
    return load_norm_k(i * params.norm_k_step);
}
",
            ),
    };
    for (name, view) in [("keys", &op.keys), ("values", &op.values)] {
        build = heads_of(build.write(name, view), name, view)?;
    }
    build = match op.keys.dtype() {
        DType::Q8_0 => {
            let encode = encoder("keys", DType::Q8_0);
            // The values are packed in the same way, and stored elsewhere.
            let values = "fn encode_values(base: i32) {
    block();
    for (var i = 0u; i < 17u; i++) {
        store_half_values(base + i32(i), block_bytes[2u * i] | (block_bytes[2u * i + 1u] << 8u));
    }
}
";
            build.define("ENCODE", format!("{encode}{values}")).also(
                "fn keep(value: bool, head: u32, token: u32, thread: u32) {
    for (var j = thread; j < SIZE_BLOCKS; j += THREADS_HERE) {
        for (var i = 0u; i < 32u; i++) { block_values[i] = head_of[32u * j + i]; }
        if value {
            encode_values(i32(head) * params.values_row + i32(token) * params.values_head + 17 * i32(j));
        } else {
            encode_keys(i32(head) * params.keys_row + i32(token) * params.keys_head + 17 * i32(j));
        }
    }
}
"
                .replace("SIZE_BLOCKS", &format!("{}u", head_size / 32))
                .replace("THREADS_HERE", &format!("{threads}u"))
                .as_str(),
            )
        }
        _ => build.define("ENCODE", "").also(
            "fn keep(value: bool, head: u32, token: u32, thread: u32) {
    for (var i = thread; i < HEAD_SIZE; i += THREADS_HERE) {
        if value {
            store_values(i32(head) * params.values_row + i32(token) * params.values_head
                + i32(i) * params.values_step, head_of[i]);
        } else {
            store_keys(i32(head) * params.keys_row + i32(token) * params.keys_head
                + i32(i) * params.keys_step, head_of[i]);
        }
    }
}
"
            .replace("HEAD_SIZE", &format!("{head_size}u"))
            .replace("THREADS_HERE", &format!("{threads}u"))
            .as_str(),
        ),
    };
    let all = size(NAME, heads + 2 * kv_heads)?;
    Ok(build.launch([all, size(NAME, rows)?, 1], threads).into())
}

/// The steps of three dimensions: `params.NAME_row`, `NAME_head` and `NAME_step`; of blocks, those
/// before the last in halves of words.
fn heads_of<'g>(build: Build<'g>, name: &str, view: &View) -> Result<Build<'g>> {
    let (len, halves) =
        (view.dtype().block_len() as isize, view.dtype().block_bytes() as isize / 2);
    let unit = |step: isize| if len > 1 { step / len * halves } else { step };
    let steps = view.strides();
    Ok(build
        .i32(&format!("{name}_row"), step(NAME, unit(steps[0]))?)
        .i32(&format!("{name}_head"), step(NAME, unit(steps[1]))?)
        .i32(&format!("{name}_step"), step(NAME, steps[2])?))
}
