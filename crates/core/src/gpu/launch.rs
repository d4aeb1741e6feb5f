//! A launch: which kernel runs, on which memory, in how many threads.

use super::Kernel;
use crate::View;
use std::ops::Range;

/// All an op runs on a GPU, in order. None means that there is nothing to do.
#[derive(Clone, Debug, Default)]
pub struct Launches {
    /// The launches; each sees what those before it wrote.
    pub launches: Vec<Launch>,
    /// Bytes of memory they use between them, from the device, not initialised.
    pub scratch: usize,
}

impl Launches {
    /// These and then those of another op, which has the same scratch memory for itself.
    pub fn then(mut self, others: Launches) -> Launches {
        self.launches.extend(others.launches);
        self.scratch = self.scratch.max(others.scratch);
        self
    }
}

impl From<Launch> for Launches {
    fn from(launch: Launch) -> Launches {
        Launches { launches: vec![launch], scratch: 0 }
    }
}

/// One dispatch of one kernel.
#[derive(Clone, Debug)]
pub struct Launch {
    /// What runs.
    pub kernel: Kernel,
    /// Its buffers: binding `i` is `[[buffer(i)]]` of MSL and `@group(0) @binding(i)` of WGSL.
    pub bindings: Vec<Binding>,
    /// Its numbers, bound after the last buffer.
    pub params: Params,
    /// Threadgroups (workgroups) in x, y and z; if one is 0, nothing runs.
    pub groups: [u32; 3],
    /// Threads of a threadgroup in x, y and z. WGSL says it itself, by the overrides or defines
    /// this was made from. With [`Launch::FREE`] a Metal device chooses them from the limits of the
    /// pipeline, and `groups` are threads: as many as run.
    pub threads: [u32; 3],
}

impl Launch {
    /// Threadgroups of any shape: for kernels whose threads know nothing of each other.
    pub const FREE: [u32; 3] = [0; 3];
}

/// Memory a launch uses.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A view that is only read. On Metal the binding starts at its lowest byte, which is its
    /// first element unless a stride is negative ([`View::lead`] says how far apart they are); on
    /// WebGPU at the last multiple of the device's alignment before that byte.
    Read(View),
    /// A view that is written, and perhaps read; it starts as one that is read.
    Write(View),
    /// Bytes of the scratch memory of this op, written by one launch and read by the next.
    Scratch {
        /// Which bytes.
        range: Range<usize>,
        /// Whether this launch writes them.
        write: bool,
    },
}

/// Numbers for a kernel, four bytes each: a struct of `uint`, `int` and `float` members.
///
/// ```
/// use bessemer_core::gpu::Params;
///
/// let params = Params::new().u32(7).i32(-1).f32(1.0);
/// assert_eq!(params.words(), [7, 0xffff_ffff, 0x3f80_0000]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params(Vec<u32>);

impl Params {
    /// None.
    pub fn new() -> Params {
        Params::default()
    }

    /// A `uint` more.
    pub fn u32(mut self, value: u32) -> Params {
        self.0.push(value);
        self
    }

    /// An `int` more.
    pub fn i32(self, value: i32) -> Params {
        self.u32(value.cast_unsigned())
    }

    /// A `float` more.
    pub fn f32(self, value: f32) -> Params {
        self.u32(value.to_bits())
    }

    /// Their bits, in order.
    pub fn words(&self) -> &[u32] {
        &self.0
    }
}
