//! GPU captures for Xcode, of everything that a device runs.

use crate::hal::{Fault, Result};
use objc2::{
    rc::{Retained, autoreleasepool},
    runtime::ProtocolObject,
};
use objc2_foundation::{NSString, NSURL};
use objc2_metal::{MTLCaptureDescriptor, MTLCaptureDestination, MTLCaptureManager, MTLDevice};
use std::path::Path;

/// A capture that ends when it is dropped.
pub(super) struct Capture(Retained<MTLCaptureManager>);

// SAFETY: the manager is one object for the whole process, which any thread may ask.
unsafe impl Send for Capture {}
// SAFETY: as above.
unsafe impl Sync for Capture {}

impl Capture {
    /// Starts one that goes to the file `path`.
    pub(super) fn start(
        gpu: &Retained<ProtocolObject<dyn MTLDevice>>,
        path: &Path,
    ) -> Result<Capture> {
        let path = path.to_string_lossy();
        // SAFETY: it is there on every system with Metal.
        let manager = unsafe { MTLCaptureManager::sharedCaptureManager() };
        let descriptor = MTLCaptureDescriptor::new();
        let object: &objc2::runtime::AnyObject = (**gpu).as_ref();
        // SAFETY: a device is one of the objects that can be captured.
        unsafe { descriptor.setCaptureObject(Some(object)) };
        descriptor.setDestination(MTLCaptureDestination::GPUTraceDocument);
        descriptor.setOutputURL(Some(&NSURL::fileURLWithPath(&NSString::from_str(&path))));
        match manager.startCaptureWithDescriptor_error(&descriptor) {
            Ok(()) => Ok(Capture(manager)),
            Err(error) => {
                let why = error.localizedDescription();
                let hint = "set METAL_CAPTURE_ENABLED=1, and name a file that is not there yet";
                Err(Fault::new(format!("capture to {path}: {why}; {hint}")))
            }
        }
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        autoreleasepool(|_| self.0.stopCapture());
    }
}
