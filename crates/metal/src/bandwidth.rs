//! What the memory of a GPU can move: what the dispatches of a timeline are held against.

use crate::hal::{
    Buffer as _, Commands as _, Device as _, Encoder as _, Hal, Queue as _, Result, Times,
};
use std::sync::mpsc;

/// Bytes in a second: as Apple says for its chips, and by a copy on other GPUs.
pub(crate) fn bandwidth<H: Hal>(device: &H::Device, queue: &H::Queue) -> Option<f64> {
    known(&device.facts().traits.name).or_else(|| H::entry(|| measured::<H>(device, queue)))
}

/// Threads of the copy, and how many vectors of 16 bytes each of them moves.
const THREADS: u32 = 1 << 16;
const EACH: u32 = 32;
const BYTES: usize = THREADS as usize * EACH as usize * 16;
const ROUNDS: usize = 3;

/// The best of a few copies inside the GPU's memory.
fn measured<H: Hal>(device: &H::Device, queue: &H::Queue) -> Option<f64> {
    let each = EACH.to_string();
    let library = device.library("copy.metal", include_str!("copy.metal"), &[("EACH", &each)]);
    let pipeline = device.pipeline(&library.ok()?, "copy", &[]).ok()?;
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

/// What the memory of Apple's chips can move, as Apple says.
fn known(gpu: &str) -> Option<f64> {
    let chips = [
        ("M1 Ultra", 800.0),
        ("M1 Max", 400.0),
        ("M1 Pro", 200.0),
        ("M1", 68.0),
        ("M2 Ultra", 800.0),
        ("M2 Max", 400.0),
        ("M2 Pro", 200.0),
        ("M2", 100.0),
        ("M3 Ultra", 819.0),
        ("M3 Max", 400.0),
        ("M3 Pro", 150.0),
        ("M3", 100.0),
        ("M4 Max", 546.0),
        ("M4 Pro", 273.0),
        ("M4", 120.0),
    ];
    chips.iter().find(|(name, _)| gpu.contains(name)).map(|(_, gigabytes)| gigabytes * 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_counts() {
        assert_eq!(known("Apple M2 Max"), Some(400e9));
        assert_eq!(known("Apple M2"), Some(100e9));
        assert_eq!(known("softmetal"), None);
    }
}
