//! Why a model could not be opened by its name.

/// Why a model could not be opened by its name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// It was not found.
    #[error(transparent)]
    Store(#[from] bessemer_store::Error),

    /// Its files or what is in them were refused.
    #[error(transparent)]
    Model(#[from] bessemer_llm::Error),

    /// The device could not be opened.
    #[error(transparent)]
    Device(#[from] bessemer_core::Error),
}
