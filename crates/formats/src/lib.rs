//! Storage formats of numbers: [`DType`] and the block formats, bit for bit as in GGUF.
//!
//! Each block format has one folder with everything about it: its layout, how it is decoded
//! and encoded, how vector kernels unpack it, and its MSL and WGSL source. [`each_format!`] is the
//! list of them; code that depends on all formats is generated from it.
//!
//! There are two kinds: `scale · (level - offset)`, plus a minimum in some, and a codebook, whose
//! values are the levels. So kernels are written once, generic over [`Format`].
//!
//! ```
//! use bessemer_formats::{DType, decode, encode};
//!
//! // One block: a scale in half precision and 32 levels of 4 bits.
//! let values = [0.5f32; 32];
//! let mut block = [0; 18];
//! encode(DType::Q4_0, &values, &mut block);
//! let mut back = [0.0; 32];
//! decode(DType::Q4_0, &block, &mut back);
//! assert!(back.iter().all(|x| (x - 0.5).abs() < 1e-3));
//! ```

mod codec;
mod dtype;
mod fit;
mod format;
mod halves;
mod k_scales;
mod list;
pub mod msl;
mod short;
#[cfg(test)]
mod tests;
pub mod wgsl;

pub mod iq4_nl;
pub mod q3_k;
pub mod q4_0;
pub mod q4_1;
pub mod q4_k;
pub mod q5_0;
pub mod q5_1;
pub mod q5_k;
pub mod q6_k;
pub mod q8_0;

#[cfg(target_arch = "aarch64")]
pub mod arm;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod portable;
#[cfg(target_arch = "x86_64")]
pub mod x86;

pub use codec::{Decode, Encode, decode, encode};
pub use dtype::{DType, UnknownDType};
pub use format::{Format, GROUP, Grouped};

#[cfg(target_arch = "aarch64")]
use arm::Vectors;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use portable::Vectors;
#[cfg(target_arch = "x86_64")]
use x86::Vectors;

macro_rules! export {
    (() $([$module:ident $name:ident $doc:literal])*) => {
        $(pub use $module::$name;)*
    };
}
each_format! { export () }
