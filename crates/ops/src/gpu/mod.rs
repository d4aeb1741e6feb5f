//! Shared by the launches of all ops: type names, row layouts, threadgroup sizes.
//!
//! The kernels are in the folders of their ops; MSL that they share is in the `.metal` files here.

mod draft;
mod params;
mod rows;
#[cfg(test)]
mod tests;

pub(crate) use draft::Draft;
pub(crate) use params::Members;
pub(crate) use rows::Rows;

use bessemer_core::{DType, Error, gpu::GpuTraits};

/// MSL from files of this crate, one after the other; its name is that of the last. `DECODE` and
/// `ENCODE` stand for the block formats ([`bessemer_formats::msl`]).
macro_rules! msl {
    (@name $name:literal) => { $name };
    (@name $first:tt, $($rest:tt),+) => { $crate::gpu::msl!(@name $($rest),+) };
    (@text DECODE) => { bessemer_formats::msl::DECODE };
    (@text ENCODE) => { bessemer_formats::msl::ENCODE };
    (@text ENCODE_Q8_0_BY_PAIRS) => { bessemer_formats::msl::ENCODE_Q8_0_BY_PAIRS };
    (@text $file:literal) => { concat!("#line 1 \"", $file, "\"\n", include_str!($file)) };
    ($($piece:tt),+) => {{
        static TEXT: std::sync::LazyLock<String> =
            std::sync::LazyLock::new(|| [$($crate::gpu::msl!(@text $piece)),+].concat());
        bessemer_core::gpu::Source::File {
            name: $crate::gpu::msl!(@name $($piece),+),
            text: TEXT.as_str(),
        }
    }};
}
pub(crate) use msl;

/// What an element of `dtype` is called in MSL.
pub(crate) fn msl_type(dtype: DType) -> &'static str {
    if let Some(block) = bessemer_formats::msl::block_type(dtype) {
        return block;
    }
    match dtype {
        DType::F32 => "float",
        DType::F16 => "half",
        DType::BF16 => "bf16",
        DType::I32 => "int",
        DType::U32 => "uint",
        DType::U8 | DType::Bool => "uchar",
        DType::I8 => "char",
        DType::I16 => "short",
        DType::U16 => "ushort",
        DType::I64 => "long",
        // Doubles and complex numbers are only moved, as the bits they are.
        DType::U64 | DType::F64 | DType::Complex64 => "ulong",
        blocks => unreachable!("{blocks} is a block format"),
    }
}

/// Whole numbers as large as an element of `dtype`, or as a part of a block.
pub(crate) fn bits_type(dtype: DType) -> &'static str {
    match dtype.block_bytes() {
        1 => "uchar",
        4 => "uint",
        8 if !dtype.is_block() => "ulong",
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
