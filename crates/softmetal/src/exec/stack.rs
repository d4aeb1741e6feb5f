//! Stacks for threads: one large mapping per worker, a guard page below each stack, and each
//! aligned to its size so that a thread finds its state from its own stack pointer.

use super::abi::{STACK, ThreadState, state_of};
use corosensei::stack::{Stack, StackPointer};
use std::num::NonZeroUsize;

/// A worker's stacks.
pub(crate) struct Stacks {
    base: usize,
    count: usize,
    mapped: usize,
    map: usize,
}

/// One stack, borrowed from [`Stacks`].
#[derive(Clone, Copy)]
pub(crate) struct OneStack {
    limit: usize,
}

const GUARD: usize = 65536;

impl Stacks {
    /// Reserves `count` stacks. Memory is taken as it is touched.
    pub(crate) fn new(count: usize) -> std::io::Result<Stacks> {
        let mapped = (count + 1) * STACK;
        // SAFETY: a fresh anonymous mapping; nothing else knows of it.
        let map = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if map == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        let stacks = Stacks {
            base: (map as usize).next_multiple_of(STACK),
            count,
            mapped,
            map: map as usize,
        };
        for i in 0..count {
            // SAFETY: the page range is inside the mapping above.
            let rc = unsafe {
                libc::mprotect((stacks.base + i * STACK) as *mut _, GUARD, libc::PROT_NONE)
            };
            if rc != 0 {
                return Err(std::io::Error::last_os_error());
            }
        }
        Ok(stacks)
    }

    pub(crate) fn get(&self, i: usize) -> OneStack {
        assert!(i < self.count);
        OneStack { limit: self.base + i * STACK }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`; no coroutine on it outlives the worker.
        unsafe { libc::munmap(self.map as *mut _, self.mapped) };
    }
}

impl OneStack {
    pub(crate) fn state(&self) -> *mut ThreadState {
        state_of(self.limit)
    }

    pub(crate) fn in_guard(&self, address: usize) -> bool {
        (self.limit..self.limit + GUARD).contains(&address)
    }
}

// SAFETY: the guard page is the lowest of the stack, and far more than the minimum is usable
// between it and the state at the top.
unsafe impl Stack for OneStack {
    fn base(&self) -> StackPointer {
        let top = (self.state() as usize) & !63;
        NonZeroUsize::new(top).unwrap_or(NonZeroUsize::MIN)
    }

    fn limit(&self) -> StackPointer {
        NonZeroUsize::new(self.limit).unwrap_or(NonZeroUsize::MIN)
    }
}
