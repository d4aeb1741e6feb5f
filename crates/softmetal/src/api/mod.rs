//! The device as Metal shapes it: libraries, functions, pipelines, buffers, queues, encoders.

mod blit;
mod buffer;
mod command_buffer;
mod compute;
mod device;
mod dispatch;
mod event;
mod function;
mod library;
mod memory;
mod pipeline;
mod profile;
mod queue;
mod room;
mod running;

pub use blit::BlitEncoder;
pub use buffer::{Buffer, StorageMode};
pub use command_buffer::{CommandBuffer, Status};
pub use compute::{ComputeEncoder, DispatchType, Size};
pub use device::{Device, DeviceOptions, Family, Observer};
pub use event::{Fence, SharedEvent};
pub use function::{ConstantValue, Function, FunctionConstants};
pub use library::{CompileOptions, Library};
pub use memory::Memory;
pub use pipeline::{Argument, ArgumentKind, ComputePipeline, PipelineOptions};
pub use profile::Profile;
pub use queue::CommandQueue;
