//! On WebGPU: a workgroup for each head of each row, in one launch where the adapter binds as many
//! buffers as that takes, else in one for the queries and one for what is kept.

use super::IntoCache;
use crate::{
    RopePairs,
    quantize::webgpu::encoder,
    rope::webgpu::TURN,
    wgsl::{Build, size, step},
};
use bessemer_core::{
    DType, Result, View,
    gpu::{GpuTraits, Launch, Launches},
};

const NAME: &str = "into_cache";

/// Which heads a launch has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Heads {
    All,
    Queries,
    Kept,
}

pub(super) fn launches(op: &IntoCache, gpu: &GpuTraits) -> Result<Launches> {
    if op.q.shape()[0] == 0 || op.q.shape().width() == 0 {
        return Ok(Launches::default());
    }
    let buffers = 8 + if op.norms.is_some() { 2 } else { 0 } + u32::from(op.slots.is_some());
    let launches = match buffers <= gpu.max_buffers {
        true => vec![launch(op, gpu, Heads::All)?],
        false => vec![launch(op, gpu, Heads::Queries)?, launch(op, gpu, Heads::Kept)?],
    };
    Ok(Launches { launches, scratch: 0 })
}

fn launch(op: &IntoCache, gpu: &GpuTraits, which: Heads) -> Result<Launch> {
    let (rows, heads) = (op.q.shape()[0], op.q.shape()[1]);
    let (kv_heads, tokens, head_size) =
        (op.keys.shape()[0], op.keys.shape()[1], op.q.shape().width());
    let first = if which == Heads::Kept { heads } else { 0 };
    let build = Build::new(gpu, "into_cache.wgsl", include_str!("into_cache.wgsl"));
    let threads = build.row_threads(head_size);
    let mut build = build
        .read("positions", &op.positions)
        .same()
        .rows(NAME, "positions", &op.positions)?
        .read("frequencies", &op.frequencies)
        .rows(NAME, "frequencies", &op.frequencies)?
        .u32("first", size(NAME, first)?)
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
    let places = match op.slots.as_ref().filter(|_| which != Heads::Queries) {
        Some(slots) => {
            build = build.read("slots", slots).same().rows(NAME, "slots", slots)?;
            "slots"
        }
        None => "positions",
    };
    build = build.also(
        "fn place_of(row: u32, thread: u32) -> u32 {
    return same_PLACES(i32(row) * params.PLACES_step, thread);
}
"
        .replace("PLACES", places)
        .as_str(),
    );
    build = queries(build, op, which != Heads::Kept)?;
    build = kept(build, op, threads, which != Heads::Queries)?;
    build = build.also(
        "fn source(which: u32, row: u32, head: u32, i: i32) -> f32 {
    if which < params.heads { return query(row, head, i); }
    if which < params.heads + params.kv_heads { return key(row, head, i); }
    return value(row, head, i);
}
fn norm_of(query: bool, i: i32) -> f32 {
    if query { return norm_of_query(i); }
    return norm_of_key(i);
}
",
    );
    let groups = match which {
        Heads::All => heads + 2 * kv_heads,
        Heads::Queries => heads,
        Heads::Kept => 2 * kv_heads,
    };
    build.launch([size(NAME, groups)?, size(NAME, rows)?, 1], threads)
}

/// `query`, `norm_of_query` and `put`: what becomes of the queries, if they are `here`.
fn queries<'g>(build: Build<'g>, op: &IntoCache, here: bool) -> Result<Build<'g>> {
    if !here {
        return Ok(build.also(
            "fn query(row: u32, head: u32, i: i32) -> f32 { return 0.0; }
fn norm_of_query(i: i32) -> f32 { return 1.0; }
fn put(row: u32, head: u32, i: i32, value: f32) {}
",
        ));
    }
    let build = heads_of(build.read("q", &op.q), "q", &op.q)?;
    let build = heads_of(build.write("out", &op.out), "out", &op.out)?.also(
        "fn query(row: u32, head: u32, i: i32) -> f32 {
    return load_q(i32(row) * params.q_row + i32(head) * params.q_head + i * params.q_step);
}
fn put(row: u32, head: u32, i: i32, value: f32) {
    store_out(i32(row) * params.out_row + i32(head) * params.out_head + i * params.out_step, value);
}
",
    );
    norm(build, "norm_q", "norm_of_query", op.norms.as_ref().map(|norms| &norms.q))
}

/// `key`, `value`, `norm_of_key` and `keep`: what becomes of keys and values, if they are `here`.
fn kept<'g>(mut build: Build<'g>, op: &IntoCache, threads: u32, here: bool) -> Result<Build<'g>> {
    if !here {
        return Ok(build.define("ENCODE", "").also(
            "fn key(row: u32, head: u32, i: i32) -> f32 { return 0.0; }
fn value(row: u32, head: u32, i: i32) -> f32 { return 0.0; }
fn norm_of_key(i: i32) -> f32 { return 1.0; }
fn keep(value: bool, head: u32, token: u32, thread: u32) {}
",
        ));
    }
    let head_size = op.keys.shape().width();
    for (name, view) in [("k", &op.k), ("v", &op.v)] {
        build = heads_of(build.read(name, view), name, view)?;
    }
    build = build.also(
        "fn key(row: u32, head: u32, i: i32) -> f32 {
    return load_k(i32(row) * params.k_row + i32(head) * params.k_head + i * params.k_step);
}
fn value(row: u32, head: u32, i: i32) -> f32 {
    return load_v(i32(row) * params.v_row + i32(head) * params.v_head + i * params.v_step);
}
",
    );
    build = norm(build, "norm_k", "norm_of_key", op.norms.as_ref().map(|norms| &norms.k))?;
    for (name, view) in [("keys", &op.keys), ("values", &op.values)] {
        build = heads_of(build.write(name, view), name, view)?;
    }
    Ok(match op.keys.dtype() {
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
    })
}

/// The weights of a norm by a function `name`, or 1.
fn norm<'g>(
    build: Build<'g>,
    operand: &str,
    name: &str,
    weight: Option<&View>,
) -> Result<Build<'g>> {
    Ok(match weight {
        None => build.also(&format!("fn {name}(i: i32) -> f32 {{ return 1.0; }}\n")),
        Some(weight) => build.read(operand, weight).rows(NAME, operand, weight)?.also(&format!(
            "fn {name}(i: i32) -> f32 {{ return load_{operand}(i * params.{operand}_step); }}\n"
        )),
    })
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
