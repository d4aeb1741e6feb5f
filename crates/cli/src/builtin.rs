//! The model that is compiled in: a toy that tells stories, so that there is something to run.

/// Its name, for `--model`.
pub(crate) const NAME: &str = "ember";

#[cfg(ember)]
pub(crate) use ember::open;

/// A build from a tree without the model has none.
#[cfg(not(ember))]
pub(crate) fn open() -> Option<bessemer_llm::Result<bessemer_llm::files::ModelFile>> {
    None
}

#[cfg(ember)]
mod ember {
    use bessemer::HostMemory;
    use bessemer_llm::{
        Result,
        files::{Gguf, ModelFile},
    };
    use std::sync::Arc;

    /// Bytes that lie as those of a mapped file do, so that devices can use them in place.
    #[repr(align(4096))]
    struct Page<T: ?Sized>(T);

    static FILE: &Page<[u8]> = &Page(*include_bytes!("../../../models/ember/ember.gguf"));

    /// The model.
    pub(crate) fn open() -> Option<Result<ModelFile>> {
        let bytes: &'static [u8] = &FILE.0;
        let file = Gguf::from_memory(HostMemory::new(Arc::new(bytes)));
        Some(file.map(|file| ModelFile::Gguf(Box::new(file))))
    }
}
