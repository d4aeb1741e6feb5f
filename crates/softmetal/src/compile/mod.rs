//! From source to code in memory: finding and running clang, our `metal_stdlib`, the disk cache,
//! reading clang's messages, loading what it made.

mod bfloat;
mod cache;
mod clang;
mod headers;
mod includes;
mod messages;
mod module;
mod named;
mod stdlib;

pub(crate) use cache::{Cache, digest};
pub(crate) use clang::Clang;
pub use clang::Optimization;
#[cfg(test)]
pub(crate) use module::SharedVariable;
pub(crate) use module::{EntryFacts, Module};

use crate::error::{Error, Result};
use crate::front::{self, ConstantValues, Lines, Mode, Settings, Source, Unit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// What the user may choose about compilation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Options {
    pub(crate) name: String,
    pub(crate) include: Vec<PathBuf>,
    pub(crate) defines: Vec<(String, String)>,
    pub(crate) version: u32,
    pub(crate) fast_math: bool,
    /// Whether there is `bfloat`.
    pub(crate) bfloat: bool,
    /// Takes what Apple's compiler would refuse but clang understands.
    pub(crate) lenient: bool,
}

/// A file that a library was made from, and its digest then.
#[derive(Serialize, Deserialize)]
struct Dependency {
    path: String,
    digest: String,
}

#[derive(Serialize, Deserialize)]
struct Record {
    unit: Unit,
    dependencies: Vec<Dependency>,
}

/// The user's source, for messages.
struct UserLines<'a> {
    name: &'a str,
    source: &'a str,
}

impl Lines for UserLines<'_> {
    fn line(&self, file: &str, line: usize) -> Option<String> {
        let pick = |text: &str| text.lines().nth(line.checked_sub(1)?).map(str::to_string);
        if file == self.name {
            pick(self.source)
        } else {
            pick(&crate::files::text(std::path::Path::new(file)).ok()?)
        }
    }
}

/// Compiles libraries and pipelines.
pub(crate) struct Compiler {
    clang: Clang,
    cache: Cache,
    stdlib: stdlib::Installed,
    /// The object made last, for when the cache keeps nothing.
    last: Mutex<Option<(String, Arc<cache::Held>)>>,
}

/// What clang says of a reference or a pointer that would be to a property.
const REFERENCES: &[&str] = &[
    "address of property expression",
    "binding reference",
    "cannot bind reference",
    "cannot deduce a type for",
];

/// At most so many kernels are compiled together when a library is made.
const EAGER: usize = 12;

impl Compiler {
    pub(crate) fn new(cache: Cache, optimization: Optimization) -> Result<Compiler> {
        let clang = Clang::find(optimization)?;
        let stdlib = stdlib::Installed::new(&cache);
        Ok(Compiler { clang, cache, stdlib, last: Mutex::new(None) })
    }

    pub(crate) fn clang(&self) -> &Clang {
        &self.clang
    }

