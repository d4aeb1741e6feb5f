//! Libraries and pipelines.

use super::{archive::Archive, fault};
use crate::hal::{self, Result};
use bessemer_core::gpu::Constant;
use objc2::{rc::Retained, runtime::ProtocolObject};
use objc2_foundation::NSString;
use objc2_metal::{
    MTLCompileOptions, MTLComputePipelineDescriptor, MTLComputePipelineState, MTLDataType,
    MTLDevice, MTLFunctionConstantValues, MTLLibrary,
};
use std::ptr::NonNull;

type Gpu = ProtocolObject<dyn MTLDevice>;

/// Compiled source.
pub struct Library(Retained<ProtocolObject<dyn MTLLibrary>>);

impl Library {
    pub(super) fn new(gpu: &Gpu, name: &str, source: &str) -> Result<Library> {
        let options = MTLCompileOptions::new();
        // By its older name, which every system knows.
        #[allow(deprecated)]
        options.setFastMathEnabled(false);
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
        let state = archive.pipeline(gpu, descriptor)?;
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
