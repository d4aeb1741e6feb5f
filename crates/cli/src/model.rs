//! Which model a command works on: one that is compiled in, a path, or a name in the store.

use crate::{builtin, fault::Fault};
use anyhow::anyhow;
use bessemer_llm::files::ModelFile;
use bessemer_store::{Resolved, Store};
use clap::Args;
use std::ffi::OsStr;

/// The heading of its flags in help.
pub(crate) const MODEL: &str = "Model";

// The model to use.
#[derive(Clone, Debug, Args)]
pub(crate) struct ModelArgs {
    /// The model: a name from `bessemer models`, or the path of a GGUF or safetensors file or
    /// folder, or of an RWKV model in a .pth or .st file [default: the built-in model, ember]
    #[arg(long, short, value_name = "NAME|PATH", help_heading = MODEL)]
    model: Option<String>,
}

/// A model that was found and opened, but not loaded.
pub(crate) struct Opened {
    /// What to call it.
    pub(crate) name: String,
    pub(crate) file: ModelFile,
}

impl ModelArgs {
    pub(crate) fn open(&self) -> Result<Opened, Fault> {
        open(self.model.as_deref())
    }

    /// What was given, if anything.
    #[cfg(feature = "server")]
    pub(crate) fn name(&self) -> Option<&str> {
        self.model.as_deref()
    }
}

/// Opens the model of a name or a path, or the built-in one.
pub(crate) fn open(name: Option<&(impl AsRef<OsStr> + ?Sized)>) -> Result<Opened, Fault> {
    match find(name.map_or(builtin::NAME.as_ref(), AsRef::as_ref))? {
        Resolved::File { name, path } => Ok(Opened { name, file: ModelFile::open(path)? }),
        Resolved::BuiltIn(name) => {
            let file = builtin::open().ok_or_else(|| {
                let remedy = "use --model, or get one with `bessemer pull smollm2`";
                anyhow!("{name}: this build has no built-in model; {remedy}")
            })??;
            Ok(Opened { name, file })
        }
    }
}

/// Finds a model: an existing path comes before a name, and a name before the built-in one.
pub(crate) fn find(name: &OsStr) -> Result<Resolved, Fault> {
    Ok(Store::of_user()?.resolve(name, &[builtin::NAME])?)
}
