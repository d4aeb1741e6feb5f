//! Memory of the host, zeroed, aligned for vectors and, where it is large, to pages.

use bessemer_core::{Error, Memory, Result};
use memmap2::MmapMut;
use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    ptr::NonNull,
    slice,
};

/// Memory that is freed when dropped.
pub(crate) struct HostBytes {
    first: NonNull<u8>,
    bytes: usize,
    source: Source,
}

enum Source {
    Heap(Layout),
    /// Pages straight from the system: they are zero without being written, and cost nothing
    /// until they are touched.
    Pages {
        _map: MmapMut,
    },
}

// SAFETY: it owns its memory; who may write to it is for the device that holds it to say.
unsafe impl Send for HostBytes {}
// SAFETY: as above.
unsafe impl Sync for HostBytes {}

/// A cache line: what every vector load could want.
const ALIGNMENT: usize = 64;
/// From here on memory comes in pages.
const LARGE: usize = 128 << 10;
/// A huge page, where the system has them: one fault and one address to translate instead of 512.
/// Memory of at least that size starts at one.
const HUGE: usize = 2 << 20;

impl HostBytes {
    pub(crate) fn new(device: &str, bytes: usize) -> Result<HostBytes> {
        let memory = if bytes < LARGE { HostBytes::heap(bytes) } else { HostBytes::pages(bytes) };
        memory.ok_or_else(|| Error::Failed {
            device: device.to_owned(),
            op: "alloc",
            why: format!("the system has no {bytes} bytes of memory left"),
        })
    }

    fn heap(bytes: usize) -> Option<HostBytes> {
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()?;
        // SAFETY: the layout is of at least one byte.
        let first = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(HostBytes { first, bytes, source: Source::Heap(layout) })
    }

    fn pages(bytes: usize) -> Option<HostBytes> {
        let room = if bytes >= HUGE { bytes.checked_add(HUGE)? } else { bytes };
        let mut map = MmapMut::map_anon(room).ok()?;
        let start = if bytes >= HUGE { map.as_mut_ptr().align_offset(HUGE) } else { 0 };
        #[cfg(target_os = "linux")]
        if bytes >= HUGE {
            // Only a wish: small pages do as well, slower. What is no whole huge page is left out:
            // it would take more memory than was asked for.
            let _ = map.advise_range(memmap2::Advice::HugePage, start, bytes / HUGE * HUGE);
        }
        let first = NonNull::new(map[start..].as_mut_ptr())?;
        Some(HostBytes { first, bytes, source: Source::Pages { _map: map } })
    }
}

impl AsMut<[u8]> for HostBytes {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: the memory is initialised and so long, and nobody else reaches it meanwhile.
        unsafe { slice::from_raw_parts_mut(self.first.as_ptr(), self.bytes) }
    }
}

impl Memory for HostBytes {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn host(&self) -> Option<NonNull<u8>> {
        Some(self.first)
    }
}

impl Drop for HostBytes {
    fn drop(&mut self) {
        if let Source::Heap(layout) = self.source {
            // SAFETY: allocated in `heap` with this layout.
            unsafe { dealloc(self.first.as_ptr(), layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zeroed_and_aligned_whatever_its_source() {
        for bytes in [0, 1, 100, LARGE - 1, LARGE, HUGE, 2 * HUGE + 1] {
            let mut memory = HostBytes::new("test", bytes).unwrap();
            let first = memory.host().unwrap().as_ptr();
            let alignment = if bytes >= HUGE { HUGE } else { ALIGNMENT };
            assert!(first.addr().is_multiple_of(alignment));
            let all = memory.as_mut();
            assert!(all.len() == bytes && all.iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn more_than_the_system_has_is_an_error() {
        assert!(HostBytes::new("test", isize::MAX as usize).is_err());
    }
}
