//! The CPU devices: [`Reference`], which defines what every op means, and [`Cpu`], which is fast.
//!
//! Mechanics only: memory, threads, the order of ops. No code for any particular op lives here.

#[cfg(unix)]
mod container;
mod device;
#[cfg(target_os = "linux")]
mod large_pages;
mod machine;
mod memory;
mod reference;
mod store;
mod team;

pub use device::{Cpu, CpuOptions};
pub use reference::Reference;
