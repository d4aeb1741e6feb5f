//! Residency sets: buffers that stay wired between requests, where the system has them (macOS 15, iOS 18).

use crate::hal::ledger::{Ledger, Wirable};
use objc2::{
    rc::Retained,
    runtime::{NSObjectProtocol, ProtocolObject},
    sel,
};
use objc2_foundation::NSString;
use objc2_metal::{
    MTLBuffer, MTLCommandQueue, MTLDevice, MTLResidencySet, MTLResidencySetDescriptor,
};
use std::sync::{Mutex, MutexGuard, PoisonError};

type Memory = Retained<ProtocolObject<dyn MTLBuffer>>;

/// The buffers of a device, as many as the system recommends to have wired.
pub(super) struct Residency(Mutex<Set>);

struct Set {
    set: Retained<ProtocolObject<dyn MTLResidencySet>>,
    ledger: Ledger<Memory>,
}

impl Wirable for Memory {
    fn bytes(&self) -> usize {
        self.length()
    }

    fn is(&self, other: &Memory) -> bool {
        Retained::as_ptr(self) == Retained::as_ptr(other)
    }
}

// SAFETY: the set is only touched under its lock.
unsafe impl Send for Residency {}
// SAFETY: as above.
unsafe impl Sync for Residency {}

impl Residency {
    pub(super) fn new(gpu: &ProtocolObject<dyn MTLDevice>, limit: usize) -> Option<Residency> {
        if !gpu.respondsToSelector(sel!(newResidencySetWithDescriptor:error:)) {
            return None;
        }
        let descriptor = MTLResidencySetDescriptor::new();
        descriptor.setLabel(Some(&NSString::from_str("bessemer")));
        let set = gpu.newResidencySetWithDescriptor_error(&descriptor).ok()?;
        Some(Residency(Mutex::new(Set { set, ledger: Ledger::new(limit) })))
    }

    /// Makes a queue use it.
    pub(super) fn attach(&self, queue: &ProtocolObject<dyn MTLCommandQueue>) {
        queue.addResidencySet(&self.state().set);
    }

    /// Asks the system to wire it, or to keep it wired.
    pub(super) fn request(&self) {
        self.state().set.requestResidency();
    }

    pub(super) fn add(&self, buffer: &Memory) {
        let Set { set, ledger } = &mut *self.state();
        if ledger.add(buffer) {
            set.addAllocation(ProtocolObject::from_ref(&**buffer));
            set.commit();
            set.requestResidency();
        }
    }

    pub(super) fn remove(&self, buffer: &Memory) {
        let Set { set, ledger } = &mut *self.state();
        let (wired, others) = ledger.remove(buffer);
        if wired {
            set.removeAllocation(ProtocolObject::from_ref(&**buffer));
        }
        for other in &others {
            set.addAllocation(ProtocolObject::from_ref(&**other));
        }
        if wired {
            set.commit();
        }
    }

    fn state(&self) -> MutexGuard<'_, Set> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
