//! Huge pages: reads files into memory with 2 MB pages. Memory-mapped files have 4 KB pages, and reading a
//! whole model for every token is then bound by address translation (TLB misses).

use crate::{machine, memory::HostBytes};
use bessemer_core::{
    HostMemory,
    cpu::{Output, ThreadPool},
};
use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    sync::atomic::{AtomicBool, Ordering},
};

/// Less is in a cache before long, whatever its pages are.
const LEAST: usize = 16 << 20;
/// What a thread reads at a time.
const PIECE: usize = 4 << 20;

/// A copy of a mapped file in large pages, if the system has them and memory is plenty: `room` is
/// what the device may use for it.
///
/// Where this fails the map is as good, only slower.
pub(crate) fn copy(
    host: &HostMemory,
    room: usize,
    thread_pool: &dyn ThreadPool,
) -> Option<HostBytes> {
    let (file, start) = host.file()?;
    let bytes = host.bytes().len();
    let fits = || bytes <= room && bytes <= machine::unused_memory() / 2;
    if bytes < LEAST || !fits() || !offered() {
        return None;
    }
    let mut copy = HostBytes::new("cpu", bytes).ok()?;
    read(file, start, copy.as_mut(), thread_pool).then_some(copy)
}

/// Whether the system gives large pages to those who ask.
fn offered() -> bool {
    let setting = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
    setting.is_ok_and(|text| !text.contains("[never]"))
}

/// Reads a file from `start` on, and says whether that went well.
fn read(file: &File, start: u64, to: &mut [u8], thread_pool: &dyn ThreadPool) -> bool {
    let failed = AtomicBool::new(false);
    let to = Output::of(to);
    thread_pool.run(to.len().div_ceil(PIECE), &|piece| {
        let range = piece * PIECE..to.len().min((piece + 1) * PIECE);
        let at = start + range.start as u64;
        // SAFETY: pieces do not overlap, and each is one task's.
        let piece = unsafe { to.range(range) };
        if !failed.load(Ordering::Relaxed) && file.read_exact_at(piece, at).is_err() {
            failed.store(true, Ordering::Relaxed);
        }
    });
    !failed.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread_pool::WorkerPool;
    use bessemer_core::Memory;
    use memmap2::Mmap;
    use std::{io::Write, sync::Arc};

    fn mapped(file: &File) -> HostMemory {
        // SAFETY: the file is this test's alone, which does not read what it cuts off.
        let map = unsafe { Mmap::map(file) }.unwrap();
        HostMemory::mapped(Arc::new(map), file.try_clone().unwrap())
    }

    #[test]
    fn a_file_is_copied_whole_where_there_is_room() {
        let mut file = tempfile::tempfile().unwrap();
        let bytes: Vec<u8> = (0..LEAST as u32 / 4 + 100).flat_map(u32::to_le_bytes).collect();
        file.write_all(&bytes).unwrap();
        let (host, thread_pool) = (mapped(&file), WorkerPool::new(2).unwrap());
        for start in [0, 300] {
            let part = host.slice(start..bytes.len()).unwrap();
            let found = copy(&part, part.bytes().len(), &thread_pool);
            assert_eq!(found.is_some(), offered());
            if let Some(mut found) = found {
                assert!(*found.as_mut() == bytes[start..]);
                assert!(found.host().unwrap().as_ptr().addr().is_multiple_of(2 << 20));
            }
        }
        assert!(copy(&host, bytes.len() - 1, &thread_pool).is_none(), "no room");
        assert!(copy(&host.slice(0..LEAST - 1).unwrap(), LEAST, &thread_pool).is_none(), "small");
        let unmapped = HostMemory::new(Arc::new(bytes));
        assert!(copy(&unmapped, usize::MAX, &thread_pool).is_none(), "no file");
    }

    #[test]
    fn a_file_that_cannot_be_read_stays_mapped() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(LEAST as u64 + 1).unwrap();
        let host = mapped(&file);
        file.set_len(LEAST as u64).unwrap();
        assert!(copy(&host, usize::MAX, &WorkerPool::new(2).unwrap()).is_none());
    }
}
