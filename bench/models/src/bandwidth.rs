//! How fast memory can be read.

use std::{hint::black_box, thread, time::Instant};

/// Bytes per second of `threads` that read far more than any cache holds, at best.
pub(crate) fn read(threads: usize) -> f64 {
    const WORDS: usize = 1 << 27;
    let memory = vec![1u64; WORDS];
    let round = || {
        let start = Instant::now();
        thread::scope(|scope| {
            for part in memory.chunks(WORDS / threads) {
                // Many sums, so that adding is no chain to wait for.
                scope.spawn(|| {
                    let mut sums = [0u64; 32];
                    for words in part.as_chunks::<32>().0 {
                        sums.iter_mut().zip(words).for_each(|(sum, word)| *sum ^= word);
                    }
                    black_box(sums);
                });
            }
        });
        (WORDS * 8) as f64 / start.elapsed().as_secs_f64()
    };
    (0..5).map(|_| round()).fold(0.0, f64::max)
}
