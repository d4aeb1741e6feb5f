//! What a kernel finds on a device: memory for threadgroups, and registers for threads.

use super::{Device, Profile};
use crate::error::Result;
use crate::exec::MAX_THREADS;
use crate::front::{ConstantValues, Entry, Unit};
use std::collections::BTreeMap;

/// What there is for some kernels of a library.
pub(crate) struct Room {
    pub(crate) threadgroup_memory: usize,
    profile: &'static Profile,
    /// Halves of 32-bit registers that a thread needs, of the kernels where they are counted.
    registers: BTreeMap<usize, u32>,
}

/// How many threads a threadgroup of a kernel may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Threads {
    pub(crate) most: u64,
    /// What keeps it from having more.
    pub(crate) why: String,
}

impl Room {
    pub(crate) fn of(
        device: &Device,
        unit: &Unit,
        entries: &[usize],
        values: &ConstantValues,
    ) -> Result<Room> {
        let profile = device.profile();
        // A kernel that says how many threads it has is compiled so that they fit.
        let open: Vec<usize> =
            entries.iter().copied().filter(|&n| unit.entries[n].max_threads.is_none()).collect();
        let registers = match profile.occupancy.is_empty() || open.is_empty() {
            true => BTreeMap::new(),
            false => device.inner.compiler()?.registers(unit, &open, values)?,
        };
        let threadgroup_memory = device.max_threadgroup_memory_length();
        Ok(Room { threadgroup_memory, profile, registers })
    }

    /// How many threads kernel `number` may have.
    pub(crate) fn threads(&self, entry: &Entry, number: usize) -> Threads {
        if let Some(declared) = entry.max_threads {
            let most = u64::from(declared).min(MAX_THREADS);
            return Threads {
                most,
                why: format!("[[max_total_threads_per_threadgroup({declared})]]"),
            };
        }
        let halves = self.registers.get(&number).copied().unwrap_or(0);
        let fits = |&&(registers, _): &&(u32, u32)| halves <= registers;
        let table = self.profile.occupancy;
        match table.iter().find(fits).or(table.last()) {
            Some(&(_, most)) if u64::from(most) < MAX_THREADS => {
                let why = format!(
                    "a thread needs about {} registers, and '{}' has no more for so many; \
                     [[max_total_threads_per_threadgroup(N)]] makes the compiler do with fewer",
                    halves.div_ceil(2),
                    self.profile.name
                );
                Threads { most: u64::from(most), why }
            }
            _ => Threads { most: MAX_THREADS, why: "no GPU has more".into() },
        }
    }
}
