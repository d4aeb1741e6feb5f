//! The Metal device: memory, pipelines, command buffers and synchronisation.
//!
//! [`hal`] has Metal's own objects, as Apple makes them and as softmetal does; all else stands above
//! it and is the same for both. There is no code for any particular op here: what runs is what
//! [`Operation::metal`](bessemer_core::Operation::metal) says.

// Where there is no implementation of Metal there is nothing to stand above.
#![cfg(any(target_vendor = "apple", all(unix, feature = "soft")))]

mod bandwidth;
mod chips;
mod device;
pub mod hal;
mod hazards;
mod memory;
mod options;
mod parts;
mod pipelines;
mod plan;
mod progress;
mod submission;
mod submit;
mod warmth;
mod warmup;

pub use device::Metal;
pub use options::MetalOptions;
pub use submit::Counters;
