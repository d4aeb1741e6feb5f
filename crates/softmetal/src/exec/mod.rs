//! The executor: runs a compiled kernel over a grid. What is bound and checked is decided above.

pub(crate) mod abi;
mod group;
mod pool;
mod stack;
mod symbols;
mod trap;
mod worker;

pub(crate) use symbols::{Place, Symbols};

use crate::check;
use crate::compile::{EntryFacts, Module};
use abi::*;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use trap::Exit;

/// Bytes of threadgroup memory a threadgroup may use.
pub(crate) const MAX_THREADGROUP_MEMORY: usize = 32768;
/// Threads a threadgroup may have.
pub(crate) const MAX_THREADS: u64 = 1024;

/// Why a dispatch ended early.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    Message(String),
    TooLong {
        pc: usize,
    },
    Diverged {
        kind: u32,
        sites: Vec<(u32, usize)>,
        group: [u32; 3],
        gone: Option<u32>,
        what: &'static str,
    },
    Trap {
        signal: i32,
        address: usize,
        pc: usize,
        overflow: bool,
        group: [u32; 3],
        thread: [u32; 3],
    },
    /// The checker has its own report.
    Stopped,
}

impl Fault {
    fn message(text: String) -> Fault {
        Fault::Message(text)
    }
}

/// An order of threads: the natural one, or one that a seed picks.
#[derive(Clone, Copy)]
pub(crate) struct Shuffle {
    seed: Option<u64>,
}

impl Shuffle {
    pub(crate) fn new(seed: Option<u64>) -> Shuffle {
        Shuffle { seed }
    }

    /// The `k`th of `n`, in the order of round `round`.
    pub(crate) fn pick(&self, k: u32, n: u32, round: u32) -> u32 {
        let Some(seed) = self.seed else { return k };
        // A step coprime to n, then an offset: a permutation without a table.
        let mix = |x: u64| {
            let x = (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
            (x ^ (x >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53) >> 7
        };
        let h = mix(seed ^ (u64::from(round) << 32) ^ u64::from(n));
        let gcd = |mut a: u64, mut b: u64| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        let n = u64::from(n);
        let mut step = h % n.max(1);
        while step == 0 || gcd(step, n) != 1 {
            step += 1;
        }
        ((u64::from(k) * step + (h >> 20)) % n) as u32
    }
}

/// Counts of one dispatch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) barriers: u64,
    pub(crate) simd_operations: u64,
}

/// One dispatch.
pub(crate) struct Launch {
    pub(crate) module: Arc<Module>,
    pub(crate) thread: Option<ThreadEntry>,
    pub(crate) run: Option<LoopEntry>,
    pub(crate) meets: bool,
    pub(crate) buffers: [usize; 31],
    pub(crate) threadgroup: [u32; 31],
    pub(crate) static_threadgroup: u32,
    pub(crate) slots: Vec<u32>,
    pub(crate) grid: [u32; 3],
    pub(crate) tpg: [u32; 3],
    pub(crate) groups: [u32; 3],
    pub(crate) seed: Option<u64>,
    pub(crate) check: Option<Arc<check::Run>>,
    next: AtomicU32,
    stop: AtomicBool,
    fault: Mutex<Option<Fault>>,
    barriers: AtomicU64,
    simd_operations: AtomicU64,
    chunk: u32,
}

/// Where and how large a dispatch is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) grid: [u32; 3],
    pub(crate) tpg: [u32; 3],
}

