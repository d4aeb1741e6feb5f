//! RWKV models, versions 4 to 7, from every kind of file they are published in to the form that GGUF
//! files have: llama.cpp's names and shapes. Matrices stay where they lie in their files.
//!
//! Running a model is elsewhere, and so is writing it to a file.

mod build;
mod facts;
mod keys;
mod layers;
mod names;
mod source;
mod version;
mod vocabulary;

pub(super) use source::{Source, is_pth_model};

use super::{Gguf, Tensors};
use crate::{Error, Result};
use build::Builder;
use facts::Facts;
use keys::Keys;
use names::Named;
use std::path::Path;
use version::Version;

/// Opens an RWKV model that is not in a GGUF file: a `.pth`, `.st` or `.safetensors` file, or a folder of
/// Hugging Face's libraries. `vocabulary` is a `rwkv_vocab_v20230424.txt` or a `tokenizer.json`; without
/// it one is looked for beside the model.
///
/// [`ModelFile::open`](super::ModelFile::open) does the same for models of all kinds.
///
/// ```no_run
/// use bessemer_llm::files::rwkv;
///
/// let model = rwkv::open("RWKV-x070-World-0.1B-v2.8-20241210-ctx4096.pth", None)?;
/// assert_eq!(model.metadata().require::<&str>("general.architecture")?, "rwkv7");
/// assert_eq!(*model.tensors().require("blk.0.time_mix_key.weight")?.shape, [768, 768]);
/// # Ok::<(), bessemer_llm::Error>(())
/// ```
pub fn open(path: impl AsRef<Path>, vocabulary: Option<&Path>) -> Result<Gguf> {
    let path = path.as_ref();
    let source = Source::open(path)?;
    read(&source, vocabulary)?.ok_or_else(|| not_rwkv(path))
}

/// The model that is made of these tensors alone; `None` if they are no RWKV.
pub(crate) fn of_tensors(tensors: &Tensors) -> Result<Option<Gguf>> {
    read(&Source::alone(tensors.clone()), None)
}

/// The error for a model that is none.
fn not_rwkv(path: &Path) -> Error {
    let remedy = "pass an RWKV model; others are read from GGUF and safetensors files";
    Error::broken(path, "the model", "is not RWKV", remedy)
}

/// A model as a GGUF file would have it; `None` if it is no RWKV.
pub(super) fn read(source: &Source, vocabulary: Option<&Path>) -> Result<Option<Gguf>> {
    let named = Named::new(&source.tensors);
    let config = source.config.as_ref();
    let Some(version) = Version::of(&named) else {
        return match config.map(Version::stated).transpose()?.flatten() {
            Some(stated) => {
                let why = format!("are not those of {}", stated.architecture());
                let remedy = "use the files that the model's authors published";
                Err(Error::broken(source.path(), "the tensors", why, remedy))
            }
            None => Ok(None),
        };
    };
    if let Some(config) = config {
        version.check(config)?;
    }
    // What lies beside a file of the authors may be of another model.
    let config = config.filter(|config| matches!(Version::stated(config), Ok(Some(_))));
    let facts = Facts::new(version, &named, config, source.path())?;
    let outputs_first = facts::outputs_first(&named, facts.hidden, source.is_st);
    let mut builder = Builder::new(&named, source.path(), outputs_first);
    layers::build(&mut builder, &facts)?;
    let tensors = builder.finish(version.architecture())?;
    let dtype = tensors.require("token_embd.weight")?.dtype;
    let mut keys = Keys::of(&facts, source.path(), &source.name, dtype)?;
    vocabulary::set(&mut keys, vocabulary, &source.folder, facts.vocabulary)?;
    Ok(Some(Gguf::assembled(keys.finish(), tensors)))
}
