//! Libraries, pipelines, and the archive on disk that spares compiling them again.

use super::fault;
use crate::hal::{self, Fault, Result};
use bessemer_core::gpu::Constant;
use objc2::{rc::Retained, runtime::ProtocolObject};
use objc2_foundation::{NSArray, NSDictionary, NSObject, NSString, NSURL};
use objc2_metal::{
    MTLBinaryArchive, MTLBinaryArchiveDescriptor, MTLCompileOptions, MTLComputePipelineDescriptor,
    MTLComputePipelineState, MTLDataType, MTLDevice, MTLFunctionConstantValues, MTLLibrary,
    MTLPipelineOption,
};
use std::{
    env,
    path::PathBuf,
    ptr::NonNull,
    sync::{Mutex, MutexGuard, PoisonError},
};

type Gpu = ProtocolObject<dyn MTLDevice>;

/// Compiled source.
pub struct Library(Retained<ProtocolObject<dyn MTLLibrary>>);

impl Library {
    pub(super) fn new(
        gpu: &Gpu,
        name: &str,
        source: &str,
        defines: &[(&str, &str)],
    ) -> Result<Library> {
        let options = MTLCompileOptions::new();
        // By its older name, which every system knows.
        #[allow(deprecated)]
        options.setFastMathEnabled(false);
        let names: Vec<Retained<NSString>> =
            defines.iter().map(|(name, _)| NSString::from_str(name)).collect();
        let texts: Vec<Retained<NSString>> =
            defines.iter().map(|(_, text)| NSString::from_str(text)).collect();
        let names: Vec<&NSString> = names.iter().map(|name| &**name).collect();
        let texts: Vec<&NSObject> = texts.iter().map(|text| -> &NSObject { text }).collect();
        let macros = NSDictionary::from_slices(&names, &texts);
        // SAFETY: macros are strings, as they must be.
        unsafe { options.setPreprocessorMacros(Some(&macros)) };
        let made = gpu
            .newLibraryWithSource_options_error(&NSString::from_str(source), Some(&options))
            .map_err(|error| fault(&error))?;
        made.setLabel(Some(&NSString::from_str(name)));
        Ok(Library(made))
    }
}

/// A kernel, ready to run.
pub struct Pipeline {
    pub(super) state: Retained<ProtocolObject<dyn MTLComputePipelineState>>,
    max_threads: u32,
    simd_width: u32,
    threadgroup_bytes: u32,
}

impl Pipeline {
    pub(super) fn new(
        gpu: &Gpu,
        archive: &Archive,
        library: &Library,
        entry: &str,
        constants: &[(u16, Constant)],
    ) -> Result<Pipeline> {
        let values = MTLFunctionConstantValues::new();
        for &(id, constant) in constants {
            let (ty, bits) = match constant {
                Constant::Bool(value) => (MTLDataType::Bool, u32::from(value)),
                Constant::I32(value) => (MTLDataType::Int, value.cast_unsigned()),
                Constant::U32(value) => (MTLDataType::UInt, value),
                Constant::F32(bits) => (MTLDataType::Float, bits),
            };
            let bytes = bits.to_ne_bytes();
            // SAFETY: the value is copied, and its 4 bytes are enough for any of these types; a
            // `bool` is the first of them, as Apple's systems are little-endian.
            unsafe {
                values.setConstantValue_type_atIndex(
                    NonNull::from(&bytes).cast(),
                    ty,
                    usize::from(id),
                );
            }
        }
        let function = library
            .0
            .newFunctionWithName_constantValues_error(&NSString::from_str(entry), &values)
            .map_err(|error| fault(&error))?;
        let descriptor = MTLComputePipelineDescriptor::new();
        descriptor.setComputeFunction(Some(&function));
        descriptor.setLabel(Some(&NSString::from_str(entry)));
        let state = archive.pipeline(gpu, &descriptor)?;
        Ok(Pipeline {
            max_threads: state.maxTotalThreadsPerThreadgroup() as u32,
            simd_width: state.threadExecutionWidth() as u32,
            threadgroup_bytes: state.staticThreadgroupMemoryLength() as u32,
            state,
        })
    }
}

// SAFETY: pipelines never change, and Metal lets any thread use them.
unsafe impl Send for Pipeline {}
// SAFETY: as above.
unsafe impl Sync for Pipeline {}

impl hal::Pipeline for Pipeline {
    fn max_threads(&self) -> u32 {
        self.max_threads
    }

    fn simd_width(&self) -> u32 {
        self.simd_width
    }

    fn threadgroup_bytes(&self) -> u32 {
        self.threadgroup_bytes
    }
}

/// Pipelines of earlier runs, on disk. Whatever is wrong with it, kernels are compiled then.
pub(super) struct Archive {
    state: Mutex<Option<Opened>>,
}

struct Opened {
    archive: Retained<ProtocolObject<dyn MTLBinaryArchive>>,
    path: PathBuf,
    grown: bool,
}

// SAFETY: the archive is only touched under its lock.
unsafe impl Send for Archive {}
// SAFETY: as above.
unsafe impl Sync for Archive {}

impl Archive {
    pub(super) fn open(gpu: &Gpu) -> Archive {
        Archive { state: Mutex::new(Opened::new(gpu)) }
    }

    fn pipeline(
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
        let name: String =
            gpu.name().to_string().chars().filter(char::is_ascii_alphanumeric).collect();
        let folder = PathBuf::from(home).join("Library/Caches/bessemer");
        std::fs::create_dir_all(&folder).ok()?;
        let path = folder.join(format!("{name}-{}.metalarchive", env!("CARGO_PKG_VERSION")));
        let descriptor = MTLBinaryArchiveDescriptor::new();
        if path.exists() {
            descriptor.setUrl(Some(&url(&path)));
        }
        let opened = gpu.newBinaryArchiveWithDescriptor_error(&descriptor).or_else(|_| {
            // Of another system, or damaged: a new one takes its place.
            gpu.newBinaryArchiveWithDescriptor_error(&MTLBinaryArchiveDescriptor::new())
        });
        Some(Opened { archive: opened.ok()?, path, grown: false })
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if self.grown {
            // Beside it first, so that a process that reads it now finds the old or the new one.
            let beside = self.path.with_extension(format!("{}.new", std::process::id()));
            if self.archive.serializeToURL_error(&url(&beside)).is_ok() {
                let _ = std::fs::rename(&beside, &self.path);
            }
        }
    }
}

fn url(path: &std::path::Path) -> Retained<NSURL> {
    NSURL::fileURLWithPath(&NSString::from_str(&path.to_string_lossy()))
}
