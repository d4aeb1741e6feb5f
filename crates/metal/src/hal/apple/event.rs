//! Counters that command buffers set.

use crate::hal::{self, Fault, Result};
use objc2::{rc::Retained, runtime::ProtocolObject};
use objc2_foundation::NSString;
use objc2_metal::{MTLDevice, MTLEvent, MTLSharedEvent};

/// An event that the CPU can look at.
pub struct Event(Retained<ProtocolObject<dyn MTLSharedEvent>>);

impl Event {
    pub(super) fn new(gpu: &ProtocolObject<dyn MTLDevice>) -> Result<Event> {
        let event = gpu.newSharedEvent().ok_or_else(|| Fault::new("no event"))?;
        event.setLabel(Some(&NSString::from_str("bessemer submissions")));
        Ok(Event(event))
    }

    /// As command buffers take it.
    pub(super) fn as_event(&self) -> &ProtocolObject<dyn MTLEvent> {
        ProtocolObject::from_ref(&*self.0)
    }
}

impl hal::Event for Event {
    fn reached(&self) -> u64 {
        self.0.signaledValue()
    }
}
