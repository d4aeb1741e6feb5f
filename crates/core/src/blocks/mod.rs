//! The block formats, bit for bit as GGUF has them: what their bytes mean.
//!
//! This is the scalar definition, in one small file per format; fast kernels live with the ops.

mod fit;
mod k_scales;
mod q4_0;
mod q4_1;
mod q4_k;
mod q5_0;
mod q5_1;
mod q5_k;
mod q6_k;
mod q8_0;

pub use k_scales::unpack as unpack_k_scales;

use crate::DType;
use bessemer_simd::{Arch, Kernel};
use half::f16;

/// Decodes whole blocks of `dtype`.
///
/// # Panics
/// If `bytes` is not as many blocks as `values` has elements, or `dtype` is no block format.
#[inline]
pub fn decode(dtype: DType, bytes: &[u8], values: &mut [f32]) {
    decode_here(dtype, bytes, values);
}

/// Encodes whole blocks of `dtype`: for each, the nearest block in the least-squares sense that
/// its encoder finds.
///
/// Finite values beyond what the format can hold become the largest it holds. A block with a NaN
/// or an infinity in it decodes to NaN throughout; the blocks beside it are not touched by that.
///
/// ```
/// use bessemer_core::{DType, blocks};
///
/// let values: Vec<f32> = (0..32).map(|i| i as f32 - 16.0).collect();
/// let (mut bytes, mut back) = ([0; 34], [0.0; 32]);
/// blocks::encode(DType::Q8_0, &values, &mut bytes);
/// blocks::decode(DType::Q8_0, &bytes, &mut back);
/// assert!(values.iter().zip(back).all(|(a, b)| (a - b).abs() < 0.07));
/// ```
///
/// # Panics
/// As [`decode`].
#[inline]
pub fn encode(dtype: DType, values: &[f32], bytes: &mut [u8]) {
    encode_here(dtype, values, bytes);
}

/// [`decode`] as a kernel, to be compiled for each instruction set.
pub struct Decode<'a> {
    /// The block format.
    pub dtype: DType,
    /// Whole blocks.
    pub bytes: &'a [u8],
    /// As many values.
    pub values: &'a mut [f32],
}

/// [`encode`] as a kernel, to be compiled for each instruction set. All give the same bytes.
pub struct Encode<'a> {
    /// The block format.
    pub dtype: DType,
    /// Whole blocks of values.
    pub values: &'a [f32],
    /// As many blocks.
    pub bytes: &'a mut [u8],
}

impl Kernel for Decode<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        decode_here(self.dtype, self.bytes, self.values);
    }
}

impl Kernel for Encode<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        encode_here(self.dtype, self.values, self.bytes);
    }
}

#[inline(always)]
fn decode_here(dtype: DType, bytes: &[u8], values: &mut [f32]) {
    check(dtype, bytes.len(), values.len());
    macro_rules! each {
        ($format:ident) => {{
            let (blocks, _) = bytes.as_chunks::<{ $format::BYTES }>();
            let (values, _) = values.as_chunks_mut::<{ $format::LEN }>();
            for (block, values) in blocks.iter().zip(values) {
                $format::decode(block, values);
            }
        }};
    }
    match dtype {
        DType::Q4_0 => each!(q4_0),
        DType::Q4_1 => each!(q4_1),
        DType::Q5_0 => each!(q5_0),
        DType::Q5_1 => each!(q5_1),
        DType::Q8_0 => each!(q8_0),
        DType::Q4_K => each!(q4_k),
        DType::Q5_K => each!(q5_k),
        DType::Q6_K => each!(q6_k),
        _ => unreachable!("checked above"),
    }
}

#[inline(always)]
fn encode_here(dtype: DType, values: &[f32], bytes: &mut [u8]) {
    check(dtype, bytes.len(), values.len());
    macro_rules! each {
        ($format:ident) => {{
            let (values, _) = values.as_chunks::<{ $format::LEN }>();
            let (blocks, _) = bytes.as_chunks_mut::<{ $format::BYTES }>();
            for (values, block) in values.iter().zip(blocks) {
                $format::encode(values, block);
            }
        }};
    }
    match dtype {
        DType::Q4_0 => each!(q4_0),
        DType::Q4_1 => each!(q4_1),
        DType::Q5_0 => each!(q5_0),
        DType::Q5_1 => each!(q5_1),
        DType::Q8_0 => each!(q8_0),
        DType::Q4_K => each!(q4_k),
        DType::Q5_K => each!(q5_k),
        DType::Q6_K => each!(q6_k),
        _ => unreachable!("checked above"),
    }
}

#[inline(always)]
fn check(dtype: DType, bytes: usize, values: usize) {
    assert!(dtype.is_block(), "{dtype} is no block format");
    assert_eq!(dtype.bytes_for(values), Some(bytes), "whole blocks of {dtype}");
}

/// The half at byte `at` of a block.
#[inline(always)]
fn half_at(block: &[u8], at: usize) -> f32 {
    f16::from_le_bytes([block[at], block[at + 1]]).to_f32()
}

/// Stores a half at byte `at` of a block and returns what was stored. Too large a number
/// becomes the largest half.
#[inline(always)]
fn put_half(block: &mut [u8], at: usize, value: f32) -> f32 {
    let half = f16::from_f32(value.clamp(-65504.0, 65504.0));
    block[at..at + 2].copy_from_slice(&half.to_le_bytes());
    half.to_f32()
}

#[cfg(test)]
mod tests;
