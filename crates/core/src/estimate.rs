//! How much memory weights and caches will take, before anything is allocated.

use crate::{DType, Error, Result};

/// The bytes of a tensor of `dtype` with rows of `width`.
///
/// ```
/// use bessemer_core::{DType, estimate};
///
/// assert_eq!(estimate::tensor(DType::Q4_0, 4096, 4096)?, 9_437_184);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
pub fn tensor(dtype: DType, rows: usize, width: usize) -> Result<usize> {
    dtype.bytes_for(width).and_then(|row| row.checked_mul(rows)).ok_or_else(|| {
        Error::view(format!("estimate: {rows} rows of {width} {dtype} are too many bytes, or not whole blocks of {}",
            dtype.block_len()
        ))
    })
}

/// The shape of a model's key and value cache.
///
/// ```
/// use bessemer_core::{DType, estimate::KvCache};
///
/// let half = KvCache { layers: 32, heads: 8, head_size: 128, context: 8192, dtype: DType::F16 };
/// let small = KvCache { dtype: DType::Q8_0, ..half };
/// assert_eq!(half.bytes()?, 1 << 30);
/// assert_eq!(small.bytes()?, (1 << 30) / 64 * 34);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KvCache {
    /// Layers with attention.
    pub layers: usize,
    /// Heads of keys and values per layer.
    pub heads: usize,
    /// Elements of one head.
    pub head_size: usize,
    /// Tokens it has room for.
    pub context: usize,
    /// How elements are stored.
    pub dtype: DType,
}

impl KvCache {
    /// The bytes of keys and values together.
    ///
    /// ```
    /// use bessemer_core::{DType, estimate::KvCache};
    ///
    /// let cache =
    ///     KvCache { layers: 30, heads: 3, head_size: 64, context: 2048, dtype: DType::F16 };
    /// assert_eq!(cache.bytes()?, 47_185_920);
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn bytes(&self) -> Result<usize> {
        let rows = self.layers.checked_mul(self.heads).and_then(|n| n.checked_mul(self.context));
        let rows = rows.and_then(|n| n.checked_mul(2)).unwrap_or(usize::MAX);
        tensor(self.dtype, rows, self.head_size)
    }
}
