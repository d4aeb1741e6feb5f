//! The model that is compiled in.

use bessemer_llm::files::{Gguf, ModelFile};

/// Its name, for `--model`.
pub(crate) const NAME: &str = "ember";

/// The file, if this build has it.
const FILE: Option<&[u8]> = None;

/// The model.
pub(crate) fn open() -> Option<bessemer_llm::Result<ModelFile>> {
    let file = FILE?;
    Some(Gguf::from_bytes(file.to_vec()).map(|gguf| ModelFile::Gguf(Box::new(gguf))))
}
