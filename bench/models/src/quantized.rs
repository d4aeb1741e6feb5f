//! Files that bessemer's own quantiser makes.

use anyhow::{Context, Result};
use bessemer::llm::{files::Gguf, quantize::quantize};
use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

/// The file in another format, such as `Q8_0`, made if it is not there yet.
pub fn quantized(source: &Path, to: &Path, kind: &str) -> Result<PathBuf> {
    if !to.exists() {
        let part = to.with_extension("part");
        let threads = thread::available_parallelism().map_or(1, usize::from);
        quantize(&Gguf::open(source)?, &part, kind.parse()?, threads, &mut |_| ())?;
        fs::rename(&part, to).with_context(|| format!("making {}", to.display()))?;
    }
    Ok(to.to_owned())
}
