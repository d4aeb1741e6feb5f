//! The formats in WGSL.

use crate::{DType, Format, with_format};

/// The text of a format. In all of it `_W` stands for the name of the operand.
#[derive(Clone, Copy, Debug)]
pub struct Wgsl {
    /// For a block whose first half of a word is at `base`: `levels_W(base, q)` are elements `4q` to
    /// `4q + 3` as whole numbers, `head_W(base, q)` the step and the start that make numbers of them.
    /// It reads by `half_W` and `word_W`.
    pub decode: &'static str,
    /// `block()`, which makes `block_bytes` of `block_values`, and what it needs but [`FIT`].
    pub encode: &'static str,
    /// How runs are taken into registers, where that is not all of a block.
    pub held: Option<Held>,
}

/// How a run of 32 elements of a longer block is taken into registers: what lies in between is left out.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Pieces of the block that are kept as words of `held_W`: where each starts, in halves of words
    /// from `at`, and how many it has. `here_W` is the number of the run in its block.
    pub pieces: &'static [(&'static str, usize)],
    /// What else is done when a run is fetched; `half_W(at)` reads a half of a word.
    pub fetch: &'static str,
    /// Functions of the format that are wanted for what is held: with `_block_W` for `_W`.
    pub block: &'static str,
    /// `levels_W(q)` and `head_W(q)` of the run. `PIECE0`, `PIECE1`, … are where the pieces start in
    /// `held_W`.
    pub text: &'static str,
}

/// The search for the nearest block that all encoders share. `LEN` and `BYTES` stand for those of the
/// block.
pub const FIT: &str = include_str!("fit/fit.wgsl");

/// The text of a block format.
///
/// # Panics
/// If `dtype` is not a block format.
pub fn of(dtype: DType) -> Wgsl {
    with_format!(dtype, F => <F as Format>::WGSL)
}
