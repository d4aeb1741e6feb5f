//! Whole runs of blocks to numbers and back: the scalar meaning of every format, compiled for each
//! instruction set.

use crate::{DType, Format, Grouped, with_format};
use bessemer_simd::{Arch, Kernel};

/// Decodes whole blocks of `dtype`.
///
/// # Panics
/// If `bytes` is not as many blocks as `values` has elements, or `dtype` is no block format.
///
/// ```
/// use bessemer_formats::{DType, decode};
///
/// // The scale is 0.5 (0x3800 as a half), then 32 levels.
/// let mut block = [3; 34];
/// block[..2].copy_from_slice(&[0x00, 0x38]);
/// let mut values = [0.0; 32];
/// decode(DType::Q8_0, &block, &mut values);
/// assert_eq!(values, [1.5; 32]);
/// ```
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
/// use bessemer_formats::{DType, decode, encode};
///
/// let values: Vec<f32> = (0..32).map(|i| i as f32 - 16.0).collect();
/// let (mut bytes, mut back) = ([0; 34], [0.0; 32]);
/// encode(DType::Q8_0, &values, &mut bytes);
/// decode(DType::Q8_0, &bytes, &mut back);
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
///
/// ```
/// use bessemer_formats::{DType, Decode};
/// use bessemer_simd::Isa;
///
/// let mut values = [1.0; 256];
/// Isa::best().run(Decode { dtype: DType::Q6_K, bytes: &[0; 210], values: &mut values });
/// assert_eq!(values, [0.0; 256]);
/// ```
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
    with_format!(dtype, F => {
        let (blocks, _) = bytes.as_chunks::<{ <F as Grouped>::BYTES }>();
        let (values, _) = values.as_chunks_mut::<{ <F as Format>::LEN }>();
        blocks.iter().zip(values).for_each(|(block, values)| F::decode(block, values));
    });
}

#[inline(always)]
fn encode_here(dtype: DType, values: &[f32], bytes: &mut [u8]) {
    check(dtype, bytes.len(), values.len());
    with_format!(dtype, F => {
        let (values, _) = values.as_chunks::<{ <F as Format>::LEN }>();
        let (blocks, _) = bytes.as_chunks_mut::<{ <F as Grouped>::BYTES }>();
        values.iter().zip(blocks).for_each(|(values, block)| F::encode(values, block));
    });
}

#[inline(always)]
fn check(dtype: DType, bytes: usize, values: usize) {
    assert!(dtype.is_block(), "{dtype} is no block format");
    assert_eq!(dtype.bytes_for(values), Some(bytes), "whole blocks of {dtype}");
}