impl Launch {
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn new(
        module: Arc<Module>,
        facts: &EntryFacts,
        meets: bool,
        buffers: [usize; 31],
        threadgroup: [u32; 31],
        extent: Extent,
        seed: Option<u64>,
        check: Option<Arc<check::Run>>,
    ) -> Launch {
        let groups = [0, 1, 2].map(|d| extent.grid[d].div_ceil(extent.tpg[d].max(1)));
        let total: u64 = groups.iter().map(|&g| u64::from(g)).product();
        let threads: u64 = extent.tpg.iter().map(|&t| u64::from(t)).product();
        // Enough pieces for balance, large enough not to fight over the counter.
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get()) as u64;
        let by_cores = total.div_ceil(cores * 8);
        let by_size = 65_536u64.div_ceil(threads.max(1));
        Launch {
            thread: facts.thread,
            run: facts.run,
            meets,
            buffers,
            threadgroup,
            static_threadgroup: facts.static_threadgroup,
            slots: facts.slots.clone(),
            grid: extent.grid,
            tpg: extent.tpg,
            groups,
            seed,
            check,
            module,
            next: AtomicU32::new(0),
            stop: AtomicBool::new(false),
            fault: Mutex::new(None),
            barriers: AtomicU64::new(0),
            simd_operations: AtomicU64::new(0),
            chunk: by_cores.min(by_size).max(1) as u32,
        }
    }

    /// Runs to the end, or to the first fault.
    pub(crate) fn execute(&self, limit: Duration) -> Result<Counts, Fault> {
        let total = self.groups.iter().product::<u32>();
        if total > 0 {
            let watched = pool::Watched::start(limit);
            let helpers = total.div_ceil(self.chunk).saturating_sub(1) as usize;
            pool::run(helpers, &|| worker::work(self, &watched));
        }
        match self.fault.lock().unwrap_or_else(|e| e.into_inner()).take() {
            Some(fault) => Err(fault),
            None => Ok(Counts {
                barriers: self.barriers.load(Ordering::Relaxed),
                simd_operations: self.simd_operations.load(Ordering::Relaxed),
            }),
        }
    }

    fn take(&self) -> Option<std::ops::Range<u32>> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let total = self.groups.iter().product::<u32>();
        let from = self.next.fetch_add(self.chunk, Ordering::Relaxed);
        (from < total).then(|| from..(from + self.chunk).min(total))
    }

    /// Keeps the first fault and stops everyone.
    pub(crate) fn fail(&self, fault: Fault) {
        self.stop.store(true, Ordering::Relaxed);
        let mut slot = self.fault.lock().unwrap_or_else(|e| e.into_inner());
        // A fault with a place says more than one without.
        let vague = matches!(*slot, None | Some(Fault::TooLong { pc: 0 }));
        if vague {
            *slot = Some(fault);
        }
    }

    fn fault(&self, exit: Exit, state: *mut ThreadState) -> Fault {
        // SAFETY: the thread has ended; its state stays where it was.
        let s = unsafe { &*state };
        match exit {
            Exit::Cancelled { pc } => Fault::TooLong { pc },
            Exit::Fault { signal, address, pc, overflow } => {
                Fault::Trap { signal, address, pc, overflow, group: s.position, thread: s.local }
            }
            Exit::Stopped | Exit::Done => Fault::Stopped,
        }
    }

    fn threads_per_group(&self) -> usize {
        self.tpg.iter().product::<u32>() as usize
    }

    fn threadgroup_bytes(&self) -> usize {
        let dynamic: u32 = self.threadgroup.iter().map(|n| n.next_multiple_of(16)).sum();
        (self.static_threadgroup.next_multiple_of(16) + dynamic) as usize
    }

    fn slots_range(&self) -> std::ops::Range<usize> {
        let r = self.slots.as_ptr_range();
        r.start as usize..r.end as usize
    }

    fn call(&self, shared: usize, host: &worker::Host) -> Call {
        let mut at = shared + self.static_threadgroup.next_multiple_of(16) as usize;
        let mut threadgroup = [0usize; 31];
        for (slot, len) in threadgroup.iter_mut().zip(self.threadgroup) {
            if len > 0 {
                *slot = at;
                at += len.next_multiple_of(16) as usize;
            }
        }
        Call {
            buffers: self.buffers,
            threadgroup,
            shared,
            shared_at: self.slots.as_ptr(),
            grid: self.grid,
            tpg: self.tpg,
            groups: self.groups,
            pad: 0,
            rt: &RUNTIME,
            host,
        }
    }

    /// The group that comes `n`th, which the shuffler may have moved.
    fn group_number(&self, n: u32) -> u32 {
        Shuffle::new(self.seed).pick(n, self.groups.iter().product::<u32>(), 0x9e37)
    }

    fn position(&self, g: u32) -> [u32; 3] {
        [
            g % self.groups[0],
            g / self.groups[0] % self.groups[1],
            g / self.groups[0] / self.groups[1],
        ]
    }

    fn group_size(&self, position: [u32; 3]) -> [u32; 3] {
        [0, 1, 2].map(|d| (self.grid[d] - position[d] * self.tpg[d]).min(self.tpg[d]))
    }

    fn count_barrier(&self) {
        self.barriers.fetch_add(1, Ordering::Relaxed);
    }

    fn count_simd(&self) {
        self.simd_operations.fetch_add(1, Ordering::Relaxed);
    }
}

