//! On Metal: a matrix times a few vectors for up to eight rows, tiles for more.

use super::{Linear, several::Activated};
use crate::{
    Activation,
    gated::{msl_name, msl_number},
    gpu::{Draft, Rows, has_simd, msl, msl_type},
};
use bessemer_core::{
    DType, Result, View,
    gpu::{GpuTraits, Launch, Launches},
};

/// Up to this many rows, weights are streamed through registers.
pub(crate) const FEW: usize = 8;
/// Rows of a weight that a simdgroup takes.
pub(crate) const OUTPUTS: usize = 4;
/// Threads of a threadgroup for few rows: two simdgroups.
pub(crate) const FEW_THREADS: u32 = 64;
/// The most weights of one launch.
const MOST_LAYERS: usize = 4;
/// Rows and columns of a tile, and the threads that compute it.
pub(crate) const TILE: usize = 64;
pub(crate) const TILE_THREADS: u32 = 128;

/// All of `layers`, which have the same number of rows.
pub(super) fn linears(
    name: &'static str,
    layers: &[Activated<'_>],
    gpu: &GpuTraits,
) -> Result<Launches> {
    let some: Vec<Activated<'_>> =
        layers.iter().copied().filter(|(layer, _)| layer.out.elements() > 0).collect();
    let few = some.first().is_some_and(|(first, _)| first.x.shape().rows() <= FEW);
    let alike = |(one, _): &Activated<'_>, (next, _): &Activated<'_>| {
        let in_tiles = |layer: &Linear| tile_type(layer.weight.dtype());
        one.x.dtype() == next.x.dtype() && (few || in_tiles(one) == in_tiles(next))
    };
    let launches: Result<Vec<Launch>> = some
        .chunk_by(alike)
        .flat_map(|alike| alike.chunks(MOST_LAYERS))
        .map(
            |layers| {
                if few { of_few_rows(name, layers, gpu) } else { of_many_rows(name, layers, gpu) }
            },
        )
        .collect();
    Ok(Launches { launches: launches?, scratch: 0 })
}

/// How many outputs a threadgroup of the kernel for few rows has.
pub(crate) fn outputs_per_group(gpu: &GpuTraits) -> usize {
    let workers = if has_simd(gpu) { FEW_THREADS / 32 } else { FEW_THREADS };
    workers as usize * OUTPUTS
}

/// The step from row to row of a weight, in blocks.
pub(crate) fn row_step(weight: &View, axis: usize) -> isize {
    let single = weight.shape()[axis] <= 1;
    if single { 0 } else { weight.strides()[axis] / weight.dtype().block_len() as isize }
}

fn of_few_rows(name: &'static str, layers: &[Activated<'_>], gpu: &GpuTraits) -> Result<Launch> {
    let draft = bound(of_few(name, "linear_few", layers[0].0, gpu), layers);
    let (draft, groups) = params(draft, layers, outputs_per_group(gpu));
    draft.grid([groups, 1, 1], [FEW_THREADS, 1, 1])
}

fn of_many_rows(name: &'static str, layers: &[Activated<'_>], gpu: &GpuTraits) -> Result<Launch> {
    let draft = bound(of_many(name, "linear_many", layers[0].0, gpu), layers);
    let (draft, groups) = params(draft, layers, TILE);
    let rows = layers[0].0.x.shape().rows();
    draft.grid([groups, rows.div_ceil(TILE), 1], [TILE_THREADS, 1, 1])
}

/// A gate and what passes through it, in one launch; none if they are kept differently in tiles.
pub(crate) fn gated(
    name: &'static str,
    [gate, up]: [&Linear; 2],
    activation: Activation,
    out: &View,
    gpu: &GpuTraits,
) -> Result<Option<Launch>> {
    let (rows, width) = (out.shape().rows(), out.shape().width());
    let (draft, groups, threads) = if rows <= FEW {
        let draft = of_few(name, "linear_gated", gate, gpu);
        (draft, [width.div_ceil(outputs_per_group(gpu)), 1, 1], FEW_THREADS)
    } else if tile_type(gate.weight.dtype()) == tile_type(up.weight.dtype()) {
        let draft = of_many(name, "linear_gated_many", gate, gpu);
        (draft, [width.div_ceil(TILE / 2), rows.div_ceil(TILE), 1], TILE_THREADS)
    } else {
        return Ok(None);
    };
    // The results of the two stay in registers: of their `out` only the types are known.
    let draft = draft.define("LAYERS", "2").define("X", msl_type(gate.x.dtype()));
    let draft = inputs(inputs(draft, gate, 0), up, 1)
        .define(OUT[0], msl_type(gate.out.dtype()))
        .define(OUT[1], msl_type(up.out.dtype()))
        .write("OUT", out)
        .define("ACTIVATION", msl_name(activation));
    let draft = draft.size("rows", rows);
    let draft = weight_params(weight_params(draft, gate, 0, 0), up, 1, 0);
    draft
        .last_step("out_step", out)
        .rows("out_rows", &Rows::new([out], 1))
        .grid(groups, [threads, 1, 1])
        .map(Some)
}

