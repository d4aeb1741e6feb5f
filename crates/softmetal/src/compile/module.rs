//! A shared object in memory, and what it says of its kernels.

use super::cache::Held;
use crate::error::{Result, io};
use crate::exec::abi::{LoopEntry, ThreadEntry, WalkEntry};
use crate::front::Unit;
use libloading::Library;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Facts about one compiled kernel that only the compiler knows.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntryFacts {
    pub(crate) thread: Option<ThreadEntry>,
    pub(crate) run: Option<LoopEntry>,
    pub(crate) walk: Option<WalkEntry>,
    /// For each argument: the size and alignment of what it points at.
    pub(crate) extents: Vec<(u32, u32)>,
    /// For each argument: whether what it points at is `const`.
    pub(crate) read_only: Vec<bool>,
    /// For each argument: whether its function constant lets it exist.
    pub(crate) present: Vec<bool>,
    /// Bytes of threadgroup variables, and the offset of each slot.
    pub(crate) static_threadgroup: u32,
    pub(crate) slots: Vec<u32>,
}

/// Loaded code.
pub(crate) struct Module {
    pub(crate) entries: HashMap<usize, EntryFacts>,
    /// The addresses it occupies.
    pub(crate) image: std::ops::Range<usize>,
    /// Where it was loaded from, for debug information.
    pub(crate) path: PathBuf,
    _library: Library,
    _file: Arc<Held>,
}

#[repr(C)]
struct SharedRecord {
    tag: usize,
    slot: u32,
    size: u32,
    align: u32,
    pad: u32,
}

impl Module {
    /// Opens a shared object that was made for the `wanted` entries of `unit`.
    pub(crate) fn open(file: Arc<Held>, unit: &Unit, wanted: &[usize]) -> Result<Module> {
        let fail = |e: libloading::Error| io(format!("loading {}", file.path().display()), e);
        // SAFETY: the file was made by our own clang run and verified by digest; it has no
        // initialisers beyond the sanitizer's empty one.
        let library = unsafe { Library::new(file.path()) }.map_err(fail)?;
        let mut range = [0usize; 2];
        // SAFETY: the symbols below are emitted by `front::emit` with exactly these types.
        unsafe {
            let shared = library
                .get::<unsafe extern "C" fn(*mut usize)>(b"__sm_shared_range")
                .map_err(fail)?;
            shared(range.as_mut_ptr());
        }
        let count = (range[1] - range[0]) / size_of::<SharedRecord>();
        // SAFETY: the linker put whole records between the two symbols.
        let records = unsafe { std::slice::from_raw_parts(range[0] as *const SharedRecord, count) };
        let mut entries = HashMap::new();
        for &n in wanted {
            entries.insert(n, facts(&library, unit, n, records).map_err(fail)?);
        }
        let image = image_of(range[0]);
        Ok(Module {
            entries,
            image,
            path: file.path().to_path_buf(),
            _library: library,
            _file: file,
        })
    }
}

fn facts(
    library: &Library,
    unit: &Unit,
    n: usize,
    records: &[SharedRecord],
) -> std::result::Result<EntryFacts, libloading::Error> {
    let entry = &unit.entries[n];
    let mut facts = EntryFacts::default();
    // SAFETY: as above: names and types are those `front::emit` and entry.h agree on.
    unsafe {
        facts.thread = library.get::<ThreadEntry>(format!("__sm_thread_{n}")).ok().map(|s| *s);
        facts.run = library.get::<LoopEntry>(format!("__sm_loop_{n}")).ok().map(|s| *s);
        facts.walk = library.get::<WalkEntry>(format!("__sm_walk_{n}")).ok().map(|s| *s);
        let extents = library.get::<unsafe extern "C" fn(*mut u32)>(format!("__sm_facts_{n}"))?;
        let mut out = vec![0u32; entry.args.len() * 3 + 3];
        extents(out.as_mut_ptr());
        let each = || out.chunks(3).take(entry.args.len());
        facts.extents = each().map(|c| (c[0], c[1])).collect();
        facts.read_only = each().map(|c| c[2] != 0).collect();
        let conditional = entry.args.iter().filter(|a| a.condition.is_some()).count();
        let mut on = vec![1u32; conditional];
        if conditional > 0 {
            library.get::<unsafe extern "C" fn(*mut u32)>(format!("__sm_present_{n}"))?(
                on.as_mut_ptr(),
            );
        }
        let mut on = on.into_iter();
        facts.present =
            entry.args.iter().map(|a| a.condition.is_none() || on.next() == Some(1)).collect();
        if entry.tag.is_some() {
            let tag = library.get::<unsafe extern "C" fn() -> usize>(format!("__sm_tag_{n}"))?();
            facts.slots = vec![0; unit.slots as usize];
            let mut end = 0u32;
            for r in records.iter().filter(|r| r.tag == tag) {
                let align = r.align.max(16);
                let at = end.next_multiple_of(align);
                if let Some(slot) = facts.slots.get_mut(r.slot as usize) {
                    *slot = at;
                }
                end = at.saturating_add(r.size);
            }
            facts.static_threadgroup = end.next_multiple_of(16);
        }
    }
    Ok(facts)
}

/// The addresses of the mapping that holds `address`, and of its neighbours from the same file.
fn image_of(address: usize) -> std::ops::Range<usize> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let parse = |line: &str| -> Option<(usize, usize, String)> {
        let (range, rest) = line.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        let name = rest.split_whitespace().nth(4).unwrap_or("").to_string();
        Some((usize::from_str_radix(from, 16).ok()?, usize::from_str_radix(to, 16).ok()?, name))
    };
    let all: Vec<_> = maps.lines().filter_map(parse).collect();
    let Some(home) = all.iter().find(|(from, to, _)| (*from..*to).contains(&address)) else {
        return 0..0;
    };
    let same: Vec<_> =
        all.iter().filter(|(_, _, name)| *name == home.2 && !name.is_empty()).collect();
    let from = same.iter().map(|m| m.0).min().unwrap_or(home.0);
    let mut to = same.iter().map(|m| m.1).max().unwrap_or(home.1);
    // Zero-initialised data follows without a name.
    if let Some(next) = all.iter().find(|m| m.0 == to && m.2.is_empty()) {
        to = next.1;
    }
    from..to
}
