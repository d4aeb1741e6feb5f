//! How fast memory can be read.

use anyhow::{Context, Result};
use bessemer_simd::{Arch, Isa, Kernel};
use memmap2::MmapMut;
use serde::Serialize;
use std::{hint::black_box, thread, time::Instant};

/// Far more than any cache holds.
const BYTES: usize = 1 << 30;

/// Memory that threads read as fast as they can.
pub struct Reader {
    /// In pages of 4 KB, as those of mapped files are.
    small_pages: MmapMut,
    /// In pages of 2 MB, where the system has them.
    large_pages: MmapMut,
    threads: usize,
}

/// Something that is read at best, from each kind of pages.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Reading {
    /// In pages of 4 KB.
    pub small_pages: f64,
    /// In pages of 2 MB.
    pub large_pages: f64,
}

impl Reading {
    /// The same of each kind.
    pub fn both(value: f64) -> Reading {
        Reading { small_pages: value, large_pages: value }
    }

    /// What `choose` makes of each kind of both.
    pub fn with(self, other: Reading, choose: fn(f64, f64) -> f64) -> Reading {
        Reading {
            small_pages: choose(self.small_pages, other.small_pages),
            large_pages: choose(self.large_pages, other.large_pages),
        }
    }
}

impl Reader {
    /// Takes the memory.
    pub fn new(threads: usize) -> Result<Reader> {
        let memory = |large: bool| -> Result<MmapMut> {
            let mut map = MmapMut::map_anon(BYTES).context("memory to read")?;
            #[cfg(target_os = "linux")]
            {
                use memmap2::Advice::{HugePage, NoHugePage};
                map.advise(if large { HugePage } else { NoHugePage }).context("pages to read")?;
            }
            map.fill(u8::from(large));
            Ok(map)
        };
        Ok(Reader { small_pages: memory(false)?, large_pages: memory(true)?, threads })
    }

    /// Bytes per second, at best.
    pub fn read(&self) -> Reading {
        let read = |memory| {
            // Which is faster depends on the machine, and on who else is on it.
            let rounds = [1, 4, 1, 4].map(|streams| self.round(memory, streams));
            rounds.into_iter().fold(0.0, f64::max)
        };
        Reading { small_pages: read(&self.small_pages), large_pages: read(&self.large_pages) }
    }

    fn round(&self, memory: &[u8], streams: usize) -> f64 {
        let start = Instant::now();
        thread::scope(|scope| {
            for bytes in memory.chunks(BYTES / self.threads) {
                scope.spawn(move || black_box(Isa::widest().run(Sum { bytes, streams })));
            }
        });
        BYTES as f64 / start.elapsed().as_secs_f64()
    }
}

/// Reads all bytes, several parts of them side by side.
struct Sum<'a> {
    bytes: &'a [u8],
    streams: usize,
}

impl Kernel for Sum<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<A: Arch>(self) -> u32 {
        // Many sums, so that adding is no chain to wait for.
        let mut sums = [0u32; 128];
        let (chunks, _) = self.bytes.as_chunks::<512>();
        let apart = chunks.len() / self.streams;
        for i in 0..apart {
            for bytes in chunks[i..].iter().step_by(apart).take(self.streams) {
                let (numbers, _) = bytes.as_chunks();
                for (sum, &number) in sums.iter_mut().zip(numbers) {
                    *sum = sum.wrapping_add(u32::from_le_bytes(number));
                }
            }
        }
        sums.iter().fold(0, |total, &sum| total.wrapping_add(sum))
    }
}
