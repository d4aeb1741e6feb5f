//! The binary archive: pipelines of earlier runs, in the user's cache folder, so that they need not be
//! compiled again.

use super::fault;
use crate::hal::{Result, replace::replace};
use objc2::{rc::Retained, runtime::ProtocolObject};
use objc2_foundation::{NSArray, NSProcessInfo, NSString, NSURL};
use objc2_metal::{
    MTLBinaryArchive, MTLBinaryArchiveDescriptor, MTLComputePipelineDescriptor,
    MTLComputePipelineState, MTLDevice, MTLPipelineOption,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

type Gpu = ProtocolObject<dyn MTLDevice>;
type Binary = Retained<ProtocolObject<dyn MTLBinaryArchive>>;
type State = Retained<ProtocolObject<dyn MTLComputePipelineState>>;

/// Pipelines of earlier runs, on disk. Whatever is wrong with it, kernels are compiled then.
pub(super) struct Archive {
    path: Option<PathBuf>,
    /// What earlier runs have left. Nothing is added to it: that is the file's business.
    known: Mutex<Option<Binary>>,
    /// What was compiled since, for the file.
    new: Mutex<Vec<Retained<MTLComputePipelineDescriptor>>>,
}

/// Bytes from which on a file has too much that nobody uses any more: a new one takes its place.
const MOST: u64 = 64 << 20;

// SAFETY: the archive and the descriptors are only touched under their locks.
unsafe impl Send for Archive {}
// SAFETY: as above.
unsafe impl Sync for Archive {}

impl Archive {
    pub(super) fn open(gpu: &Gpu) -> Archive {
        let path = path(gpu);
        let known = path.as_deref().and_then(|path| opened(gpu, path));
        Archive { path, known: Mutex::new(known), new: Mutex::default() }
    }

    /// A pipeline, from the file or compiled. Threads compile side by side.
    pub(super) fn pipeline(
        &self,
        gpu: &Gpu,
        descriptor: Retained<MTLComputePipelineDescriptor>,
    ) -> Result<State> {
        let make = |options| {
            gpu.newComputePipelineStateWithDescriptor_options_reflection_error(
                &descriptor,
                options,
                None,
            )
        };
        if let Some(archive) = &*held(&self.known) {
            descriptor.setBinaryArchives(Some(&NSArray::from_slice(&[&**archive])));
            if let Ok(state) = make(MTLPipelineOption::FailOnBinaryArchiveMiss) {
                return Ok(state);
            }
            descriptor.setBinaryArchives(None);
        }
        let made = make(MTLPipelineOption::empty()).map_err(|error| fault(&error))?;
        if self.path.is_some() {
            held(&self.new).push(descriptor);
        }
        Ok(made)
    }

    /// Adds what is new to the file, and to what other processes have added meanwhile.
    pub(super) fn keep(&self, gpu: &Gpu) {
        let new = std::mem::take(&mut *held(&self.new));
        let Some(path) = self.path.as_deref().filter(|_| !new.is_empty()) else { return };
        replace(path, |old, to| {
            let fresh = || {
                gpu.newBinaryArchiveWithDescriptor_error(&MTLBinaryArchiveDescriptor::new()).ok()
            };
            // Damaged or too large: a new one takes its place.
            let Some(archive) = old.and_then(|old| opened(gpu, old)).or_else(fresh) else {
                return false;
            };
            for descriptor in &new {
                // What cannot be kept is compiled the next time.
                let _ = archive.addComputePipelineFunctionsWithDescriptor_error(descriptor);
            }
            archive.serializeToURL_error(&url(to)).is_ok()
        });
    }
}

fn held<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the file is: code is made for a GPU by a system. Within the file it is found by the source and
/// constants it was made from.
fn path(gpu: &Gpu) -> Option<PathBuf> {
    let home = env::var_os("HOME")?;
    let system = NSProcessInfo::processInfo().operatingSystemVersionString();
    let plain = |text: &NSString| -> String {
        text.to_string().chars().filter(char::is_ascii_alphanumeric).collect()
    };
    let (gpu, system) = (plain(&gpu.name()), plain(&system));
    let folder = PathBuf::from(home).join("Library/Caches/bessemer");
    fs::create_dir_all(&folder).ok()?;
    let version = env!("CARGO_PKG_VERSION");
    Some(folder.join(format!("{gpu}-{system}-{version}.metalarchive")))
}

/// The archive of a file, unless it is damaged or too large.
fn opened(gpu: &Gpu, path: &Path) -> Option<Binary> {
    fs::metadata(path).ok().filter(|file| file.len() <= MOST)?;
    let descriptor = MTLBinaryArchiveDescriptor::new();
    descriptor.setUrl(Some(&url(path)));
    gpu.newBinaryArchiveWithDescriptor_error(&descriptor).ok()
}

fn url(path: &Path) -> Retained<NSURL> {
    NSURL::fileURLWithPath(&NSString::from_str(&path.to_string_lossy()))
}
