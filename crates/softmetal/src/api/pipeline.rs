//! Pipelines: kernels compiled for running, and what is known of their arguments.

use super::room::{Room, Threads};
use super::{Device, Function};
use crate::compile::{EntryFacts, Module};
use crate::error::{Result, invalid};
use crate::front::{ArgKind, Entry, Mode};
use std::sync::Arc;

/// How a pipeline is made.
#[derive(Clone, Debug, Default)]
pub struct PipelineOptions {
    /// Whether it is checked; the device's choice if none is made.
    pub checked: Option<bool>,
}

/// What an argument is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentKind {
    /// A buffer, in device or constant memory.
    Buffer {
        /// Its index in the buffer table.
        index: u32,
        /// Whether it is in `device` memory, not in `constant`.
        device: bool,
        /// Whether the kernel may write to it.
        writable: bool,
    },
    /// Threadgroup memory whose length the encoder sets.
    Threadgroup {
        /// Its index in the threadgroup memory table.
        index: u32,
    },
    /// An index attribute.
    Builtin(String),
}

/// One argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Its type, as written.
    pub type_name: String,
    /// What it is.
    pub kind: ArgumentKind,
    /// Bytes of what it points at; 0 before it is compiled and for index attributes.
    pub data_size: u32,
    /// The alignment of what it points at.
    pub data_alignment: u32,
    /// Whether function constants leave it in.
    pub active: bool,
}

pub(crate) fn arguments(entry: &Entry, facts: Option<&EntryFacts>) -> Vec<Argument> {
    let one = |(i, a): (usize, &crate::front::Arg)| {
        let kind = match &a.kind {
            ArgKind::Buffer { index, device, writable } => {
                ArgumentKind::Buffer { index: *index, device: *device, writable: *writable }
            }
            ArgKind::Threadgroup { index } => ArgumentKind::Threadgroup { index: *index },
            ArgKind::Builtin(name) => ArgumentKind::Builtin(name.clone()),
        };
        let (data_size, data_alignment) = facts.map_or((0, 0), |f| f.extents[i]);
        let active = facts.is_none_or(|f| f.present[i]);
        Argument {
            name: a.name.clone(),
            type_name: a.type_name.clone(),
            kind,
            data_size,
            data_alignment,
            active,
        }
    };
    entry.args.iter().enumerate().map(one).collect()
}

pub(crate) struct PipelineInner {
    pub(crate) name: String,
    pub(crate) module: Arc<Module>,
    pub(crate) facts: EntryFacts,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) meets: bool,
    pub(crate) fences: bool,
    pub(crate) checked: bool,
    pub(crate) threads: Threads,
}

/// The shuffler picks an order of single threads, which the loops of fast code have not.
pub(crate) fn mode(device: &Device, entry: &Entry, checked: bool) -> Mode {
    match checked || device.inner.options.seed.is_some() && !entry.meets {
        true => Mode::Checked,
        false => Mode::Fast,
    }
}

/// A kernel ready to run.
#[derive(Clone)]
pub struct ComputePipeline {
    pub(crate) inner: Arc<PipelineInner>,
}

impl ComputePipeline {
    pub(crate) fn new(
        device: &Device,
        function: &Function,
        options: &PipelineOptions,
    ) -> Result<ComputePipeline> {
        let library = &function.library.inner;
        let entry = &library.unit.entries[function.entry];
        let missing: Vec<String> = library
            .unit
            .constants
            .iter()
            .filter(|c| entry.requires.contains(&c.id) && !function.values.contains_key(&c.id))
            .map(|c| format!("'{}' ({})", c.name, c.id))
            .collect();
        if !missing.is_empty() {
            return invalid(
                format!("new_compute_pipeline('{}')", entry.name),
                format!("function constants that it uses have no value: {}", missing.join(", ")),
            );
        }
        let checked = options.checked.unwrap_or(device.inner.options.checked);
        let mode = mode(device, entry, checked);
        let module = library.device.inner.compiler()?.module(
            &library.unit,
            &[function.entry],
            &function.values,
            mode,
            &library.options,
        )?;
        let room = Room::of(device, &library.unit, &[function.entry], &function.values)?;
        ComputePipeline::from_module(entry, function.entry, module, checked, &room)
    }

    /// A pipeline of code that has been compiled already.
    pub(crate) fn from_module(
        entry: &Entry,
        number: usize,
        module: Arc<Module>,
        checked: bool,
        room: &Room,
    ) -> Result<ComputePipeline> {
        let facts = module.entries.get(&number).cloned().unwrap_or_default();
        let most = room.threadgroup_memory;
        if facts.static_threadgroup as usize > most {
            return invalid(
                format!("new_compute_pipeline('{}')", entry.name),
                format!(
                    "{}:{}: its threadgroup variables take {} bytes, and there are {most}",
                    entry.file, entry.line, facts.static_threadgroup
                ),
            );
        }
        let threads = room.threads(entry, number);
        let arguments = arguments(entry, Some(&facts));
        let inner = PipelineInner {
            name: entry.name.clone(),
            module,
            facts,
            arguments,
            meets: entry.meets,
            fences: entry.fences,
            checked,
            threads,
        };
        Ok(ComputePipeline { inner: Arc::new(inner) })
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Threads of a SIMD-group: 32.
    pub fn thread_execution_width(&self) -> u64 {
        32
    }

    /// The most threads a threadgroup of this kernel may have.
    pub fn max_total_threads_per_threadgroup(&self) -> u64 {
        self.inner.threads.most
    }

    /// Bytes of its threadgroup variables.
    pub fn static_threadgroup_memory_length(&self) -> usize {
        self.inner.facts.static_threadgroup as usize
    }

    /// Its arguments, with sizes.
    pub fn arguments(&self) -> &[Argument] {
        &self.inner.arguments
    }

    /// Whether it runs in checked mode.
    pub fn is_checked(&self) -> bool {
        self.inner.checked
    }
}
