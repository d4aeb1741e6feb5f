//! The capabilities and limits of a GPU.

/// What launches may depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuTraits {
    /// Its name for people: `Apple M2 Max`, `llvmpipe`.
    pub name: String,
    /// Threads that run in lockstep: a simdgroup, a subgroup. 1 if unknown or changing.
    pub simd_width: u32,
    /// Whether sums and shuffles over those threads work.
    pub simd_reduce: bool,
    /// Whether 8×8 matrices held by those threads work.
    pub simd_matrix: bool,
    /// Whether kernels can compute with 16-bit floats.
    pub f16: bool,
    /// Whether kernels know bfloat16.
    pub bf16: bool,
    /// The most threads of a threadgroup.
    pub max_threads: u32,
    /// The most bytes of threadgroup memory.
    pub max_threadgroup_bytes: u32,
    /// The most threadgroups along one dimension.
    pub max_groups: u32,
    /// The most buffers of a launch.
    pub max_buffers: u32,
    /// The most bytes of one binding.
    pub max_binding_bytes: u64,
    /// The most bytes of weights that are sure to be bound whole; ops go through longer ones in
    /// parts. It is less than the most of a binding where a model may lie in several buffers.
    pub part_bytes: u64,
    /// What offsets of bindings are multiples of.
    pub offset_alignment: u32,
    /// Cores, or a guess: how many threadgroups are needed to keep it busy.
    pub cores: u32,
}