    /// Translates and checks source. A library seen before comes from the cache.
    pub(crate) fn library(&self, source: &str, options: &Options, mode: Mode) -> Result<Arc<Unit>> {
        // A byte order mark says nothing about UTF-8.
        let source = source.strip_prefix('\u{feff}').unwrap_or(source);
        let lines = UserLines { name: &options.name, source };
        let key = digest(&[
            "unit",
            env!("CARGO_PKG_VERSION"),
            env!("SOFTMETAL_FRONT"),
            source,
            &format!("{options:?}"),
            &self.clang.identity,
            &self.stdlib.digest,
        ]);
        if let Some(record) =
            self.cache.read(&key, "unit").and_then(|b| serde_json::from_slice::<Record>(&b).ok())
            && record
                .dependencies
                .iter()
                .all(|d| file_digest(&d.path).as_deref() == Some(&d.digest))
        {
            // It may have been compiled unchecked so far: checked mode refuses more.
            if mode == Mode::Checked && is_eager(&record.unit) {
                self.object(
                    &record.unit,
                    &all_of(&record.unit),
                    &ConstantValues::new(),
                    mode,
                    options,
                )
                .map_err(|e| explain(e, &lines))?;
            }
            return Ok(Arc::new(record.unit));
        }
        includes::check(source, options).map_err(Error::Compile)?;
        let text =
            self.clang.preprocess(source, options, &self.stdlib).map_err(|e| explain(e, &lines))?;
        let preprocessed = Source::new(text);
        includes::check_files(&preprocessed.files, options).map_err(Error::Compile)?;
        if !options.bfloat {
            bfloat::refuse(&preprocessed, &lines).map_err(Error::Compile)?;
        }
        let settings = Settings { version: options.version, lenient: options.lenient };
        let mut unit = front::translate(&preprocessed, &lines, settings).map_err(Error::Compile)?;
        if options.lenient {
            unit.text.insert_str(0, stdlib::LENIENT);
        }
        let all = all_of(&unit);
        if is_eager(&unit) {
            self.object(&unit, &all, &ConstantValues::new(), mode, options)
                .map_err(|e| explain(e, &lines))?;
        } else {
            self.syntax(&unit, Mode::Fast).map_err(|e| explain(e, &lines))?;
        }
        if unit.refers && !options.lenient {
            self.elements(&unit).map_err(|e| explain(e, &lines))?;
        }
        let dependencies = preprocessed
            .files
            .iter()
            .filter(|f| **f != options.name)
            .filter_map(|f| Some(Dependency { path: f.clone(), digest: file_digest(f)? }))
            .collect();
        let record = Record { unit, dependencies };
        if let Ok(bytes) = serde_json::to_vec(&record) {
            self.cache.write(&key, "unit", &bytes);
        }
        Ok(Arc::new(record.unit))
    }

    /// The code of some kernels with their constants, ready to run.
    pub(crate) fn module(
        &self,
        unit: &Arc<Unit>,
        entries: &[usize],
        values: &ConstantValues,
        mode: Mode,
        options: &Options,
    ) -> Result<Arc<Module>> {
        let eager = is_eager(unit);
        let wanted: Vec<usize> =
            if eager { (0..unit.entries.len()).collect() } else { entries.to_vec() };
        let path = self.object(unit, &wanted, values, mode, options).map_err(|e| match e {
            ClangError::Messages(m) => Error::Compile(messages::plain(m)),
            ClangError::Other(e) => e,
        })?;
        Module::open(path, unit, &wanted).map(Arc::new)
    }

    /// How many registers each of some kernels needs, in halves of 32 bits.
    pub(crate) fn registers(
        &self,
        unit: &Unit,
        entries: &[usize],
        values: &ConstantValues,
    ) -> Result<BTreeMap<usize, u32>> {
        let text = front::render(unit, entries, values, Mode::Counted);
        let key = digest(&[
            "registers",
            include_str!("clang.rs"),
            include_str!("../registers/mod.rs"),
            include_str!("../registers/ir.rs"),
            include_str!("../registers/live.rs"),
            include_str!("../registers/values.rs"),
            &text,
            &self.clang.identity,
            &self.stdlib.digest,
        ]);
        if let Some(known) = self.cache.read(&key, "registers")
            && let Ok(known) = serde_json::from_slice(&known)
        {
            return Ok(known);
        }
        let made = self
            .with_headers(Mode::Counted, |h| self.clang.intermediate(&text, h))
            .map_err(|e| match e {
                ClangError::Messages(m) => Error::Compile(messages::plain(m)),
                ClangError::Other(e) => e,
            })?;
        let counted = crate::registers::count(&made);
        if let Ok(bytes) = serde_json::to_vec(&counted) {
            self.cache.write(&key, "registers", &bytes);
        }
        Ok(counted)
    }

    /// Only finds errors.
    fn syntax(&self, unit: &Unit, mode: Mode) -> std::result::Result<(), ClangError> {
        let text = front::render(unit, &all_of(unit), &ConstantValues::new(), mode);
        self.with_headers(mode, |h| self.clang.check(&text, mode, h))
    }

