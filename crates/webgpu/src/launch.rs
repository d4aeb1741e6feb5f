//! From what an op says to what is encoded: pipelines, bind groups and numbers of its launches.

use crate::{
    memory::GpuMemory,
    pages::Pages,
    pipelines::{Key, Pipeline, Pipelines},
};
use bessemer_core::{
    Error, Memory as _, Result, View,
    gpu::{Binding, GpuTraits, Launch},
};
use std::{ops::Range, sync::Arc};

/// A launch that is ready to be encoded.
pub(crate) struct Dispatch {
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) group: wgpu::BindGroup,
    pub(crate) groups: [u32; 3],
}

/// What launches are made ready with.
pub(crate) struct Maker<'a> {
    pub(crate) gpu: &'a wgpu::Device,
    pub(crate) queue: &'a wgpu::Queue,
    pub(crate) traits: &'a GpuTraits,
    pub(crate) pipelines: &'a mut Pipelines,
    pub(crate) pages: &'a mut Pages,
    /// What ops use between their launches, if one of them asked for it.
    pub(crate) scratch: Option<&'a wgpu::Buffer>,
}

/// Memory as it is bound.
struct Bound<'a> {
    buffer: &'a wgpu::Buffer,
    range: Range<u64>,
    writes: bool,
}

impl Maker<'_> {
    /// The launch, compiled and bound; why not, if it can't be.
    pub(crate) fn make(&mut self, op: &'static str, launch: &Launch) -> Result<Dispatch, String> {
        let bound: Result<Vec<_>> =
            launch.bindings.iter().map(|binding| self.bind(op, binding)).collect();
        let mut bound = bound.map_err(|error| error.to_string())?;
        self.within_limits(launch, &bound)?;
        // A buffer that is written may not be bound only for reading as well.
        let written = |buffer| bound.iter().any(|other| other.writes && other.buffer == buffer);
        if bound.iter().any(|one| !one.writes && written(one.buffer)) {
            bound.iter_mut().for_each(|one| one.writes = true);
        }
        let params = launch.params.words();
        let key = Key {
            kernel: launch.kernel.clone(),
            writes: bound.iter().map(|one| one.writes).collect(),
            params: !params.is_empty(),
        };
        let pipeline = self.pipelines.get(key)?;
        let piece = (!params.is_empty()).then(|| self.pages.put(self.gpu, self.queue, params));
        let buffers = bound.iter().map(|one| (one.buffer, one.range.start, one.range.end));
        let numbers = piece.iter().map(|p| (&p.page, p.offset, p.offset + p.bytes));
        let entries: Vec<_> = (0..)
            .zip(buffers.chain(numbers))
            .map(|(binding, (buffer, start, end))| wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset: start,
                    size: std::num::NonZero::new(end - start),
                }),
            })
            .collect();
        let group = self.gpu.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.layout,
            entries: &entries,
        });
        Ok(Dispatch { pipeline, group, groups: launch.groups })
    }

    fn bind<'b>(&self, op: &'static str, binding: &'b Binding) -> Result<Bound<'b>>
    where
        Self: 'b,
    {
        match binding {
            Binding::Read(view) => self.bind_view(op, view, false),
            Binding::Write(view) => self.bind_view(op, view, true),
            Binding::Scratch { range, write } => {
                let buffer = self.scratch.expect("the device made it as large as the op asked for");
                let range = range.start as u64..range.end as u64;
                Ok(Bound { buffer, range, writes: *write })
            }
        }
    }

    /// From the last address before the view that a binding may start at, to the last of
    /// what is read at once.
    fn bind_view<'b>(&self, op: &'static str, view: &'b View, writes: bool) -> Result<Bound<'b>> {
        let memory = GpuMemory::of(op, view.buffer())?;
        let align = u64::from(self.traits.offset_alignment);
        let size = (memory.bytes() as u64).max(1).next_multiple_of(GpuMemory::WIDEST);
        let (start, end) = (view.range().start as u64, view.range().end as u64);
        // A view of nothing may lie at the very end; something must be bound for it all the same.
        let start = start.min(size - GpuMemory::WIDEST) / align * align;
        let end = end.next_multiple_of(GpuMemory::WIDEST).clamp(start + GpuMemory::WIDEST, size);
        let piece = memory.whole(start..end).ok_or_else(|| {
            let most = self.traits.part_bytes;
            Error::view(format!(
                "{view:?} lies across two buffers of the adapter: of memory this long, {most} bytes \
                 can be bound at once"
            ))
        })?;
        let range = piece.offset..piece.offset + (end - start);
        Ok(Bound { buffer: piece.buffer, range, writes })
    }

    fn within_limits(&self, launch: &Launch, bound: &[Bound<'_>]) -> Result<(), String> {
        let most = self.traits.max_binding_bytes;
        let size = |one: &Bound<'_>| one.range.end - one.range.start;
        if let Some(large) = bound.iter().map(size).find(|&size| size > most) {
            return Err(format!("an operand of {large} bytes: the adapter binds {most} at once"));
        }
        let most = self.traits.max_buffers as usize;
        if bound.len() > most {
            let operands = bound.len();
            return Err(format!("{operands} operands at once: the adapter takes {most}"));
        }
        let most = self.traits.max_groups;
        if launch.groups.iter().any(|&groups| groups > most) {
            let groups = launch.groups;
            return Err(format!("{groups:?} workgroups: the adapter takes {most} a side"));
        }
        Ok(())
    }
}
