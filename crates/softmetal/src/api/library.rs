//! Libraries: compiled source, and the kernels in it.

use super::pipeline::mode as mode_of;
use super::room::Room;
use super::{ComputePipeline, Device, Function, FunctionConstants};
use crate::compile::Options;
use crate::error::{Error, Result, invalid};
use crate::front::{Mode, Unit};
use crate::language;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// How source is compiled.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// The file's name in messages.
    pub name: String,
    /// Folders searched for includes.
    pub include_dirs: Vec<PathBuf>,
    /// Macros defined before the first line.
    pub defines: Vec<(String, String)>,
    /// The language's version, as `__METAL_VERSION__` has it: 100, 110, 120, 200 to 240, 300 to 320, 400.
    pub language_version: u32,
    /// Whether faster, less exact maths may be used.
    pub fast_math: bool,
    /// Takes what clang understands, though Apple's compiler would refuse it.
    pub lenient: bool,
}

impl Default for CompileOptions {
    fn default() -> Self {
        CompileOptions {
            name: "program_source".into(),
            include_dirs: Vec::new(),
            defines: Vec::new(),
            language_version: 320,
            fast_math: true,
            lenient: false,
        }
    }
}

pub(crate) struct LibraryInner {
    pub(crate) device: Device,
    pub(crate) unit: Arc<Unit>,
    pub(crate) options: Options,
}

/// A set of kernels.
#[derive(Clone)]
pub struct Library {
    pub(crate) inner: Arc<LibraryInner>,
}

impl Library {
    pub(crate) fn new(device: &Device, source: &str, options: &CompileOptions) -> Result<Library> {
        if !language::is_version(options.language_version) {
            return Err(Error::Invalid {
                op: "new_library".into(),
                rule: format!(
                    "language_version {} is no version of Metal: there are {}",
                    options.language_version,
                    language::versions()
                ),
            });
        }
        let options = Options {
            name: options.name.clone(),
            include: options.include_dirs.clone(),
            defines: options.defines.clone(),
            version: options.language_version,
            fast_math: options.fast_math,
            bfloat: device.profile().bfloat,
            lenient: options.lenient,
        };
        let mode = if device.inner.options.checked { Mode::Checked } else { Mode::Fast };
        let unit = device.inner.compiler()?.library(source, &options, mode)?;
        Ok(Library { inner: Arc::new(LibraryInner { device: device.clone(), unit, options }) })
    }

    /// The names of its kernels, in the order they are written.
    pub fn function_names(&self) -> Vec<String> {
        self.inner.unit.entries.iter().map(|e| e.name.clone()).collect()
    }

    /// A kernel by name.
    ///
    /// ```
    /// use softmetal::{CompileOptions, Device};
    ///
    /// let source = "kernel void one(device int *x [[buffer(0)]]) { *x = 1; }";
    /// let library = Device::open()?.new_library_with_source(source, &CompileOptions::default())?;
    /// assert_eq!(library.function("one")?.name(), "one");
    /// assert!(library.function("two").is_err());
    /// # Ok::<(), softmetal::Error>(())
    /// ```
    pub fn function(&self, name: &str) -> Result<Function> {
        self.function_with_constants(name, &FunctionConstants::default())
    }

    /// A kernel by name, with values for its function constants.
    pub fn function_with_constants(
        &self,
        name: &str,
        constants: &FunctionConstants,
    ) -> Result<Function> {
        let unit = &self.inner.unit;
        let Some(entry) = unit.entries.iter().position(|e| e.name == name) else {
            if let Some(other) = unit.not_run.iter().find(|n| n.name == name) {
                let it = if other.compiled { "uses" } else { "is" };
                let message = format!("'{name}' cannot run here: it {it} {}", other.why);
                return invalid("function", message);
            }
            return Err(Error::NoFunction { name: name.into(), known: self.function_names() });
        };
        let values = constants.render(&unit.constants)?;
        Ok(Function { library: self.clone(), entry, values })
    }

    /// Functions of the file that cannot be run here: name, why, and whether they were compiled.
    pub fn functions_not_run(&self) -> Vec<(String, String, bool)> {
        let list = self.inner.unit.not_run.iter();
        list.map(|n| (n.name.clone(), n.why.clone(), n.compiled)).collect()
    }

    #[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "only the command asks"))]
    /// Pipelines of all its kernels, compiled many at a time. Constants without a value are zero.
    pub(crate) fn all_pipelines(
        &self,
        constants: &FunctionConstants,
    ) -> Result<Vec<Result<ComputePipeline>>> {
        const TOGETHER: usize = 24;
        let (unit, device) = (&self.inner.unit, &self.inner.device);
        let values = constants.render(&unit.constants)?;
        let checked = device.inner.options.checked;
        let compiler = device.inner.compiler()?;
        let next = AtomicUsize::new(0);
        let made = Mutex::new(BTreeMap::new());
        let work = || {
            loop {
                let first = next.fetch_add(TOGETHER, Ordering::Relaxed);
                if first >= unit.entries.len() {
                    return;
                }
                let some: Vec<usize> =
                    (first..(first + TOGETHER).min(unit.entries.len())).collect();
                let mode = mode_of(device, &unit.entries[first], checked);
                let module = compiler.module(unit, &some, &values, mode, &self.inner.options);
                let result = module.and_then(|m| {
                    let room = Room::of(device, unit, &some, &values)?;
                    let one = |&n: &usize| {
                        let (entry, m) = (&unit.entries[n], m.clone());
                        ComputePipeline::from_module(entry, n, m, checked, &room)
                    };
                    Ok(some.iter().map(one).collect::<Vec<_>>())
                });
                made.lock().unwrap_or_else(|e| e.into_inner()).insert(first, result);
            }
        };
        std::thread::scope(|s| {
            for _ in 1..std::thread::available_parallelism().map_or(1, |n| n.get()) {
                s.spawn(work);
            }
            work();
        });
        let made = made.into_inner().unwrap_or_else(|e| e.into_inner());
        let lists = made.into_values().collect::<Result<Vec<_>>>()?;
        Ok(lists.into_iter().flatten().collect())
    }

    /// The function constants it declares: index, name and type.
    pub fn function_constants(&self) -> Vec<(u32, String, String)> {
        self.inner
            .unit
            .constants
            .iter()
            .map(|c| (c.id, c.name.clone(), c.type_name.clone()))
            .collect()
    }
}
