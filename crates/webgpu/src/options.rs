//! How a device is opened.

use crate::Power;
use std::path::PathBuf;

/// How to open a [`WebGpu`](crate::WebGpu).
#[derive(Clone, Debug, Default)]
pub struct WebGpuOptions {
    /// A part of the adapter's name; else `BESSEMER_ADAPTER`, else the best one is taken.
    pub adapter: Option<String>,
    /// Which of several is best.
    pub power: Power,
    /// Only adapters that are hardware; one in software is an error.
    pub hardware: bool,
    /// The most bytes all buffers may take; else what the adapter has, where that can be known.
    pub memory_limit: Option<usize>,
    /// Uses nothing that an adapter need not have: no subgroups, no 16-bit floats, no timestamps,
    /// and no more of anything than WebGPU guarantees.
    pub portable: bool,
    /// The most bytes of a buffer, if fewer than the adapter allows.
    pub longest_buffer: Option<u64>,
    /// The most bytes of a binding, if fewer than the adapter allows.
    pub longest_binding: Option<u64>,
    /// A file for a timeline of every op, written when the device is closed. Ops then run in passes
    /// of their own and are waited for, which takes longer.
    pub trace: Option<PathBuf>,
}

impl WebGpuOptions {
    /// What to ask of an adapter that has `features`.
    pub(crate) fn features(&self, features: wgpu::Features) -> wgpu::Features {
        let mut wanted = wgpu::Features::SUBGROUP | wgpu::Features::SHADER_F16;
        if self.trace.is_some() {
            wanted |= wgpu::Features::TIMESTAMP_QUERY;
        }
        if self.portable { wgpu::Features::empty() } else { features & wanted }
    }

    /// What to ask of an adapter that has `limits`.
    pub(crate) fn limits(&self, limits: wgpu::Limits) -> wgpu::Limits {
        let mut limits = if self.portable { wgpu::Limits::default() } else { limits };
        if let Some(most) = self.longest_buffer {
            limits.max_buffer_size = limits.max_buffer_size.min(most);
        }
        let most = self.longest_binding.unwrap_or(u64::MAX).min(limits.max_buffer_size);
        limits.max_storage_buffer_binding_size = limits.max_storage_buffer_binding_size.min(most);
        limits
    }
}
