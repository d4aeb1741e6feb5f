//! Writes of host bytes to any offset of a buffer: WebGPU itself only copies whole words.

use crate::{engine::Engine, launch::Maker, memory::GpuMemory};
use bessemer_core::{
    DType, Result, Shape, Slice, Strides, View,
    gpu::{Binding, GpuTraits, Kernel, Launch, Params, Source},
};

const MERGE: Source = Source::File { name: "edges.wgsl", text: include_str!("edges.wgsl") };

/// Copies `bytes` to `dst`, after all that was submitted before.
pub(crate) fn write(
    engine: &mut Engine,
    traits: &GpuTraits,
    dst: &Slice,
    bytes: &[u8],
) -> Result<(), String> {
    let memory = GpuMemory::of("write", dst.buffer()).map_err(|error| error.to_string())?;
    let (start, end) = (dst.range().start, dst.range().end);
    // The words that are written whole. After the last byte of a buffer there is nothing to keep.
    let first = start.next_multiple_of(4).min(end);
    let last = if end == dst.buffer().bytes() { end } else { (end / 4 * 4).max(first) };
    let Engine { gpu, queue, uploads, .. } = engine;
    for piece in memory.all(first as u64..last as u64) {
        let here = &bytes[piece.range.start as usize - start..piece.range.end as usize - start];
        uploads.send(gpu, queue, piece.buffer, piece.offset, here)?;
    }
    merge(engine, traits, dst, start..first, &bytes[..first - start])?;
    merge(engine, traits, dst, last..end, &bytes[last - start..])
}

/// Less than a word, in the middle of one.
fn merge(
    engine: &mut Engine,
    traits: &GpuTraits,
    dst: &Slice,
    range: std::ops::Range<usize>,
    bytes: &[u8],
) -> Result<(), String> {
    let mut at = range.start;
    while at < range.end {
        let word = at / 4 * 4;
        let end = range.end.min(word + 4);
        let (mut mask, mut bits) = (0u32, 0u32);
        for i in at..end {
            mask |= 0xFF << (8 * (i - word));
            bits |= u32::from(bytes[i - range.start]) << (8 * (i - word));
        }
        let here = View::at(
            dst.buffer(),
            DType::U8,
            Shape::new(&[end - at]).map_err(|e| e.to_string())?,
            Strides::new(&[1]).map_err(|e| e.to_string())?,
            at,
        );
        let here = here.map_err(|e| e.to_string())?;
        let bound = at / traits.offset_alignment as usize * traits.offset_alignment as usize;
        let launch = Launch {
            kernel: Kernel::new(MERGE, "merge"),
            bindings: vec![Binding::Write(here)],
            params: Params::new().u32(((word - bound) / 4) as u32).u32(mask).u32(bits),
            groups: [1; 3],
            threads: [1; 3],
        };
        let mut maker = Maker {
            gpu: &engine.gpu,
            queue: &engine.queue,
            traits,
            pipelines: &mut engine.pipelines,
            pages: &mut engine.pages,
            scratch: None,
        };
        let dispatch = maker.make("write", &launch)?;
        engine.pages.flush(&engine.queue);
        let mut encoder = engine.gpu.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&dispatch.pipeline.pipeline);
        pass.set_bind_group(0, &dispatch.group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        drop(pass);
        engine.queue.submit([encoder.finish()]);
        at = end;
    }
    Ok(())
}
