//! The trait that block formats implement.

use crate::{DType, Vectors, wgsl::Wgsl};

/// Values that share a step of the activations, and a scale of the weights or two.
pub const GROUP: usize = 32;

/// How kernels see weights: in groups of 32 values, of which each is `d · (level - OFFSET)`, plus a
/// minimum `m` where there are any. Codebooks fit too: their levels are the values of the book.
///
/// Numbers only, so that kernels can see dense weights in the same way.
pub trait Grouped: 'static {
    /// The dtype.
    const DTYPE: DType;
    /// What is subtracted from levels.
    const OFFSET: i32;
    /// Whether groups have minima.
    const MINS: bool;
    /// Whether each half of a group has its own scale.
    const HALVES: bool;
    /// The largest magnitude of a level.
    const TOP: i32;
    /// Whether levels go below zero.
    const SIGNED: bool;
    /// Bytes of a level when it is unpacked, and of an activation that meets it.
    const LEVEL: usize = 1;
    /// Groups in a block: one, or eight.
    const GROUPS: usize;
    /// Bytes of a block.
    const BYTES: usize;
    /// Scales (and minima) of a group.
    const SCALES: usize = if Self::MINS || Self::HALVES { 2 } else { 1 };
    /// Sums of activations that offsets need, per group.
    const STARTS: usize = if Self::HALVES { 2 } else { 1 };
}

/// A block format: its layout, and how it is read and written by whom.
///
/// A block of one group starts with its scale, and its minimum if it has one, as halves.
///
/// ```
/// use bessemer_formats::{Format, Q8_0};
///
/// let mut values = [0.0; 32];
/// values[31] = 127.0;
/// let mut block = [0; 34];
/// Q8_0::encode(&values, &mut block);
/// assert_eq!(Q8_0::scales(&block)[0][0], 1.0);
/// assert_eq!(Q8_0::levels(&block, 0)[31], 127);
/// ```
pub trait Format: Grouped + Vectors {
    /// Elements of a block.
    const LEN: usize = Self::GROUPS * GROUP;
    /// Its number in GGUF files.
    const GGUF: u32;
    /// Its text in WGSL. That in MSL is in [`msl`](crate::msl).
    const WGSL: Wgsl;

    /// The bytes of a block.
    type Block;
    /// Its values.
    type Values;

    /// What a block means.
    fn decode(block: &Self::Block, values: &mut Self::Values);

    /// The nearest block to `values` that the format's search finds. The same bytes on every device.
    fn encode(values: &Self::Values, block: &mut Self::Block);

    /// For each group of a block: `[d, m]` where there are minima, both halves' `d` where these have
    /// their own, else `[d, _]`.
    fn scales(block: &[u8]) -> [[f32; 2]; 8];

    /// The levels of a group of a block.
    fn levels(block: &[u8], group: usize) -> [i8; GROUP];
}
