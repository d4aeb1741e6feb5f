//! The vocabulary of bessemer: what numbers are made of ([`DType`]), where they lie ([`Buffer`],
//! [`View`]), what is asked ([`Operation`], [`Batch`]) and of whom ([`Device`]).
//!
//! No kernels live here, and nothing about any particular op or device.

mod batch;
mod buffer;
pub mod contract;
pub mod cpu;
mod device;
mod element;
mod error;
pub mod estimate;
pub mod gpu;
mod host;
mod layout;
mod operation;
mod pool;
mod shape;
mod trace;
mod view;
mod walk;

pub use batch::Batch;
pub use bessemer_formats::{DType, UnknownDType};
pub use buffer::{Buffer, HostMemory, Memory, Slice};
pub use device::{Device, DeviceId, DeviceInfo, DeviceKind, Stats, Ticket};
pub use element::Element;
#[doc(hidden)]
pub use error::bracketed;
pub use error::{Error, Result};
pub use host::Host;
pub use layout::Layout;
pub use operation::{Access, Cost, Operation};
pub use pool::{Pool, PoolLimits, PoolStats};
pub use shape::{MAX_RANK, Shape, Strides};
pub use trace::{Trace, TraceEvent};
pub use view::View;
