//! What the launches of all ops share: names of types, where rows lie, sizes of threadgroups.
//!
//! The kernels lie with their ops; what they share in MSL is in the `.metal` files here.

mod draft;
mod rows;
#[cfg(test)]
mod tests;

pub(crate) use draft::Draft;
pub(crate) use rows::Rows;

use bessemer_core::{DType, Error, gpu::GpuTraits};

/// MSL from files of this crate, one after the other; its name is that of the last.
macro_rules! msl {
    (@name $name:literal) => { $name };
    (@name $first:literal, $($rest:literal),+) => { $crate::gpu::msl!(@name $($rest),+) };
    ($($file:literal),+) => {
        bessemer_core::gpu::Source::File {
            name: $crate::gpu::msl!(@name $($file),+),
            text: concat!($("#line 1 \"", $file, "\"\n", include_str!($file)),+),
        }
    };
}
pub(crate) use msl;

/// What an element of `dtype` is called in MSL.
pub(crate) fn msl_type(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "float",
        DType::F16 => "half",
        DType::BF16 => "bf16",
        DType::I32 => "int",
        DType::U32 => "uint",
        DType::U8 | DType::Bool => "uchar",
        DType::Q4_0 => "Q4_0",
        DType::Q4_1 => "Q4_1",
        DType::Q5_0 => "Q5_0",
        DType::Q5_1 => "Q5_1",
        DType::Q8_0 => "Q8_0",
        DType::Q4_K => "Q4_K",
        DType::Q5_K => "Q5_K",
        DType::Q6_K => "Q6_K",
    }
}

/// Whole numbers as large as an element of `dtype`, or as a part of a block.
pub(crate) fn bits_type(dtype: DType) -> &'static str {
    match dtype.block_bytes() {
        1 => "uchar",
        4 => "uint",
        _ => "ushort",
    }
}

fn too_large(op: &'static str) -> Error {
    Error::rule(op, "sizes and strides of a GPU kernel are below 2³¹", &[])
}

/// Threads for a row of `width` elements: whole simdgroups, with a few elements for each thread.
pub(crate) fn threads_for(gpu: &GpuTraits, width: usize) -> u32 {
    let most = gpu.max_threads.min(512) / 32 * 32;
    (width.div_ceil(64).saturating_mul(32)).clamp(32, most.max(32) as usize) as u32
}

/// Whether simdgroups are as the kernels want them.
pub(crate) fn has_simd(gpu: &GpuTraits) -> bool {
    gpu.simd_reduce && gpu.simd_width == 32
}
