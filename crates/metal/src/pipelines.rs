//! Caches compiled kernels: libraries by source and defines, pipelines by all their parameters.

use crate::hal::{Device as _, Fault, Hal, Pipeline as _, Result};
use bessemer_core::gpu::{CompiledKernel, Constant, Kernel, KernelLimits, Source};
use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

type Defines = Vec<(&'static str, Cow<'static, str>)>;
type Text = (Source, Defines);
type Made<T> = Arc<OnceLock<Result<Arc<T>>>>;

/// All that was compiled. Threads that want the same kernel wait for one compilation; others go on.
pub(crate) struct Pipelines<H: Hal> {
    libraries: Mutex<HashMap<Text, Made<H::Library>>>,
    pipelines: Mutex<HashMap<Kernel, Made<H::Pipeline>>>,
}

impl<H: Hal> Pipelines<H> {
    pub(crate) fn new() -> Pipelines<H> {
        Pipelines { libraries: Mutex::default(), pipelines: Mutex::default() }
    }

    /// The pipeline of a kernel.
    pub(crate) fn get(&self, device: &H::Device, kernel: &Kernel) -> Result<Arc<H::Pipeline>> {
        let slot = {
            let mut pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
            match pipelines.get(kernel) {
                Some(slot) => Arc::clone(slot),
                None => Arc::clone(pipelines.entry(kernel.clone()).or_default()),
            }
        };
        slot.get_or_init(|| {
            let library = self.library(device, kernel)?;
            let made = device.pipeline(&library, &kernel.entry, &kernel.constants);
            made.map(Arc::new).map_err(|fault| told(kernel, fault))
        })
        .clone()
    }

    /// Whether nobody has asked for a kernel yet.
    pub(crate) fn lacks(&self, kernel: &Kernel) -> bool {
        !self.pipelines.lock().unwrap_or_else(PoisonError::into_inner).contains_key(kernel)
    }

    /// How many kernels were asked for.
    pub(crate) fn count(&self) -> usize {
        self.pipelines.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// What became of each, by its name.
    pub(crate) fn list(&self) -> Vec<CompiledKernel> {
        let pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        let made = pipelines.iter().filter_map(|(kernel, slot)| Some((kernel, slot.get()?)));
        let mut list: Vec<CompiledKernel> = made
            .map(|(kernel, made)| CompiledKernel {
                file: kernel.source.name().to_owned(),
                entry: kernel.entry.to_string(),
                variant: variant(kernel),
                outcome: made.as_ref().map_err(|fault| fault.why.clone()).map(|made| {
                    KernelLimits {
                        max_threads: made.max_threads(),
                        simd_width: made.simd_width(),
                        threadgroup_bytes: made.threadgroup_bytes(),
                    }
                }),
            })
            .collect();
        list.sort();
        list
    }

    fn library(&self, device: &H::Device, kernel: &Kernel) -> Result<Arc<H::Library>> {
        let slot = {
            let mut libraries = self.libraries.lock().unwrap_or_else(PoisonError::into_inner);
            let key = (kernel.source.clone(), kernel.defines.clone());
            Arc::clone(libraries.entry(key).or_default())
        };
        slot.get_or_init(|| {
            let made = device.library(kernel.source.name(), &kernel.msl());
            made.map(Arc::new).map_err(|fault| told(kernel, fault))
        })
        .clone()
    }
}

/// What a kernel is specialised by, in few words.
fn variant(kernel: &Kernel) -> String {
    let defines = kernel.defines.iter().map(|(name, text)| format!("{name}={text}"));
    let constants = kernel.constants.iter().map(|(id, value)| match *value {
        Constant::Bool(value) => format!("#{id}={value}"),
        Constant::I32(value) => format!("#{id}={value}"),
        Constant::U32(value) => format!("#{id}={value}"),
        Constant::F32(bits) => format!("#{id}={}", f32::from_bits(bits)),
    });
    defines.chain(constants).collect::<Vec<_>>().join(" ")
}

/// A fault that says which kernel could not be made.
fn told(kernel: &Kernel, fault: Fault) -> Fault {
    let (entry, file) = (&kernel.entry, kernel.source.name());
    let why = format!("kernel `{entry}` of {file} cannot be made: {fault}");
    Fault { kernel: Some(entry.to_string()), why }
}
