//! The kernels that a device has compiled, for reports.

/// A kernel that a device was asked to compile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CompiledKernel {
    /// The name of its text.
    pub file: String,
    /// Its function.
    pub entry: String,
    /// The names and numbers it was specialised by: `A=half COLUMNS=4 #0=64`.
    pub variant: String,
    /// Its limits, or why it cannot be made.
    pub outcome: Result<KernelLimits, String>,
}

/// What a compiled kernel can be launched with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelLimits {
    /// The most threads of a threadgroup.
    pub max_threads: u32,
    /// Threads that run in lockstep.
    pub simd_width: u32,
    /// Bytes of threadgroup memory that it has by itself.
    pub threadgroup_bytes: u32,
}
