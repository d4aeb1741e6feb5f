//! The core types of bessemer: element types ([`DType`]), memory ([`Buffer`], [`View`]), work
//! ([`Operation`], [`Batch`]) and the [`Device`] that runs it.
//!
//! There are no kernels here, and nothing about any particular op or device.
//!
//! ```
//! use bessemer_core::{DType, Device, Shape, View};
//!
//! let device = bessemer_cpu::Reference::new();
//! let buffer = device.alloc(48)?;
//! let matrix = View::new(&buffer, DType::F32, Shape::new(&[3, 4])?)?;
//! // Other views of the same memory; nothing is copied.
//! let column = matrix.narrow(1, 2..3)?.squeeze(1)?;
//! assert_eq!((column.offset(), column.strides()[0]), (8, 4));
//! assert!(column.overlaps(&matrix));
//! # Ok::<(), bessemer_core::Error>(())
//! ```

mod batch;
mod buffer;
pub mod contract;
pub mod cpu;
mod deadline;
mod device;
mod element;
mod error;
pub mod estimate;
pub mod gpu;
mod host;
mod layout;
mod number;
mod operation;
mod pool;
mod shape;
mod trace;
mod transfer;
mod view;
mod walk;

pub use batch::Batch;
pub use bessemer_formats::{DType, UnknownDType};
pub use buffer::{Buffer, HostMemory, Memory, Slice};
pub use deadline::{Deadline, Meter, TimeIsUp};
pub use device::{Capabilities, Device, DeviceId, DeviceInfo, DeviceKind, Stats, Ticket};
pub use element::{Element, Real};
#[doc(hidden)]
pub use error::bracketed;
pub use error::{Error, Result};
pub use host::Host;
pub use layout::Layout;
pub use num_complex::Complex;
pub use number::Number;
pub use operation::{Access, Cost, Operation};
pub use pool::{Pool, PoolLimits, PoolStats};
pub use shape::{MAX_RANK, Shape, Strides};
pub use trace::{Trace, TraceEvent};
pub use view::View;
