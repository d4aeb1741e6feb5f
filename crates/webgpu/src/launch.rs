//! Prepares an op's launches for encoding: pipelines, bind groups and parameters.

use crate::{
    memory::GpuMemory,
    pages::Pages,
    pipelines::{Key, Pipeline, Pipelines},
};
use bessemer_core::{
    Error, Result, View,
    gpu::{Binding, GpuTraits, Launch, Span},
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
}

impl Maker<'_> {
    /// The launch, compiled and bound; why not, if it can't be.
    pub(crate) fn make(&mut self, op: &'static str, launch: &Launch) -> Result<Dispatch, String> {
        let spans = spans(launch, self.traits);
        let bound: Result<Vec<_>> = launch
            .bindings
            .iter()
            .zip(&spans)
            .map(|(one, span)| self.bind(op, one, span))
            .collect();
        let bound = bound.map_err(|error| error.to_string())?;
        check(launch, &spans, self.traits)?;
        let params = launch.params.words();
        let pipeline = self.pipelines.get(Key::new(launch, &spans))?;
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

    fn bind<'b>(&self, op: &'static str, binding: &'b Binding, span: &Span) -> Result<Bound<'b>>
    where
        Self: 'b,
    {
        let range = span.range.clone();
        match binding {
            Binding::Read(view) | Binding::Write(view) => self.bind_view(op, view, range),
            Binding::Scratch { .. } => {
                let buffer = self.scratch.expect("the device made it as large as the op asked for");
                Ok(Bound { buffer, range })
            }
        }
    }

    /// The one buffer that has all of `range`, which the view lies in.
    fn bind_view<'b>(
        &self,
        op: &'static str,
        view: &'b View,
        range: Range<u64>,
    ) -> Result<Bound<'b>> {
        let memory = GpuMemory::of(op, view.buffer())?;
        let bytes = range.end - range.start;
        let piece = memory.whole(range).ok_or_else(|| {
            let most = self.traits.part_bytes;
            Error::view(format!(
                "{view:?} lies across two buffers of the adapter: of memory this long, {most} bytes \
                 can be bound at once"
            ))
        })?;
        Ok(Bound { buffer: piece.buffer, range: piece.offset..piece.offset + bytes })
    }
}

/// What a launch binds.
pub(crate) fn spans(launch: &Launch, traits: &GpuTraits) -> Vec<Span> {
    let span = |binding: &Binding| binding.span(traits.offset_alignment);
    let mut spans: Vec<Span> = launch.bindings.iter().map(span).collect();
    Span::widen(&mut spans);
    spans
}

/// Why WebGPU would not take a launch that binds `spans`, if it would not.
pub(crate) fn check(launch: &Launch, spans: &[Span], traits: &GpuTraits) -> Result<(), String> {
    let most = traits.max_binding_bytes;
    let size = |one: &Span| one.range.end - one.range.start;
    if let Some(large) = spans.iter().map(size).find(|&size| size > most) {
        return Err(format!("an operand of {large} bytes: the adapter binds {most} at once"));
    }
    let most = traits.max_buffers as usize;
    if spans.len() > most {
        let operands = spans.len();
        return Err(format!("{operands} operands at once: the adapter takes {most}"));
    }
    let most = traits.max_groups;
    if launch.groups.iter().any(|&groups| groups > most) {
        let groups = launch.groups;
        return Err(format!("{groups:?} workgroups: the adapter takes {most} a side"));
    }
    if let Some((a, b)) = Span::aliases(spans) {
        let (kernel, [one, other]) = (launch.kernel.source.name(), [&spans[a], &spans[b]]);
        return Err(format!(
            "{kernel} binds bytes {:?} as {a} and {:?} as {b} of one buffer, to write: WebGPU takes \
             what is written in one binding only, so the op has to bind both as one",
            one.range, other.range
        ));
    }
    Ok(())
}