    /// Refuses references to elements of vectors, in source that is right otherwise.
    fn elements(&self, unit: &Unit) -> std::result::Result<(), ClangError> {
        match self.syntax(unit, Mode::Strict) {
            // Clang has faults of its own with properties in templates: only these are meant.
            Err(ClangError::Messages(m)) => match messages::about(&m, REFERENCES) {
                Some(rest) => Err(ClangError::Messages(rest)),
                None => Ok(()),
            },
            other => other,
        }
    }

    fn object(
        &self,
        unit: &Unit,
        wanted: &[usize],
        values: &ConstantValues,
        mode: Mode,
        options: &Options,
    ) -> std::result::Result<Arc<cache::Held>, ClangError> {
        let text = front::render(unit, wanted, values, mode);
        let key = digest(&[
            "object",
            // The flags are written there: other flags make other objects.
            include_str!("clang.rs"),
            &text,
            &format!("{mode:?} {:?} {}", self.level(mode), options.fast_math),
            &self.clang.identity,
            &self.stdlib.digest,
            &cpu(),
        ]);
        if let Some(held) = self.cache.hold(&key, "so") {
            return Ok(Arc::new(held));
        }
        let last = || self.last.lock().unwrap_or_else(|e| e.into_inner());
        if let Some((_, held)) = last().as_ref().filter(|(k, _)| *k == key) {
            return Ok(held.clone());
        }
        let bytes = self.with_headers(mode, |h| self.clang.compile(&text, mode, options, h))?;
        self.cache.write(&key, "so", &bytes);
        let held = match self.cache.hold(&key, "so") {
            Some(held) => held,
            // The cache takes nothing (full disk, no rights): keep the file for this run alone.
            None => cache::Held::private(&bytes).map_err(ClangError::Other)?,
        };
        let held = Arc::new(held);
        *last() = Some((key, held.clone()));
        Ok(held)
    }
}

impl Compiler {
    /// What is asked of the optimiser, where it has a choice.
    fn level(&self, mode: Mode) -> Option<Optimization> {
        (mode == Mode::Fast).then_some(self.clang.optimization)
    }

    /// Runs clang with our headers precompiled, and again with their text if it can't use those.
    fn with_headers<T>(
        &self,
        mode: Mode,
        run: impl Fn(&headers::Headers) -> std::result::Result<T, ClangError>,
    ) -> std::result::Result<T, ClangError> {
        let headers = headers::Headers::new(&self.clang, &self.stdlib, &self.cache, mode)
            .map_err(ClangError::Other)?;
        match run(&headers) {
            Err(ClangError::Messages(m)) if headers.refused(&m) => run(&headers.as_text()),
            other => other,
        }
    }
}

fn all_of(unit: &Unit) -> Vec<usize> {
    (0..unit.entries.len()).collect()
}

/// Whether all kernels are compiled when the library is made.
fn is_eager(unit: &Unit) -> bool {
    unit.entries.len() <= EAGER && unit.constants.is_empty()
}

/// What a run of clang can end with.
pub(crate) enum ClangError {
    Messages(String),
    Other(Error),
}

fn explain(e: ClangError, lines: &dyn Lines) -> Error {
    match e {
        ClangError::Messages(m) => Error::Compile(messages::read(&m, lines)),
        ClangError::Other(e) => e,
    }
}

fn file_digest(path: &str) -> Option<String> {
    // A device may never end.
    let bytes = std::fs::metadata(path).ok()?.is_file().then(|| std::fs::read(path))?.ok()?;
    Some(digest(&[&String::from_utf8_lossy(&bytes)]))
}

/// What the machine can do: code compiled for one must not be loaded by another.
fn cpu() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__cpuid_count;
        // Which leaves say what there is; the first's ebx is left out, as it numbers the core.
        let a = __cpuid_count(0, 0);
        let (b, c, d) = (__cpuid_count(1, 0), __cpuid_count(7, 0), __cpuid_count(7, 1));
        let e = __cpuid_count(0x8000_0001, 0);
        let words = [a.ebx, b.eax, b.ecx, b.edx, c.ebx, c.ecx, c.edx, d.eax, d.edx, e.ecx, e.edx];
        format!("x86_64 {words:x?}")
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::env::consts::ARCH.to_string()
}
