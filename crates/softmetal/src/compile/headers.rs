//! How a translated file gets our headers: precompiled where that works, as text otherwise.

use super::cache::{Cache, Held, Scratch, digest};
use super::clang::{Clang, run};
use super::stdlib::Installed;
use crate::error::Result;
use crate::front::Mode;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// The headers of one mode.
pub(super) struct Headers {
    text: PathBuf,
    precompiled: Option<Held>,
}

impl Headers {
    /// Precompiled headers from the cache, made now if need be.
    pub(super) fn new(
        clang: &Clang,
        lib: &Installed,
        cache: &Cache,
        mode: Mode,
    ) -> Result<Headers> {
        let text = lib.prelude()?;
        let mut c = clang.language(mode);
        let key = digest(&[
            "headers",
            &format!("{c:?} {mode:?}"),
            &clang.identity,
            &lib.digest,
            &text.to_string_lossy(),
            &super::cpu(),
        ]);
        let precompiled = cache.hold(&key, "pch").or_else(|| {
            cache.folder()?;
            let output = Scratch::new("pch").ok()?;
            // Times are left out so that headers written again are still the same headers.
            c.args(["-Xclang", "-emit-pch", "-Xclang", "-fno-pch-timestamp", "-c"]);
            c.arg(&text).arg("-o").arg(output.path());
            run(c, b"", Duration::from_secs(60)).ok()?;
            cache.write(&key, "pch", &output.read().ok()?);
            cache.hold(&key, "pch")
        });
        Ok(Headers { text, precompiled })
    }

    /// The headers as they are.
    pub(super) fn as_text(&self) -> Headers {
        Headers { text: self.text.clone(), precompiled: None }
    }

    pub(super) fn include(&self, c: &mut Command) {
        match &self.precompiled {
            Some(held) => c.arg("-include-pch").arg(held.path()),
            None => c.arg("-include").arg(&self.text),
        };
    }

    /// Whether a message is clang's refusal of what was precompiled, not about the user's source.
    pub(super) fn refused(&self, message: &str) -> bool {
        let about = ["AST file", "PCH file", "precompiled", ".pch"];
        self.precompiled.is_some() && about.iter().any(|a| message.contains(a))
    }
}
