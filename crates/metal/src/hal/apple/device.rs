//! GPUs: enumeration and capabilities.

use super::{
    Apple, Buffer, Event, Library, Pipeline, Queue, archive::Archive, capture::Capture,
    copies::Copies, residency::Residency,
};
use crate::{
    chips::Chip,
    hal::{self, Facts, Fault, Result},
};
use bessemer_core::gpu::{Constant, GpuTraits};
use objc2::{
    rc::{Retained, autoreleasepool},
    runtime::ProtocolObject,
};
#[cfg(target_os = "macos")]
use objc2::{runtime::NSObjectProtocol, sel};
use objc2_foundation::{NSOperatingSystemVersion, NSProcessInfo};
#[cfg(target_os = "macos")]
use objc2_metal::MTLCopyAllDevices;
use objc2_metal::{MTLCreateSystemDefaultDevice, MTLDevice, MTLGPUFamily};
use std::{env, path::Path, sync::Arc};

/// A GPU of Apple's, or one that Apple's Metal drives.
pub struct Device {
    device: Retained<ProtocolObject<dyn MTLDevice>>,
    facts: Facts,
    residency: Option<Arc<Residency>>,
    /// Where the GPU has memory of its own.
    copies: Option<Copies>,
    archive: Archive,
    _capture: Option<Capture>,
}

type Gpu = ProtocolObject<dyn MTLDevice>;

/// The names of all GPUs.
pub fn names() -> Vec<String> {
    autoreleasepool(|_| all().iter().map(|gpu| gpu.name().to_string()).collect())
}

/// All GPUs.
#[cfg(target_os = "macos")]
fn all() -> Vec<Retained<Gpu>> {
    MTLCopyAllDevices().into_iter().collect()
}

/// The only GPU: older systems cannot list them.
#[cfg(not(target_os = "macos"))]
fn all() -> Vec<Retained<Gpu>> {
    MTLCreateSystemDefaultDevice().into_iter().collect()
}

impl Device {
    /// Opens the GPU whose name has `name` in it, or the system's choice; `capture` is a file for
    /// Xcode, with everything it runs.
    pub fn open(name: Option<&str>, capture: Option<&Path>) -> Result<Device> {
        autoreleasepool(|_| {
            let device = match name {
                // A program with no window may find that the system has not chosen.
                None => MTLCreateSystemDefaultDevice()
                    .or_else(|| all().into_iter().next())
                    .ok_or_else(|| Fault::new("this machine has no GPU that Metal knows")),
                Some(name) => {
                    let wanted = name.to_lowercase();
                    let is_it = |gpu: &Retained<Gpu>| {
                        gpu.name().to_string().to_lowercase().contains(&wanted)
                    };
                    all().into_iter().find(is_it).ok_or_else(|| {
                        let known = names().join(", ");
                        Fault::new(format!("no GPU is called `{name}`; there is {known}"))
                    })
                }
            }?;
            let capture = capture.map(|path| Capture::start(&device, path)).transpose()?;
            compile_on_all_cores(&device);
            let facts = facts(&device);
            let residency = Residency::new(&device, facts.working_set).map(Arc::new);
            let copies = if facts.unified { None } else { Some(Copies::new(&device)?) };
            let archive = Archive::open(&device);
            Ok(Device { device, facts, residency, copies, archive, _capture: capture })
        })
    }
}

impl hal::Device<Apple> for Device {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn queue(&self) -> Result<Queue> {
        autoreleasepool(|_| Queue::new(&self.device, self.residency.as_deref()))
    }

    fn event(&self) -> Result<Event> {
        autoreleasepool(|_| Event::new(&self.device))
    }

    fn buffer(&self, bytes: usize) -> Result<Buffer> {
        let (copies, residency) = (self.copies.as_ref(), self.residency.as_ref());
        autoreleasepool(|_| Buffer::new(&self.device, bytes, copies, residency))
    }

    fn buffer_of(&self, bytes: &[u8]) -> Result<Buffer> {
        let (copies, residency) = (self.copies.as_ref(), self.residency.as_ref());
        autoreleasepool(|_| Buffer::of(&self.device, bytes, copies, residency))
    }

