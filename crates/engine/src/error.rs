//! Errors of the engine.

use bessemer_llm as llm;

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a request failed, or an engine could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model, its device or its tokenizer says no.
    #[error(transparent)]
    Model(#[from] llm::Error),

    /// A field of the options or of a request that cannot be used.
    #[error("{field}: {why}")]
    Field {
        /// The field, as it is called in [`EngineOptions`](crate::EngineOptions) or
        /// [`Request`](crate::Request).
        field: &'static str,
        /// What is wrong with it, and what to do.
        why: String,
    },

    /// A request's [`Constraint`](crate::Constraint) failed.
    #[error("constraint: {0}")]
    Constraint(String),

    /// The engine's thread has ended, so nothing comes any more.
    #[error("engine: it has stopped; start a new one")]
    Stopped,
}

impl Error {
    pub(crate) fn field(field: &'static str, why: impl Into<String>) -> Error {
        Error::Field { field, why: why.into() }
    }
}

impl From<bessemer_core::Error> for Error {
    fn from(error: bessemer_core::Error) -> Error {
        Error::Model(error.into())
    }
}
