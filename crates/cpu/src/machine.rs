//! Properties of this machine: its CPU and memory.

#[cfg(unix)]
use crate::container;
use std::{env, fs, thread};

/// The processor's own name for itself.
pub(crate) fn processor() -> String {
    let named = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    named.or_else(brand).unwrap_or_else(|| format!("{} processor", env::consts::ARCH))
}

/// The name that the processor itself tells, whatever the system.
#[cfg(target_arch = "x86_64")]
fn brand() -> Option<String> {
    use std::arch::x86_64::__cpuid;
    const NAME: std::ops::RangeInclusive<u32> = 0x8000_0002..=0x8000_0004;
    if __cpuid(0x8000_0000).eax < *NAME.end() {
        return None;
    }
    let words = NAME.map(__cpuid).flat_map(|part| [part.eax, part.ebx, part.ecx, part.edx]);
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).take_while(|&byte| byte != 0).collect();
    let name = String::from_utf8(bytes).ok()?.trim().to_owned();
    (!name.is_empty()).then_some(name)
}

#[cfg(not(target_arch = "x86_64"))]
fn brand() -> Option<String> {
    None
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
    #[cfg(windows)]
    if let Some(bytes) = installed().filter(|&bytes| bytes > 0) {
        return bytes;
    }
    isize::MAX as usize
}

/// The memory that Windows has for programs.
#[cfg(windows)]
fn installed() -> Option<usize> {
    use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
    let bytes = size_of::<MEMORYSTATUSEX>() as u32;
    let mut status = MEMORYSTATUSEX { dwLength: bytes, ..Default::default() };
    // SAFETY: the structure says how long it is, and lives until the call is over.
    let told = unsafe { GlobalMemoryStatusEx(&mut status) } != 0;
    told.then(|| usize::try_from(status.ullTotalPhys).ok()).flatten()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_says_what_it_has() {
        assert!((1 << 27..isize::MAX as usize).contains(&memory()), "{}", memory());
        assert!(threads() > 0);
        assert!(!processor().trim().is_empty());
        #[cfg(target_arch = "x86_64")]
        assert!(brand().is_none_or(|name| name.is_ascii()), "{:?}", brand());
    }
}
