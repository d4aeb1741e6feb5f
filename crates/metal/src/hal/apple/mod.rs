//! Metal as Apple makes it. Every entry from Rust has an autorelease pool of its own, so that nothing piles
//! up on threads that have none.

mod buffer;
mod capture;
mod commands;
mod device;
mod library;
mod residency;

pub use buffer::Buffer;
pub use commands::{Commands, Encoder, Queue};
pub use device::{Device, names};
pub use library::{Library, Pipeline};

use super::{Fault, Hal};
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
}

/// An error in its own words.
fn fault(error: &NSError) -> Fault {
    Fault::new(error.localizedDescription().to_string())
}
