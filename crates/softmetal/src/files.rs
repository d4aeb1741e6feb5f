//! Reading what the user names, which may be anything.

use crate::error::{Result, io};
use std::path::Path;

/// The text of a file. Devices are refused, as some of them never end.
pub(crate) fn text(path: &Path) -> Result<String> {
    let fail = |e: std::io::Error| io(format!("reading {}", path.display()), e);
    let kind = std::fs::metadata(path).map_err(fail)?.file_type();
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_char_device() || kind.is_block_device() {
            return Err(io(format!("reading {}", path.display()), "it is a device, not a file"));
        }
    }
    // Comments in old encodings are no error to a compiler.
    let bytes = std::fs::read(path).map_err(fail)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
