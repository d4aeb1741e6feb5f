//! Residency sets: buffers that stay wired between requests, where the system has them (macOS 15, iOS 18).

use objc2::{
    rc::Retained,
    runtime::{NSObjectProtocol, ProtocolObject},
    sel,
};
use objc2_foundation::NSString;
use objc2_metal::{
    MTLBuffer, MTLCommandQueue, MTLDevice, MTLResidencySet, MTLResidencySetDescriptor,
};
use std::sync::{Mutex, PoisonError};

/// All buffers of a device.
pub(super) struct Residency(Mutex<Retained<ProtocolObject<dyn MTLResidencySet>>>);

// SAFETY: the set is only touched under its lock.
unsafe impl Send for Residency {}
// SAFETY: as above.
unsafe impl Sync for Residency {}

impl Residency {
    pub(super) fn new(gpu: &ProtocolObject<dyn MTLDevice>) -> Option<Residency> {
        if !gpu.respondsToSelector(sel!(newResidencySetWithDescriptor:error:)) {
            return None;
        }
        let descriptor = MTLResidencySetDescriptor::new();
        descriptor.setLabel(Some(&NSString::from_str("bessemer")));
        let set = gpu.newResidencySetWithDescriptor_error(&descriptor).ok()?;
        set.requestResidency();
        Some(Residency(Mutex::new(set)))
    }

    /// Makes a queue use it.
    pub(super) fn attach(&self, queue: &ProtocolObject<dyn MTLCommandQueue>) {
        queue.addResidencySet(&self.set());
    }

    pub(super) fn add(&self, buffer: &ProtocolObject<dyn MTLBuffer>) {
        let set = self.set();
        set.addAllocation(ProtocolObject::from_ref(buffer));
        set.commit();
    }

    pub(super) fn remove(&self, buffer: &ProtocolObject<dyn MTLBuffer>) {
        let set = self.set();
        set.removeAllocation(ProtocolObject::from_ref(buffer));
        set.commit();
    }

    fn set(&self) -> std::sync::MutexGuard<'_, Retained<ProtocolObject<dyn MTLResidencySet>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
