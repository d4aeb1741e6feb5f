//! Pipelines of earlier runs, in a file of the user's cache folder, which spares compiling them again.

use super::fault;
use crate::hal::{Fault, Result};
use objc2::{
    rc::{Retained, autoreleasepool},
    runtime::ProtocolObject,
};
use objc2_foundation::{NSArray, NSProcessInfo, NSString, NSURL};
use objc2_metal::{
    MTLBinaryArchive, MTLBinaryArchiveDescriptor, MTLComputePipelineDescriptor,
    MTLComputePipelineState, MTLDevice, MTLPipelineOption,
};
use std::{
    env,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

type Gpu = ProtocolObject<dyn MTLDevice>;

/// Pipelines of earlier runs, on disk. Whatever is wrong with it, kernels are compiled then.
pub(super) struct Archive {
    state: Mutex<Option<Opened>>,
}

struct Opened {
    archive: Retained<ProtocolObject<dyn MTLBinaryArchive>>,
    path: PathBuf,
    /// Whether it has more than the file.
    grown: bool,
}

/// Bytes from which on a file has too much that nobody uses any more: a new one takes its place.
const MOST: u64 = 64 << 20;

// SAFETY: the archive is only touched under its lock.
unsafe impl Send for Archive {}
// SAFETY: as above.
unsafe impl Sync for Archive {}

impl Archive {
    pub(super) fn open(gpu: &Gpu) -> Archive {
        Archive { state: Mutex::new(Opened::new(gpu)) }
    }

    /// Writes what is new to its file.
    pub(super) fn keep(&self) {
        if let Some(opened) = &mut *self.state() {
            opened.keep();
        }
    }

    pub(super) fn pipeline(
        &self,
        gpu: &Gpu,
        descriptor: &MTLComputePipelineDescriptor,
    ) -> Result<Retained<ProtocolObject<dyn MTLComputePipelineState>>> {
        if let Some(opened) = &mut *self.state() {
            let list = NSArray::from_slice(&[&*opened.archive]);
            descriptor.setBinaryArchives(Some(&list));
            let known = gpu.newComputePipelineStateWithDescriptor_options_reflection_error(
                descriptor,
                MTLPipelineOption::FailOnBinaryArchiveMiss,
                None,
            );
            if let Ok(state) = known {
                return Ok(state);
            }
            let added = opened.archive.addComputePipelineFunctionsWithDescriptor_error(descriptor);
            opened.grown |= added.is_ok();
        }
        let made = gpu.newComputePipelineStateWithDescriptor_options_reflection_error(
            descriptor,
            MTLPipelineOption::empty(),
            None,
        );
        made.map_err(|error: Retained<objc2_foundation::NSError>| -> Fault { fault(&error) })
    }

    fn state(&self) -> MutexGuard<'_, Option<Opened>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Opened {
    fn new(gpu: &Gpu) -> Option<Opened> {
        let home = env::var_os("HOME")?;
        // Code is made for a GPU by a system. Within the file it is found by the source and constants it
        // was made from.
        let system = NSProcessInfo::processInfo().operatingSystemVersionString();
        let plain = |text: &NSString| -> String {
            text.to_string().chars().filter(char::is_ascii_alphanumeric).collect()
        };
        let (gpu_name, system) = (plain(&gpu.name()), plain(&system));
        let folder = PathBuf::from(home).join("Library/Caches/bessemer");
        std::fs::create_dir_all(&folder).ok()?;
        let version = env!("CARGO_PKG_VERSION");
        let path = folder.join(format!("{gpu_name}-{system}-{version}.metalarchive"));
        let descriptor = MTLBinaryArchiveDescriptor::new();
        if std::fs::metadata(&path).is_ok_and(|file| file.len() <= MOST) {
            descriptor.setUrl(Some(&url(&path)));
        }
        let opened = gpu.newBinaryArchiveWithDescriptor_error(&descriptor).or_else(|_| {
            // Damaged: a new one takes its place.
            gpu.newBinaryArchiveWithDescriptor_error(&MTLBinaryArchiveDescriptor::new())
        });
        Some(Opened { archive: opened.ok()?, path, grown: false })
    }

    fn keep(&mut self) {
        if !std::mem::take(&mut self.grown) {
            return;
        }
        // Beside it first, so that a process that reads it now finds the old or the new one.
        let beside = self.path.with_extension(format!("{}.new", std::process::id()));
        let written = self.archive.serializeToURL_error(&url(&beside)).is_ok();
        if !written || std::fs::rename(&beside, &self.path).is_err() {
            let _ = std::fs::remove_file(&beside);
        }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        autoreleasepool(|_| self.keep());
    }
}

fn url(path: &std::path::Path) -> Retained<NSURL> {
    NSURL::fileURLWithPath(&NSString::from_str(&path.to_string_lossy()))
}