/// A launch of `few.metal`.
fn of_few(name: &'static str, entry: &'static str, first: &Linear, gpu: &GpuTraits) -> Draft {
    let source = msl!(
        "../../gpu/types.metal",
        DECODE,
        "../../gpu/activation.metal",
        "dots.metal",
        "layers.metal",
        "few.metal"
    );
    Draft::new(name, source, entry, gpu)
        .define("ROWS", first.x.shape().rows().next_power_of_two().to_string())
        .define("OUTPUTS", OUTPUTS.to_string())
}

/// A launch of `many.metal`.
fn of_many(name: &'static str, entry: &'static str, first: &Linear, gpu: &GpuTraits) -> Draft {
    let source = msl!(
        "../../gpu/types.metal",
        DECODE,
        "../../gpu/activation.metal",
        "../../gpu/tile.metal",
        "layers.metal",
        "put_weights.metal",
        "many.metal"
    );
    Draft::new(name, source, entry, gpu)
        .define_if(!gpu.simd_matrix || !has_simd(gpu), "NO_MATRIX")
        .define("TILE_A", tile_type(first.x.dtype()))
        .define("TILE_B", tile_type(first.weight.dtype()))
}

const W: [&str; MOST_LAYERS] = ["W0", "W1", "W2", "W3"];
const BIAS: [&str; MOST_LAYERS] = ["BIAS0", "BIAS1", "BIAS2", "BIAS3"];
const OUT: [&str; MOST_LAYERS] = ["OUT0", "OUT1", "OUT2", "OUT3"];

/// The views of `layers` bound as `layers.metal` takes them.
fn bound(draft: Draft, layers: &[Activated<'_>]) -> Draft {
    let mut draft = draft
        .define("LAYERS", layers.len().to_string())
        .define("X", msl_type(layers[0].0.x.dtype()))
        .define_if(layers.iter().any(|(_, activation)| activation.is_some()), "ACTIVATED");
    for (i, (layer, _)) in layers.iter().enumerate() {
        draft = inputs(draft, layer, i).write(OUT[i], &layer.out);
    }
    draft
}

/// What layer `number` reads.
fn inputs(draft: Draft, layer: &Linear, number: usize) -> Draft {
    let bias = layer.bias.as_ref().unwrap_or(&layer.x);
    draft.read_another(&layer.x).read(W[number], &layer.weight).read(BIAS[number], bias)
}

/// The numbers of layers of which each has threadgroups of its own, and how many those are.
fn params(draft: Draft, layers: &[Activated<'_>], outputs_per_group: usize) -> (Draft, usize) {
    let mut draft = draft.size("rows", layers[0].0.x.shape().rows());
    let mut groups = 0;
    for (number, (layer, activation)) in layers.iter().enumerate() {
        let out = &layer.out;
        draft = weight_params(draft, layer, number, groups)
            .size(format_args!("layers[{number}].activation"), msl_number(*activation))
            .last_step(format_args!("layers[{number}].out_step"), out)
            .rows(format_args!("layers[{number}].out_rows"), &Rows::new([out], 1));
        groups += layer.weight.shape()[0].div_ceil(outputs_per_group);
    }
    (draft, groups)
}

/// The numbers of a layer that are not about its results.
fn weight_params(draft: Draft, layer: &Linear, number: usize, first_group: usize) -> Draft {
    let Linear { x, weight, bias, .. } = layer;
    draft
        .size(format_args!("layers[{number}].outputs"), weight.shape()[0])
        .size(format_args!("layers[{number}].first_group"), first_group)
        .flag(format_args!("layers[{number}].has_bias"), bias.is_some())
        .size(format_args!("layers[{number}].k"), x.shape().width())
        .step(format_args!("layers[{number}].weight_row"), row_step(weight, 0))
        .last_step(format_args!("layers[{number}].weight_step"), weight)
        .last_step(format_args!("layers[{number}].bias_step"), bias.as_ref().unwrap_or(x))
        .last_step(format_args!("layers[{number}].x_step"), x)
        .rows(format_args!("layers[{number}].x_rows"), &Rows::new([x], 1))
}

/// The type a factor is kept as in tiles: half only where it was as coarse before.
pub(crate) fn tile_type(dtype: DType) -> &'static str {
    if dtype == DType::F16 || dtype.is_block() { "half" } else { "float" }
}
