//! How fast memory can be read.

use bessemer_simd::{Arch, Isa, Kernel};
use std::{hint::black_box, thread, time::Instant};

/// Bytes per second of `threads` that read far more than any cache holds, at best.
pub(crate) fn read(threads: usize) -> f64 {
    const NUMBERS: usize = 1 << 28;
    let memory = vec![1f32; NUMBERS];
    let round = |streams: usize| {
        let start = Instant::now();
        thread::scope(|scope| {
            for numbers in memory.chunks(NUMBERS / threads) {
                scope.spawn(move || black_box(Isa::widest().run(Sum { numbers, streams })));
            }
        });
        (NUMBERS * 4) as f64 / start.elapsed().as_secs_f64()
    };
    // Which is faster depends on the machine, and on who else is on it.
    [1, 4, 1, 4, 1, 4].map(round).into_iter().fold(0.0, f64::max)
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