static RUNTIME: Runtime = Runtime { meet: worker::meet, log, access, misaligned };

/// `os_log` from a kernel: one line on standard error.
unsafe extern "C" fn log(
    _: *mut ThreadState,
    format: *const std::ffi::c_char,
    words: *const u64,
    n: u32,
) {
    trap::in_host(|| {
        // SAFETY: the format is a literal in the module, the words are on the caller's stack.
        let (format, words) = unsafe {
            (
                std::ffi::CStr::from_ptr(format).to_string_lossy().into_owned(),
                std::slice::from_raw_parts(words, n as usize * 2),
            )
        };
        eprintln!("{}", formatted(&format, words));
    });
}

/// Puts arguments into a printf format; each is a tag (unsigned, signed, float) and its bits.
fn formatted(format: &str, words: &[u64]) -> String {
    let mut args = words.chunks(2);
    let mut out = String::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut spec = String::new();
        while let Some(&c) = chars.peek() {
            spec.push(c);
            chars.next();
            if c.is_ascii_alphabetic() && !matches!(c, 'l' | 'h' | 'z') || c == '%' {
                break;
            }
        }
        if spec == "%" {
            out.push('%');
            continue;
        }
        let Some([tag, bits]) = args.next() else {
            out.push_str("<missing>");
            continue;
        };
        out.push_str(&match (tag, spec.chars().next_back()) {
            (2, _) => f32::from_bits(*bits as u32).to_string(),
            (_, Some('x')) => format!("{bits:x}"),
            (1, _) => (*bits as i64).to_string(),
            _ => bits.to_string(),
        });
    }
    out
}

unsafe extern "C" fn access(address: usize, size: usize, kind: u32, pc: usize) {
    let here = 0u8;
    let state = state_of(&raw const here as usize);
    // Private memory: the thread's own stack.
    if state_of(address) == state {
        return;
    }
    // SAFETY: called by a kernel, on its stack, with its state at the top.
    let stopped = unsafe {
        let host = &*(*(*state).call).host;
        match host.checker {
            Some(local) => trap::in_host(|| (*local).access(address, size, kind, pc, &*state)),
            None => false,
        }
    };
    if stopped {
        stop(state);
    }
}

unsafe extern "C" fn misaligned(
    address: usize,
    align: u32,
    line: u32,
    file: *const std::ffi::c_char,
) {
    let here = 0u8;
    let state = state_of(&raw const here as usize);
    if state_of(address) == state {
        return;
    }
    // SAFETY: as in `access`; the file name is a string in the module.
    unsafe {
        let host = &*(*(*state).call).host;
        if let Some(local) = host.checker {
            trap::in_host(|| {
                let file = if file.is_null() {
                    String::new()
                } else {
                    std::ffi::CStr::from_ptr(file).to_string_lossy().into_owned()
                };
                (*local).misaligned(address, align, line, file, &*state);
            });
        }
    }
}

/// Ends the calling thread, never to come back.
fn stop(state: *mut ThreadState) {
    // SAFETY: the caller's own state; nothing that needs dropping is on its stack.
    unsafe {
        (*state).kind = STOPPED;
        worker::meet(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_is_a_permutation() {
        for n in [1u32, 2, 3, 32, 33, 100, 1024] {
            for seed in [None, Some(1), Some(77)] {
                for round in 0..3 {
                    let s = Shuffle::new(seed);
                    let mut all: Vec<u32> = (0..n).map(|k| s.pick(k, n, round)).collect();
                    all.sort_unstable();
                    assert!(all.into_iter().eq(0..n));
                }
            }
        }
    }

    #[test]
    fn log_formats() {
        let words = [1, (-3i64) as u64, 2, u64::from(1.5f32.to_bits()), 0, 255];
        assert_eq!(formatted("a %d b %.2f c %x %%", &words), "a -3 b 1.5 c ff %");
        assert_eq!(formatted("%d", &[]), "<missing>");
    }
}
