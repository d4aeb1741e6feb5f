//! Which model a command works on: one that is compiled in, a path, or a name in the store.

use crate::{builtin, fault::Fault};
use anyhow::anyhow;
use bessemer_llm::files::ModelFile;
use bessemer_store::Store;
use clap::Args;
use std::path::PathBuf;

/// The model to use.
#[derive(Clone, Debug, Args)]
pub(crate) struct ModelArgs {
    /// The model: a name from `bessemer models`, or the path of a GGUF or safetensors file or
    /// folder [default: the built-in one, ember]
    #[arg(long, short, value_name = "NAME|PATH")]
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
}

/// Opens the model of a name or a path, or the built-in one.
pub(crate) fn open(name: Option<&str>) -> Result<Opened, Fault> {
    match place(name.unwrap_or(builtin::NAME))? {
        Place::BuiltIn => {
            let file = builtin::open().ok_or_else(|| {
                let why = "this build has no built-in model";
                anyhow!("{why}: name one with --model, or get one with `bessemer pull smollm2`")
            })??;
            Ok(Opened { name: builtin::NAME.to_owned(), file })
        }
        Place::File { name, path } => Ok(Opened { name, file: ModelFile::open(path)? }),
    }
}

/// Where a model is.
pub(crate) enum Place {
    BuiltIn,
    File { name: String, path: PathBuf },
}

/// Finds a model: an existing path comes before a name, and a name before the built-in one.
pub(crate) fn place(name: &str) -> Result<Place, Fault> {
    let path = PathBuf::from(name);
    if path.exists() {
        return Ok(Place::File { name: name.to_owned(), path });
    }
    let store = Store::of_user()?;
    if let Some(entry) = store.find(name)? {
        return Ok(Place::File { name: entry.name, path: entry.path });
    }
    if name == builtin::NAME {
        return Ok(Place::BuiltIn);
    }
    let known = store.list()?.into_iter().map(|entry| entry.name);
    let known: Vec<String> = known.chain([builtin::NAME.to_owned()]).collect();
    let known = known.join(", ");
    Err(anyhow!(
        "`{name}` is neither a file nor a model here ({known}): check the path, or get a model \
         with `bessemer pull smollm2` or `bessemer pull hf:OWNER/REPO/FILE`"
    )
    .into())
}
