//! Dense weights as if they came in blocks of a group, for kernels that make integers of them. Their
//! levels are two bytes and get a scale per group when they are unpacked.

use bessemer_core::DType;
use bessemer_formats::{GROUP, Grouped};

macro_rules! dense {
    ($($name:ident)*) => {$(
        pub(super) struct $name;

        impl Grouped for $name {
            const DTYPE: DType = DType::$name;
            const OFFSET: i32 = 0;
            const MINS: bool = false;
            const HALVES: bool = false;
            const TOP: i32 = 8191;
            const SIGNED: bool = true;
            const LEVEL: usize = 2;
            const GROUPS: usize = 1;
            const BYTES: usize = 2 * GROUP;
            const STARTS: usize = 0;
        }
    )*};
}

dense!(F16 BF16);
