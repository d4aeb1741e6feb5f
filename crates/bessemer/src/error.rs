//! The error type of this crate.

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, whichever part of bessemer said so: `?` turns every error of arrays, devices,
/// models and programs into this one.
///
/// ```
/// use bessemer::prelude::*;
///
/// fn total() -> Result<f32> {
///     let device = Device::open("cpu")?;
///     let a = Array::new(&device, [1.0f32, 2.0, 3.0])?;
///     Ok(a.sum_all().item()?)
/// }
/// assert_eq!(total()?, 6.0);
///
/// let error = Device::open("tpu").unwrap_err();
/// assert!(matches!(error, bessemer::Error::Device(_)));
/// # Ok::<(), bessemer::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A device, a buffer, a view or an op.
    #[error(transparent)]
    Device(#[from] bessemer_core::Error),

    /// An array.
    #[error(transparent)]
    Array(#[from] bessemer_array::Error),

    /// A program.
    #[error(transparent)]
    Program(#[from] bessemer_program::Error),

    /// A model, its files, its tokenizer or its chat template.
    #[cfg(feature = "models")]
    #[error(transparent)]
    Model(#[from] bessemer_llm::Error),

    /// The folder of models: a name that is not there, or a download that failed.
    #[cfg(feature = "models")]
    #[error(transparent)]
    Store(#[from] bessemer_store::Error),

    /// The operating system.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Error {
    /// Whether a device had no memory left for what was asked.
    ///
    /// ```
    /// use bessemer::{Device, DeviceOptions, Error};
    ///
    /// let options = DeviceOptions { memory_limit: Some(1 << 20), ..Default::default() };
    /// let device = Device::open_with("cpu", &options)?;
    /// let error = Error::from(device.alloc(1 << 21).unwrap_err());
    /// assert!(error.is_out_of_memory());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn is_out_of_memory(&self) -> bool {
        match self {
            Error::Device(error) => is_out_of_memory(error),
            Error::Array(bessemer_array::Error::Device(error)) => is_out_of_memory(error),
            #[cfg(feature = "models")]
            Error::Model(bessemer_llm::Error::NoRoom(_)) => true,
            #[cfg(feature = "models")]
            Error::Model(
                bessemer_llm::Error::Core(error) | bessemer_llm::Error::Load { source: error, .. },
            ) => is_out_of_memory(error),
            _ => false,
        }
    }
}

fn is_out_of_memory(error: &bessemer_core::Error) -> bool {
    matches!(error, bessemer_core::Error::OutOfMemory { .. })
}
