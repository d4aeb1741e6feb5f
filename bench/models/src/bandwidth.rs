//! How fast memory can be read.

use bessemer_simd::{Arch, Isa, Kernel};
use std::{hint::black_box, thread, time::Instant};

const NUMBERS: usize = 1 << 28;

/// Memory that threads read as fast as they can: far more than any cache holds.
pub(crate) struct Reader {
    memory: Vec<f32>,
    threads: usize,
}

impl Reader {
    pub(crate) fn new(threads: usize) -> Reader {
        Reader { memory: vec![1.0; NUMBERS], threads }
    }

    /// Seconds per byte, at best.
    pub(crate) fn seconds(&self) -> f64 {
        // Which is faster depends on the machine, and on who else is on it.
        let rounds = [1, 4, 1, 4].map(|streams| self.round(streams));
        rounds.into_iter().fold(f64::INFINITY, f64::min) / (4 * NUMBERS) as f64
    }

    fn round(&self, streams: usize) -> f64 {
        let start = Instant::now();
        thread::scope(|scope| {
            for numbers in self.memory.chunks(NUMBERS / self.threads) {
                scope.spawn(move || black_box(Isa::widest().run(Sum { numbers, streams })));
            }
        });
        start.elapsed().as_secs_f64()
    }
}

/// Reads all numbers, several parts of them side by side.
struct Sum<'a> {
    numbers: &'a [f32],
    streams: usize,
}

impl Kernel for Sum<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<A: Arch>(self) -> f32 {
        // Many sums, so that adding is no chain to wait for.
        let mut sums = [0.0; 128];
        let (chunks, _) = self.numbers.as_chunks::<128>();
        let apart = chunks.len() / self.streams;
        for i in 0..apart {
            for numbers in chunks[i..].iter().step_by(apart).take(self.streams) {
                sums.iter_mut().zip(numbers).for_each(|(sum, x)| *sum += x);
            }
        }
        sums.iter().sum()
    }
}
