//! From code addresses to the user's files and lines, by the module's debug information.

use crate::compile::Module;

/// A place in the user's source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) line: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "an unknown place"),
            _ => write!(f, "{}:{}", self.file, self.line),
        }
    }
}

/// Looks places up in one module.
pub(crate) struct Symbols {
    loader: Option<addr2line::Loader>,
    base: usize,
}

impl Symbols {
    pub(crate) fn new(module: &Module) -> Symbols {
        Symbols { loader: addr2line::Loader::new(&module.path).ok(), base: module.image.start }
    }

    /// The user's line that a return address belongs to: of inlined functions the first that is
    /// not in our own headers.
    pub(crate) fn place(&self, pc: usize) -> Place {
        let Some(loader) = &self.loader else {
            return Place::default();
        };
        let Some(probe) = pc.checked_sub(self.base + 1) else {
            return Place::default();
        };
        let Ok(mut frames) = loader.find_frames(probe as u64) else {
            return Place::default();
        };
        while let Ok(Some(frame)) = frames.next() {
            if let Some(location) = frame.location
                && let (Some(file), Some(line)) = (location.file, location.line)
            {
                let file = file.strip_prefix("./").unwrap_or(file);
                let ours = file.contains("/softmetal/") && file.contains("stdlib-");
                if !ours && !file.ends_with("<stdin>") && !file.ends_with("/-") && file != "-" {
                    return Place { file: file.to_owned(), line };
                }
            }
        }
        Place::default()
    }
}
