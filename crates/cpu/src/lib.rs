//! The CPU devices: [`Reference`], which defines the result of every op, and [`Cpu`], which is fast.
//!
//! This crate has memory, the thread pool and the order of ops, and no code for any particular op.
//!
//! ```
//! use bessemer_core::{Device, DeviceKind, Slice};
//! use bessemer_cpu::{Cpu, Reference};
//!
//! let devices: [&dyn Device; 2] = [&Reference::new(), &Cpu::open(Default::default())?];
//! for device in devices {
//!     let buffer = device.alloc(3)?;
//!     device.write(&Slice::all(&buffer), b"abc")?;
//!     assert!(matches!(device.info().kind, DeviceKind::Reference | DeviceKind::Cpu));
//! }
//! # Ok::<(), bessemer_core::Error>(())
//! ```

#[cfg(unix)]
mod container;
mod device;
#[cfg(target_os = "linux")]
mod large_pages;
mod machine;
mod memory;
mod reference;
mod store;
mod submission;
mod thread_pool;

pub use device::{Cpu, CpuOptions};
pub use reference::Reference;
