//! What machine this is.

#[cfg(unix)]
use crate::container;
use std::{env, fs, thread};

/// The processor's own name for itself.
pub(crate) fn processor() -> String {
    let named = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    named.unwrap_or_else(|| format!("{} processor", env::consts::ARCH))
}

/// The threads the system lets this process run at once.
pub(crate) fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The memory this process may use: that of the machine, or less if its container has less. No limit
/// where the system does not say.
pub(crate) fn memory() -> usize {
    #[cfg(unix)]
    {
        // SAFETY: `sysconf` only reads a number.
        let value = |name| usize::try_from(unsafe { libc::sysconf(name) }).unwrap_or(0);
        let bytes = value(libc::_SC_PHYS_PAGES).saturating_mul(value(libc::_SC_PAGESIZE));
        if bytes > 0 {
            return bytes.min(container::memory());
        }
    }
    isize::MAX as usize
}

/// The memory that programs could still take without anyone going short; none where the system does
/// not say.
#[cfg(target_os = "linux")]
pub(crate) fn unused_memory() -> usize {
    let said = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()
    });
    said.map_or(0, |kilobytes| kilobytes.saturating_mul(1024))
}
