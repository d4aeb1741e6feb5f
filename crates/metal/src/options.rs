//! How a device is opened.

use std::path::PathBuf;

/// What is the same for every Metal device.
#[derive(Clone, Debug, Default)]
pub struct MetalOptions {
    /// A part of the name of the GPU to take, where there are several; else the system's choice.
    pub gpu: Option<String>,
    /// The most bytes all buffers may take; else what the GPU recommends.
    pub memory_limit: Option<usize>,
    /// A file for a timeline of every dispatch, written when the device is closed. Dispatches then
    /// run one command buffer each, which takes longer.
    pub trace: Option<PathBuf>,
    /// A file for a capture that Xcode opens, with everything the device runs. Apple's GPUs only.
    pub capture: Option<PathBuf>,
}