    unsafe fn buffer_in_place(&self, memory: *mut u8, bytes: usize) -> Result<Buffer> {
        autoreleasepool(|_| {
            // SAFETY: who calls sees to it.
            unsafe { Buffer::in_place(&self.device, memory, bytes, self.residency.as_ref()) }
        })
    }

    fn library(&self, name: &str, source: &str) -> Result<Library> {
        autoreleasepool(|_| Library::new(&self.device, name, source))
    }

    fn pipeline(
        &self,
        library: &Library,
        entry: &str,
        constants: &[(u16, Constant)],
    ) -> Result<Pipeline> {
        autoreleasepool(|_| Pipeline::new(&self.device, &self.archive, library, entry, constants))
    }

    fn keep_pipelines(&self) {
        autoreleasepool(|_| self.archive.keep(&self.device));
    }

    fn cools(&self) -> bool {
        self.residency.is_some()
    }

    fn keep_warm(&self) {
        if let Some(residency) = &self.residency {
            autoreleasepool(|_| residency.request());
        }
    }
}

fn facts(gpu: &Gpu) -> Facts {
    let families = [
        ("Apple6", MTLGPUFamily::Apple6),
        ("Apple7", MTLGPUFamily::Apple7),
        ("Apple8", MTLGPUFamily::Apple8),
        ("Apple9", MTLGPUFamily::Apple9),
        ("Apple10", MTLGPUFamily::Apple10),
        ("Mac2", MTLGPUFamily::Mac2),
        ("Metal3", MTLGPUFamily::Metal3),
    ];
    let has = |family| gpu.supportsFamily(family);
    let mut features: Vec<String> =
        families.iter().filter(|(_, f)| has(*f)).map(|(name, _)| (*name).to_owned()).collect();
    let unified = gpu.hasUnifiedMemory();
    if unified {
        features.push("unified memory".to_owned());
    }
    // Apple's own GPUs from M1 on. Others have widths of their own, and paravirtual ones claim
    // reductions that give wrong results: they get the kernels that need none.
    let modern = has(MTLGPUFamily::Apple7);
    let name = gpu.name().to_string();
    let traits = GpuTraits {
        cores: Chip::of(&name).cores,
        name,
        simd_width: if modern { 32 } else { 1 },
        simd_reduce: modern,
        simd_matrix: modern,
        f16: true,
        bf16: knows_bfloat() && (modern || has(MTLGPUFamily::Metal3)),
        max_threads: gpu.maxThreadsPerThreadgroup().width as u32,
        max_threadgroup_bytes: gpu.maxThreadgroupMemoryLength() as u32,
        max_groups: u32::MAX,
        max_buffers: 30,
        max_binding_bytes: gpu.maxBufferLength() as u64,
        part_bytes: gpu.maxBufferLength() as u64,
        offset_alignment: 1,
    };
    Facts {
        traits,
        features,
        working_set: usize::try_from(gpu.recommendedMaxWorkingSetSize()).unwrap_or(usize::MAX),
        max_buffer: gpu.maxBufferLength(),
        unified,
        // SAFETY: `sysconf` only reads a number.
        page: usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(16384),
        software: false,
        system: format!(
            "{} {} ({})",
            env::consts::OS,
            NSProcessInfo::processInfo().operatingSystemVersionString(),
            env::consts::ARCH
        ),
    }
}

/// Lets Metal compile as many kernels at a time as there are cores, where it would take two.
fn compile_on_all_cores(gpu: &Gpu) {
    #[cfg(target_os = "macos")]
    if gpu.respondsToSelector(sel!(setShouldMaximizeConcurrentCompilation:)) {
        gpu.setShouldMaximizeConcurrentCompilation(true);
    }
    #[cfg(not(target_os = "macos"))]
    let _ = gpu;
}

/// Whether this system compiles MSL 3.1, which has `bfloat`.
fn knows_bfloat() -> bool {
    let major = if cfg!(target_os = "macos") { 14 } else { 17 };
    let version =
        NSOperatingSystemVersion { majorVersion: major, minorVersion: 0, patchVersion: 0 };
    NSProcessInfo::processInfo().isOperatingSystemAtLeastVersion(version)
}
