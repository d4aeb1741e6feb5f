//! How a device is opened.

/// What is the same for every Metal device.
#[derive(Clone, Debug, Default)]
pub struct MetalOptions {
    /// The most bytes all buffers may take; else what the GPU recommends.
    pub memory_limit: Option<usize>,
}
