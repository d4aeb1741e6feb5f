//! How numbers are stored: the kinds there are ([`DType`]), and the block formats, bit for bit as GGUF
//! has them.
//!
//! Each block format has one folder with all there is to know of it: its layout, how it is decoded
//! and encoded, how vector kernels unpack it, and its text in MSL and WGSL. [`each_format!`] is the
//! list of them; whatever must know them all is made from that.
//!
//! Two shapes cover all: `scale · (level - offset)`, plus a minimum in some, and a codebook, whose
//! values are the levels. So kernels are written once, generic over [`Format`].

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
