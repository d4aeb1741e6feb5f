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
