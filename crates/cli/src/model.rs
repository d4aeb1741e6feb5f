//! Which model a command works on: one that is compiled in, a path, or a name in the store.

use crate::{builtin, fault::Fault};
use anyhow::anyhow;
use bessemer_llm::files::ModelFile;
use bessemer_store::{Source, Store};
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
    if let Ok(source) = name.parse::<Source>() {
        return Err(
            anyhow!("`{name}` is not here yet: get it with `bessemer pull {source}`").into()
        );
    }
    let known = store.list()?.into_iter().map(|entry| entry.name);
    let known: Vec<String> = known.chain([builtin::NAME.to_owned()]).collect();
    let near = nearest(name, known.iter().map(String::as_str).chain(["smollm2"]));
    let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    let known = known.join(", ");
    Err(anyhow!(
        "`{name}` is neither a file nor a model here ({known}){near}: check the path, or get a \
         model with `bessemer pull smollm2` or `bessemer pull hf:OWNER/REPO/FILE`"
    )
    .into())
}

/// The name that was most likely meant, if there is one.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let alike = |known: &&str| strsim::jaro_winkler(&name, &known.to_lowercase());
    let close = known.map(|known| (alike(&known), known)).filter(|(alike, _)| *alike > 0.8);
    close.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_of_the_finger_are_seen_through() {
        let known = || ["ember", "smollm2", "owner/repo/Tiny.Q4_0"].into_iter();
        assert_eq!(nearest("smolm2", known()), Some("smollm2"));
        assert_eq!(nearest("Embr", known()), Some("ember"));
        assert_eq!(nearest("/nope/x.gguf", known()), None);
    }
}
