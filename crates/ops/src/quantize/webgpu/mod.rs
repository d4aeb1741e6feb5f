//! On WebGPU: a thread for each block one way, for each four elements the other.

use super::{Dequantize, Quantize};
use crate::wgsl::{Build, launch_over, size};
use bessemer_core::{
    DType, Result,
    gpu::{GpuTraits, Launches},
};
use bessemer_formats::wgsl::{self, FIT};
use bessemer_program::wgsl::THREADS;

/// WGSL that makes a block of operand `name` of `block_values`: `encode_NAME(base)`.
pub(crate) fn encoder(name: &str, dtype: DType) -> String {
    let (len, bytes) = (dtype.block_len(), dtype.block_bytes());
    let text = [FIT, wgsl::of(dtype).encode]
        .concat()
        .replace("LENu", &format!("{len}u"))
        .replace("LEN", &len.to_string())
        .replace("BYTES", &bytes.to_string());
    format!(
        "{text}fn encode_{name}(base: i32) {{
    block();
    for (var i = 0u; i < {}u; i++) {{
        store_half_{name}(base + i32(i), block_bytes[2u * i] | (block_bytes[2u * i + 1u] << 8u));
    }}
}}
",
        bytes / 2
    )
}

pub(super) fn quantize(op: &Quantize, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "quantize";
    let dtype = op.out.dtype();
    let width = op.out.shape().width() / dtype.block_len();
    let elements = size(NAME, op.out.shape().rows() * width)?;
    if elements == 0 {
        return Ok(Launches::default());
    }
    let (row, groups) = launch_over(elements);
    let build = Build::new(gpu, "quantize.wgsl", include_str!("quantize.wgsl"))
        .read("x", &op.x)
        .rows(NAME, "x", &op.x)?
        .write("out", &op.out)
        .block_rows(NAME, "out", &op.out)?
        .u32("elements", elements)
        .u32("row", row)
        .u32("width", size(NAME, width)?)
        .define("ENCODE", encoder("out", dtype))
        .define("LEN", dtype.block_len().to_string())
        .define("HALVES", (dtype.block_bytes() / 2).to_string());
    Ok(build.launch(groups, THREADS)?.into())
}

pub(super) fn dequantize(op: &Dequantize, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "dequantize";
    let width = op.x.shape().width() / 4;
    let elements = size(NAME, op.x.shape().rows() * width)?;
    if elements == 0 {
        return Ok(Launches::default());
    }
    let (row, groups) = launch_over(elements);
    let build = Build::new(gpu, "dequantize.wgsl", include_str!("dequantize.wgsl"))
        .read("x", &op.x)
        .quad_rows(NAME, "x", &op.x)?
        .write("out", &op.out)
        .rows(NAME, "out", &op.out)?
        .u32("elements", elements)
        .u32("row", row)
        .u32("width", size(NAME, width)?);
    Ok(build.launch(groups, THREADS)?.into())
}
