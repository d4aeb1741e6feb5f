//! The devices this build knows of, best first: the one place to register another.

use crate::DeviceOptions;
use bessemer_core::{Device, DeviceKind, Error, Result};
use bessemer_cpu::{Cpu, CpuOptions, Reference};
use std::sync::Arc;

/// A kind of device and how to get one.
pub(crate) struct Candidate {
    pub(crate) kind: DeviceKind,
    /// Why `auto` never takes one, however well it works.
    pub(crate) only_by_name: Option<&'static str>,
    pub(crate) open: fn(&DeviceOptions) -> Result<Arc<dyn Device>>,
}

pub(crate) const CANDIDATES: [Candidate; 4] = [
    Candidate { kind: DeviceKind::Metal, only_by_name: None, open: metal },
    Candidate { kind: DeviceKind::WebGpu, only_by_name: None, open: web_gpu },
    Candidate { kind: DeviceKind::Cpu, only_by_name: None, open: cpu },
    Candidate {
        kind: DeviceKind::Reference,
        only_by_name: Some("it is the slow meaning of every op; ask for it by name"),
        open: reference,
    },
];

fn cpu(options: &DeviceOptions) -> Result<Arc<dyn Device>> {
    let options = CpuOptions {
        threads: options.threads,
        memory_limit: options.memory_limit,
        ..Default::default()
    };
    Ok(Arc::new(Cpu::open(options)?))
}

fn reference(_: &DeviceOptions) -> Result<Arc<dyn Device>> {
    Ok(Arc::new(Reference::new()))
}

fn metal(_: &DeviceOptions) -> Result<Arc<dyn Device>> {
    Err(absent(
        DeviceKind::Metal,
        if cfg!(target_vendor = "apple") {
            "this build has no Metal device; use `cpu`, or a version of bessemer with the feature \
             `metal`"
        } else {
            "Metal needs macOS or iOS, and a version of bessemer with the feature `metal`; use \
             `cpu` on this machine"
        },
    ))
}

fn web_gpu(_: &DeviceOptions) -> Result<Arc<dyn Device>> {
    Err(absent(
        DeviceKind::WebGpu,
        "this build has no WebGPU device; use `cpu`, or a version of bessemer with the feature \
         `webgpu`",
    ))
}

fn absent(kind: DeviceKind, why: &str) -> Error {
    Error::Unavailable { device: kind.name().to_owned(), why: why.to_owned() }
}
