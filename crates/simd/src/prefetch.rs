//! Prefetching memory, where the machine supports it. Any address may be prefetched.

/// A line that will be read at once.
#[inline(always)]
pub fn read<T>(_at: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has the instruction, and it never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(_at.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a hint that never faults.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) _at, options(nostack, preserves_flags, readonly));
    }
}

/// A line that will be read later.
#[inline(always)]
pub fn read_later<T>(_at: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has the instruction, and it never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(_at.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a hint that never faults.
    unsafe {
        std::arch::asm!("prfm pldl2keep, [{}]", in(reg) _at, options(nostack, preserves_flags, readonly));
    }
}

/// A line that will be written.
#[inline(always)]
pub fn write<T>(_at: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: where the instruction is not known it does nothing, and it never faults.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) _at, options(nostack, preserves_flags, readonly));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a hint that never faults.
    unsafe {
        std::arch::asm!("prfm pstl1keep, [{}]", in(reg) _at, options(nostack, preserves_flags, readonly));
    }
}
