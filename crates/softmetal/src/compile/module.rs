//! A shared object in memory, and what it says of its kernels.

use super::cache::Held;
use crate::error::{Result, io};
use crate::exec::abi::{LoopEntry, ThreadEntry, WalkEntry};
use crate::front::Unit;
use libloading::Library;
use std::collections::HashMap;
use std::ops::Range;
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
    /// Bytes of threadgroup variables, and each of them.
    pub(crate) static_threadgroup: u32,
    pub(crate) shared: Vec<SharedVariable>,
    /// How many slots of threadgroup variables the whole library has.
    pub(crate) slots: usize,
}

/// A threadgroup variable of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SharedVariable {
    pub(crate) slot: usize,
    pub(crate) offset: u32,
    pub(crate) size: u32,
}

/// A constant of the program, and the room behind it that is nobody's.
#[derive(Clone, Debug)]
struct Table {
    name: String,
    range: Range<usize>,
    end: usize,
}

/// Loaded code.
pub(crate) struct Module {
    pub(crate) entries: HashMap<usize, EntryFacts>,
    /// The addresses it occupies.
    pub(crate) image: Range<usize>,
    /// Constants with room behind them, of code that is checked.
    tables: Vec<Table>,
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
            tables: tables(&library),
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
            facts.slots = unit.slots as usize;
            let mut end = 0u32;
            for r in records.iter().filter(|r| r.tag == tag) {
                let offset = end.next_multiple_of(r.align.max(16));
                let slot = r.slot as usize;
                facts.shared.push(SharedVariable { slot, offset, size: r.size });
                end = offset.saturating_add(r.size);
            }
            facts.static_threadgroup = end.next_multiple_of(16);
        }
    }
    Ok(facts)
}

impl Module {
    /// The constant that holds an address.
    pub(crate) fn table(&self, address: usize) -> Option<Range<usize>> {
        let found = self.tables.iter().find(|t| t.range.contains(&address));
        found.map(|t| t.range.clone())
    }

    /// The constant that an access has left by its end: its name and where it is.
    pub(crate) fn overrun(&self, address: usize, size: usize) -> Option<(String, Range<usize>)> {
        let past =
            |t: &&Table| (t.range.start..t.end).contains(&address) && address + size > t.range.end;
        self.tables.iter().find(past).map(|t| (t.name.clone(), t.range.clone()))
    }
}

/// What the address sanitizer says of constants: it gives each some room, and a record of eight
/// numbers: where it is, its size, that with the room, its name and more.
fn tables(library: &Library) -> Vec<Table> {
    let mut list = [0usize; 2];
    // SAFETY: check.h has it, with this type; code that is not checked has not.
    unsafe {
        let Ok(get) = library.get::<unsafe extern "C" fn(*mut usize)>(b"__sm_tables") else {
            return Vec::new();
        };
        get(list.as_mut_ptr());
    }
    if list[0] == 0 {
        return Vec::new();
    }
    // SAFETY: the compiler's own table, in the module.
    let records = unsafe { std::slice::from_raw_parts(list[0] as *const [usize; 8], list[1]) };
    let one = |r: &[usize; 8]| {
        // SAFETY: a string in the module.
        let name = unsafe { std::ffi::CStr::from_ptr(r[3] as *const std::ffi::c_char) };
        let name = name.to_string_lossy();
        // As src/front/variables.rs calls the data of a constant.
        let name = name.strip_prefix("__sm_data_").unwrap_or(&name).to_owned();
        Table { name, range: r[0]..r[0] + r[1], end: r[0] + r[2] }
    };
    records.iter().map(one).collect()
}

/// The addresses of the mapping that holds `address`, and of its neighbours from the same file.
fn image_of(address: usize) -> Range<usize> {
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
