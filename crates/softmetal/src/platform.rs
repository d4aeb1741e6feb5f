//! What softmetal needs of the system it runs on, asked once when a device is opened.

use crate::error::{Result, invalid};

/// Whether kernels can be run here: they are ELF shared objects, whose records are found by symbols
/// of the linker and whose addresses come from `/proc/self/maps`.
pub(crate) fn supported() -> Result<()> {
    if cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))) {
        return Ok(());
    }
    invalid(
        "Device::open",
        format!(
            "softmetal runs kernels on Linux (x86_64, aarch64), not on {} ({})",
            std::env::consts::OS,
            std::env::consts::ARCH
        ),
    )
}

/// Bytes of a page.
pub(crate) fn page() -> usize {
    // SAFETY: `sysconf` only reads a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096).max(4096)
}

/// Whether every byte of a range is mapped.
pub(crate) fn is_mapped(range: std::ops::Range<usize>) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let bounds = |line: &str| {
        let (from, to) = line.split_once(' ')?.0.split_once('-')?;
        Some((usize::from_str_radix(from, 16).ok()?, usize::from_str_radix(to, 16).ok()?))
    };
    // The list is in order of addresses.
    let reached = maps
        .lines()
        .filter_map(bounds)
        .fold(range.start, |at, (from, to)| if (from..to).contains(&at) { to } else { at });
    reached >= range.end
}
