//! The vectorised interpreter of programs on the CPU: a block of lanes at a time, with registers as
//! arrays over the lanes.
//!
//! A program is compiled once ([`Code`]). In map form its lanes are the elements of a box of the
//! domain ([`Domain`]); in kernel form they are the threads of a threadgroup ([`Grid`]). The
//! caller distributes the work over threads.

mod access;
mod axes;
mod code;
mod domain;
mod flow;
mod grid;
mod kernels;
mod lanes;
mod machine;
mod memory;
mod slots;

pub use axes::{Axes, Steps, Window};
pub use code::Code;
pub use domain::{Binding, Box2, Domain, ViewAt, Worker};
pub use grid::{BufferAt, Grid};
pub use lanes::Yielded;

/// The most lanes that run together: a threadgroup is no larger, and a register of them is a
/// twelfth of a usual first-level cache.
pub const LANES: usize = 1024;

/// Whether elements are stored as registers hold them, so that they can be used in place.
const fn is_plain(dtype: bessemer_core::DType) -> bool {
    use bessemer_core::DType;
    matches!(dtype, DType::F32 | DType::I32 | DType::U32 | DType::F64 | DType::I64 | DType::U64)
}
