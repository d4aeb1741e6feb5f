//! Kernels compiled once: libraries by their text and defines, pipelines by all that makes them.

use crate::hal::{Device as _, Fault, Hal, Pipeline as _, Result};
use bessemer_core::gpu::{Kernel, Source};
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

    /// A line for each, with its limits.
    pub(crate) fn lines(&self) -> Vec<String> {
        let pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        let made = pipelines.iter().filter_map(|(kernel, slot)| Some((kernel, slot.get()?)));
        let mut lines: Vec<String> = made
            .map(|(kernel, made)| {
                let (file, entry) = (kernel.source.name(), &kernel.entry);
                match made {
                    Err(_) => format!("{file} {entry}: cannot be made"),
                    Ok(made) => format!(
                        "{file} {entry}: up to {} threads, {} in step, {} bytes of threadgroup memory",
                        made.max_threads(),
                        made.simd_width(),
                        made.threadgroup_bytes()
                    ),
                }
            })
            .collect();
        lines.sort();
        lines
    }

    fn library(&self, device: &H::Device, kernel: &Kernel) -> Result<Arc<H::Library>> {
        let slot = {
            let mut libraries = self.libraries.lock().unwrap_or_else(PoisonError::into_inner);
            let key = (kernel.source.clone(), kernel.defines.clone());
            Arc::clone(libraries.entry(key).or_default())
        };
        slot.get_or_init(|| {
            let defines: Vec<(&str, &str)> =
                kernel.defines.iter().map(|(name, text)| (*name, &**text)).collect();
            let made = device.library(kernel.source.name(), kernel.source.text(), &defines);
            made.map(Arc::new).map_err(|fault| told(kernel, fault))
        })
        .clone()
    }
}

/// A fault that says which kernel could not be made.
fn told(kernel: &Kernel, fault: Fault) -> Fault {
    let (entry, file) = (&kernel.entry, kernel.source.name());
    let why = format!("kernel `{entry}` of {file} cannot be made: {fault}");
    Fault { kernel: Some(entry.to_string()), why }
}
