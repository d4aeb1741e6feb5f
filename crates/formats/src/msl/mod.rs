//! The formats in MSL. Each has `decode.metal` and `encode.metal` in its folder; kernels get all of
//! them, behind what they share.

use crate::{DType, each_format};

/// A file of this crate with its name for the compiler's messages.
macro_rules! piece {
    ($($file:expr),*) => {
        concat!("#line 1 \"formats/", $($file,)* "\"\n", include_str!(concat!("../", $($file),*)))
    };
}

macro_rules! texts {
    (() $([$module:ident $name:ident $doc:literal])*) => {
        /// The blocks as types of MSL, and how kernels read them: `element`, `part_of`, `levels_of`.
        /// It wants `LengthOf`, which has a specialisation for each.
        pub const DECODE: &str = concat!(
            piece!("msl/blocks.metal"),
            piece!("k_scales/decode.metal"),
            $(piece!(stringify!($module), "/decode.metal"),)*
            piece!("msl/elements.metal"),
        );

        /// For each format a function of its name in lower case, which makes a block of numbers. It
        /// turns off the fusing of products and sums, so that blocks are the same on every device.
        pub const ENCODE: &str = concat!(
            piece!("fit/fit.metal"),
            piece!("short/encode.metal"),
            piece!("k_scales/encode.metal"),
            $(piece!(stringify!($module), "/encode.metal"),)*
        );

        /// The type of a block in MSL; `None` for what is not a block format.
        pub const fn block_type(dtype: DType) -> Option<&'static str> {
            match dtype {
                $(DType::$name => Some(stringify!($name)),)*
                _ => None,
            }
        }
    };
}
each_format! { texts () }

/// Blocks of Q8_0 made by many threads, one for each pair of elements: what a cache is written by.
pub const ENCODE_Q8_0_BY_PAIRS: &str = piece!("q8_0/by_pairs.metal");
