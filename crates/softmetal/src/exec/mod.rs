//! The executor: runs a compiled kernel over a grid. What is bound and checked is decided above.

pub(crate) mod abi;
mod callbacks;
mod group;
mod launch;
mod layout;
mod pool;
mod shuffle;
mod stack;
mod symbols;
mod trap;
mod worker;

pub(crate) use launch::{Extent, Lacks, Launch};
pub(crate) use layout::Span;
pub(crate) use symbols::{Place, Symbols};

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
    /// The GPU that is imitated does not have it.
    Lacks {
        what: &'static str,
        pc: usize,
    },
    /// The checker has its own report.
    Stopped,
}

impl Fault {
    fn message(text: String) -> Fault {
        Fault::Message(text)
    }
}
