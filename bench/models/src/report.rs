//! What came out, as a table in `README.md` and as JSON.

use anyhow::Result;
use bessemer_models_bench::{
    bandwidth::Reading,
    line::{Line, table},
};
use serde::Serialize;
use std::{fs, path::Path};

/// The whole run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) peer: String,
    pub(crate) threads: usize,
    pub(crate) rounds: usize,
    /// Bytes per second that can be read.
    pub(crate) bandwidth: Reading,
    pub(crate) lines: Vec<Line>,
}

impl Report {
    /// As Markdown.
    pub(crate) fn table(&self) -> String {
        let Report { peer, threads, rounds, bandwidth, lines } = self;
        format!(
            "Against {peer}, {threads} threads, best of {rounds} rounds of each side in turn; \
             memory can be read at {:.1} GB/s, in pages of 2 MB at {:.1}.\n\n{}",
            bandwidth.small_pages / 1e9,
            bandwidth.large_pages / 1e9,
            table(lines)
        )
    }

    /// Rewrites the page and the figures beside it.
    pub(crate) fn write(&self) -> Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        fs::write(folder.join("results.json"), serde_json::to_string_pretty(self)? + "\n")?;
        bessemer_bench_page::rewrite(
            &folder.join("README.md"),
            "cargo xtask bench models",
            &self.table(),
        )
    }
}
