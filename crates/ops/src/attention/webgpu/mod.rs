//! On WebGPU: by subgroups where their width is known, else a workgroup for each head of each row;
//! for decoding and for prompts. Long contexts of few rows are split.

mod split;
mod subgroup;

use super::Attention;
use crate::wgsl::{Build, blocks_of, size, step};
use bessemer_core::{
    DType, DeviceKind, Error, Result, View,
    gpu::{GpuTraits, Launches},
};

const NAME: &str = "attention";
/// The longest head: four elements for each of the most threads.
const LONGEST: usize = 1024;

pub(super) fn launches(op: &Attention, gpu: &GpuTraits) -> Result<Launches> {
    let sizes = op.sizes();
    if op.out.elements() == 0 {
        return Ok(Launches::default());
    }
    if let Some(launches) = subgroup::launches(op, gpu) {
        return launches;
    }
    let threads = sizes.head_size.div_ceil(4).next_power_of_two() as u32;
    let threads = threads.max(if gpu.simd_reduce { gpu.simd_width.max(8) } else { 32 });
    if sizes.head_size > LONGEST || threads > gpu.max_threads {
        let why = "its heads are longer than 1024; use `cpu`";
        return Err(Error::NoKernel { op: NAME, device: DeviceKind::WebGpu, why });
    }
    let build = Build::new(gpu, "attention/group.wgsl", include_str!("group.wgsl"));
    // With pages the number of rows must not matter.
    let beside = if op.pages.is_some() { 1 } else { sizes.rows };
    let splits = split::splits(op, sizes.heads * beside, gpu);
    let finish = match splits {
        1 => include_str!("whole.wgsl"),
        _ => include_str!("part.wgsl"),
    };
    let build = split::in_parts(operands(build, op)?, op, splits)?.define("FINISH", finish);
    let groups = [size(NAME, sizes.heads)?, size(NAME, sizes.rows)?, 1];
    split::joined(op, gpu, build.launch(groups, threads)?, splits)
}

/// Everything that is bound, and the numbers that go with it.
fn operands<'g>(build: Build<'g>, op: &Attention) -> Result<Build<'g>> {
    let sizes = op.sizes();
    let mut build = build
        .u32("size", size(NAME, sizes.head_size)?)
        .u32("tokens", size(NAME, sizes.tokens)?)
        .u32("sharing", size(NAME, sizes.heads / sizes.kv_heads)?)
        .f32("scale", op.scale)
        .f32("cap", op.soft_cap.unwrap_or(0.0))
        .read_quads("q", &op.q)
        .read_quads("k", &op.k)
        .read_quads("v", &op.v)
        .write("out", &op.out);
    for (name, view, dimensions) in [
        ("q", &op.q, ["row", "head"]),
        ("k", &op.k, ["head", "token"]),
        ("v", &op.v, ["head", "token"]),
        ("out", &op.out, ["row", "head"]),
    ] {
        build = places(build, name, view, dimensions)?;
    }
    slots(see(build, op)?, op)
}

/// `slot(row, token)`: where in the cache a token is that a row sees.
fn slots<'g>(build: Build<'g>, op: &Attention) -> Result<Build<'g>> {
    let Some(pages) = &op.pages else {
        return Ok(build.also("fn slot(row: u32, token: u32) -> i32 { return i32(token); }\n"));
    };
    let strides = pages.table.strides();
    Ok(build
        .read("table", &pages.table)
        .i32("table_text", step(NAME, strides[0])?)
        .i32("table_page", step(NAME, strides[1])?)
        .u32("page", size(NAME, pages.len)?)
        .u32("last_page", size(NAME, op.k.shape()[1] / pages.len - 1)?)
        .also(
            "fn slot(row: u32, token: u32) -> i32 {
    let text = load_texts(i32(row) * params.texts_step);
    let place = i32(min(text, params.texts - 1u)) * params.table_text
        + i32(token / params.page) * params.table_page;
    return i32(min(load_table(place), params.last_page) * params.page + token % params.page);
}
",
        ))
}

/// The steps of an operand, whose first dimensions are called so.
fn places<'g>(
    build: Build<'g>,
    name: &str,
    view: &View,
    [outer, inner]: [&str; 2],
) -> Result<Build<'g>> {
    let unit = |step: isize| match blocks_of(view.dtype()) {
        (1, _) => step,
        (len, halves) => step / len as isize * halves as isize,
    };
    Ok(build
        .i32(&format!("{name}_{outer}"), step(NAME, unit(view.strides()[0]))?)
        .i32(&format!("{name}_{inner}"), step(NAME, unit(view.strides()[1]))?)
        .i32(&format!("{name}_step"), step(NAME, inside(view))?))
}

/// `see(row, thread, start, end)`: which keys a row sees.
fn see<'g>(build: Build<'g>, op: &Attention) -> Result<Build<'g>> {
    Ok(match &op.positions {
        None => {
            let see = "fn see(row: u32, thread: u32, start: ptr<function, u32>, \
                       end: ptr<function, u32>) {}\n";
            build.also(see)
        }
        Some(positions) => {
            // A position beyond what is counted in signs sees all there is.
            let last = if positions.dtype() == DType::I32 {
                "position"
            } else {
                "i32(min(position, 0x3fffffffu))"
            };
            let (build, absent) = match &op.pages {
                None => (build, ""),
                Some(pages) => (
                    build
                        .read("texts", &pages.texts)
                        .same()
                        .rows(NAME, "texts", &pages.texts)?
                        .u32("texts", size(NAME, pages.table.shape()[0])?),
                    "    if same_texts(i32(row) * params.texts_step, thread) >= params.texts { *end = 0u; }\n",
                ),
            };
            let window = op.window.map_or(i32::MAX, |w| i32::try_from(w).unwrap_or(i32::MAX));
            build
                .read("positions", positions)
                .same()
                .rows(NAME, "positions", positions)?
                .i32("window", window)
                .also(
                    "fn see(row: u32, thread: u32, start: ptr<function, u32>, end: ptr<function, u32>) {
    let position = same_positions(i32(row) * params.positions_step, thread);
    let last = LAST;
    let most = i32(params.tokens);
    *end = u32(clamp(min(last, 0x3fffffff) + 1, 0, most));
ABSENT    *start = min(u32(max(min(last, 0x3fffffff) + 1 - params.window, 0)), *end);
}
"
                    .replace("LAST", last)
                    .replace("ABSENT", absent)
                    .as_str(),
                )
        }
    })
}

/// The step inside a row.
fn inside(view: &View) -> isize {
    if view.shape().width() == 1 { 1 } else { view.strides()[2] }
}
