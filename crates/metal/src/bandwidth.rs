//! Memory bandwidth of a GPU, with which the dispatches of a timeline are compared.

use crate::{
    chips::Chip,
    hal::{Buffer as _, Commands as _, Device as _, Encoder as _, Hal, Queue as _, Result, Times},
};
use bessemer_core::gpu::{Kernel, Source};
use std::sync::mpsc;

/// Bytes in a second: as Apple says for its chips, and by a copy on other GPUs.
pub(crate) fn bandwidth<H: Hal>(device: &H::Device, queue: &H::Queue) -> Option<f64> {
    let chip = Chip::of(&device.facts().traits.name);
    let known = chip.known.then_some(chip.bandwidth);
    known.or_else(|| H::entry(|| measured::<H>(device, queue)))
}

/// Threads of the copy, and how many vectors of 16 bytes each of them moves.
const THREADS: u32 = 1 << 16;
const EACH: u32 = 32;
const BYTES: usize = THREADS as usize * EACH as usize * 16;
const ROUNDS: usize = 3;

/// The best of a few copies inside the GPU's memory.
fn measured<H: Hal>(device: &H::Device, queue: &H::Queue) -> Option<f64> {
    let source = Source::File { name: "copy.metal", text: include_str!("copy.metal") };
    let kernel = Kernel::new(source, "copy").define("EACH", EACH.to_string());
    let library = device.library(kernel.source.name(), &kernel.msl());
    let pipeline = device.pipeline(&library.ok()?, &kernel.entry, &[]).ok()?;
    let buffers = [device.buffer(BYTES).ok()?, device.buffer(BYTES).ok()?];
    buffers.iter().for_each(|buffer| buffer.label("bessemer bandwidth"));
    let seconds = (0..ROUNDS)
        .map(|_| {
            let mut commands = queue.commands("bandwidth").ok()?;
            let mut encoder = commands.encoder("bandwidth").ok()?;
            let encoded = copy::<H>(&mut encoder, &pipeline, &buffers);
            encoder.end();
            encoded.ok()?;
            let (tell, told) = mpsc::channel();
            commands.commit(Box::new(move |result| drop(tell.send(result))));
            let Times { start, end } = told.recv().ok()?.ok()?;
            Some(end - start)
        })
        .try_fold(f64::INFINITY, |best, one| one.map(|one| best.min(one)))?;
    // Each byte is read and written.
    (seconds > 0.0).then(|| 2.0 * BYTES as f64 / seconds)
}

fn copy<H: Hal>(
    encoder: &mut H::Encoder,
    pipeline: &H::Pipeline,
    buffers: &[H::Buffer; 2],
) -> Result<()> {
    encoder.label("bandwidth", "copy");
    encoder.pipeline(pipeline);
    encoder.buffer(0, &buffers[0], 0)?;
    encoder.buffer(1, &buffers[1], 0)?;
    encoder.dispatch([THREADS / 256, 1, 1], [256, 1, 1])
}
