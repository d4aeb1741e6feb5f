//! The structs that kernels and the executor share. Their C++ twins are in
//! stdlib/softmetal/runtime.h and entry.h: field for field the same.

/// Bytes of each thread's stack; stacks are aligned to it.
pub(crate) const STACK: usize = 262_144;
/// Threads of a SIMD-group.
pub(crate) const WIDTH: usize = 32;

/// Runs one thread.
pub(crate) type ThreadEntry = unsafe extern "C" fn(*const Call, *const Index);
/// Runs one threadgroup, checked: the number of its first thread in the grid, the thread to begin
/// with and the step to the next.
pub(crate) type WalkEntry = unsafe extern "C" fn(*const Call, *const Index, u32, u32, u32);
/// Runs a number of whole threadgroups from the first given.
pub(crate) type LoopEntry = unsafe extern "C" fn(*const Call, u32, u32);

#[repr(C, align(64))]
pub(crate) struct Exchange {
    value: [[u8; 32]; 32],
    result: [u8; 32],
    pad: [u8; 32],
    a: [f32; 64],
    b: [f32; 64],
    c: [f32; 64],
    pub(crate) ready: u32,
    tail: [u32; 15],
}

#[repr(C, align(64))]
pub(crate) struct Simd {
    pub(crate) slot: [Exchange; 2],
    pub(crate) turn: u32,
    pub(crate) active: u32,
}

#[repr(C)]
pub(crate) struct Runtime {
    pub(crate) meet: unsafe extern "C" fn(*mut ThreadState),
    pub(crate) log:
        unsafe extern "C" fn(*mut ThreadState, *const std::ffi::c_char, *const u64, u32),
    pub(crate) access: unsafe extern "C" fn(usize, usize, u32, usize),
    pub(crate) misaligned: unsafe extern "C" fn(usize, u32, u32, *const std::ffi::c_char),
    pub(crate) stray: unsafe extern "C" fn(usize, usize, u32, usize),
    pub(crate) undefined: unsafe extern "C" fn(u32, u64, *const TypeName, *const TypeName, usize),
}

/// A type as clang describes it to its sanitizers; the name goes on to a zero.
#[repr(C)]
pub(crate) struct TypeName {
    pub(crate) kind: u16,
    pub(crate) info: u16,
    pub(crate) name: [std::ffi::c_char; 1],
}

#[repr(C)]
pub(crate) struct Call {
    pub(crate) buffers: [usize; 31],
    pub(crate) threadgroup: [usize; 31],
    pub(crate) shared: usize,
    pub(crate) shared_at: *const u32,
    pub(crate) grid: [u32; 3],
    pub(crate) tpg: [u32; 3],
    pub(crate) groups: [u32; 3],
    pub(crate) pad: u32,
    pub(crate) rt: *const Runtime,
    /// Not seen by kernels: the worker this call belongs to.
    pub(crate) host: *const super::worker::Host,
}

#[repr(C)]
pub(crate) struct ThreadState {
    pub(crate) call: *const Call,
    pub(crate) simd: *mut Simd,
    pub(crate) site: usize,
    pub(crate) kind: u32,
    pub(crate) flags: u32,
    pub(crate) position: [u32; 3],
    pub(crate) size: [u32; 3],
    pub(crate) local: [u32; 3],
    pub(crate) index: u32,
    pub(crate) lane: u32,
    pub(crate) alive: u32,
    pub(crate) number: u32,
    pub(crate) sites: *const crate::check::Site,
    /// One byte for eight of the stack, as the address sanitizer has it: not 0 where the bytes, or
    /// all from some byte on, belong to no variable.
    pub(crate) private: usize,
    pub(crate) yielder: usize,
}

impl ThreadState {
    /// The thread's position in its threadgroup.
    pub(crate) fn place(&self) -> [u32; 3] {
        let [x, y, _] = self.size.map(|n| n.max(1));
        [self.index % x, self.index / x % y, self.index / x / y]
    }
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Index {
    pub(crate) position: [u32; 3],
    pub(crate) local: [u32; 3],
    pub(crate) size: [u32; 3],
}

pub(crate) const BARRIER: u32 = 0;
pub(crate) const SIMD_BARRIER: u32 = 1;
pub(crate) const SHUFFLE: u32 = 3;
pub(crate) const MATRIX: u32 = 4;
/// Not a meeting: the checker ends the thread.
pub(crate) const STOPPED: u32 = 99;

/// The state at the top of the stack that `address` lies in.
pub(crate) fn state_of(address: usize) -> *mut ThreadState {
    ((address & !(STACK - 1)) + STACK - size_of::<ThreadState>()) as *mut ThreadState
}

/// What a meeting point is called in messages.
pub(crate) fn meeting(kind: u32) -> &'static str {
    match kind {
        BARRIER => "threadgroup_barrier",
        SIMD_BARRIER => "simdgroup_barrier",
        SHUFFLE => "a SIMD-group shuffle",
        MATRIX => "a simdgroup_matrix multiplication",
        _ => "a SIMD-group function",
    }
}
