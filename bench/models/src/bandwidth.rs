//! How fast memory can be read.

use bessemer_simd::{Arch, Isa, Kernel};
use std::{hint::black_box, thread, time::Instant};

/// Bytes per second of `threads` that read far more than any cache holds, at best.
pub(crate) fn read(threads: usize) -> f64 {
    const NUMBERS: usize = 1 << 28;
    let memory = vec![1f32; NUMBERS];
    let round = || {
        let start = Instant::now();
        thread::scope(|scope| {
            for part in memory.chunks(NUMBERS / threads) {
                scope.spawn(|| black_box(Isa::widest().run(Sum(part))));
            }
        });
        (NUMBERS * 4) as f64 / start.elapsed().as_secs_f64()
    };
    (0..5).map(|_| round()).fold(0.0, f64::max)
}

/// Reads all of it.
struct Sum<'a>(&'a [f32]);

impl Kernel for Sum<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<A: Arch>(self) -> f32 {
        // Many sums, so that adding is no chain to wait for.
        let mut sums = [0.0; 128];
        for numbers in self.0.as_chunks::<128>().0 {
            sums.iter_mut().zip(numbers).for_each(|(sum, x)| *sum += x);
        }
        sums.iter().sum()
    }
}
