//! The HAL on Apple's Metal. Every call from Rust has its own autorelease pool, so that nothing accumulates
//! on threads without one; encoders are used within the one of a whole submission.

mod archive;
mod buffer;
mod capture;
mod commands;
mod copies;
mod device;
mod event;
mod library;
mod residency;

pub use buffer::Buffer;
pub use commands::{Commands, Encoder, Queue};
pub use device::{Device, names};
pub use event::Event;
pub use library::{Library, Pipeline};

use super::{Fault, Hal};
use objc2::rc::autoreleasepool;
use objc2_foundation::NSError;

/// Metal on Apple's systems.
#[derive(Debug)]
pub struct Apple;

impl Hal for Apple {
    type Device = Device;
    type Queue = Queue;
    type Library = Library;
    type Pipeline = Pipeline;
    type Buffer = Buffer;
    type Commands = Commands;
    type Encoder = Encoder;
    type Event = Event;

    fn entry<R>(call: impl FnOnce() -> R) -> R {
        autoreleasepool(|_| call())
    }
}

/// An error in its own words.
fn fault(error: &NSError) -> Fault {
    Fault::new(error.localizedDescription().to_string())
}
