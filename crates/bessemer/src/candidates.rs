//! The devices of this build, best first. Register new devices here.

use crate::{DeviceOptions, SoftMetal};
use bessemer_core::{Device, DeviceKind, Error, Result};
use bessemer_cpu::{Cpu, CpuOptions, Reference};
use std::sync::Arc;

/// A kind of device and how to get one.
pub(crate) struct Candidate {
    pub(crate) kind: DeviceKind,
    /// Why `auto` never takes one, however well it works.
    pub(crate) only_by_name: Option<&'static str>,
    pub(crate) open: Open,
}

/// Opens a device. [`Asked::Auto`] takes no device in software, so none needs to be opened.
pub(crate) type Open = fn(&DeviceOptions, Asked) -> Result<Arc<dyn Device>>;

/// Who asks for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Somebody who named it.
    ByName,
    /// `auto`, which looks for the best.
    Auto,
}

pub(crate) const CANDIDATES: [Candidate; 4] = [
    Candidate { kind: DeviceKind::Metal, only_by_name: None, open: metal },
    Candidate { kind: DeviceKind::WebGpu, only_by_name: None, open: web_gpu },
    Candidate { kind: DeviceKind::Cpu, only_by_name: None, open: cpu },
    Candidate {
        kind: DeviceKind::Reference,
        only_by_name: Some("it is slow, and only meant as a reference; ask for it by name"),
        open: reference,
    },
];

fn cpu(options: &DeviceOptions, _: Asked) -> Result<Arc<dyn Device>> {
    if options.trace.is_some() {
        return Err(absent(DeviceKind::Cpu, "cannot write a trace; only GPU devices can"));
    }
    let options = CpuOptions {
        threads: options.threads,
        memory_limit: options.memory_limit,
        precise: options.precise,
        mapped: options.mapped,
        isa: options.isa,
    };
    Ok(Arc::new(Cpu::open(options)?))
}

fn reference(_: &DeviceOptions, _: Asked) -> Result<Arc<dyn Device>> {
    Ok(Arc::new(Reference::new()))
}

fn metal(options: &DeviceOptions, _: Asked) -> Result<Arc<dyn Device>> {
    match options.softmetal()? {
        Some(soft) => soft_metal(options, &soft),
        None => apple_metal(options),
    }
}

#[cfg(all(feature = "metal", target_vendor = "apple"))]
fn apple_metal(options: &DeviceOptions) -> Result<Arc<dyn Device>> {
    Ok(Arc::new(bessemer_metal::Metal::open(&metal_options(options))?))
}

#[cfg(not(all(feature = "metal", target_vendor = "apple")))]
fn apple_metal(_: &DeviceOptions) -> Result<Arc<dyn Device>> {
    Err(absent(
        DeviceKind::Metal,
        if cfg!(target_vendor = "apple") {
            "this build has no Metal device; use `cpu`, or build bessemer with the feature `metal`"
        } else if cfg!(all(feature = "softmetal", unix)) {
            "Metal needs macOS or iOS; use `cpu`, or set BESSEMER_SOFTMETAL=1 to run Metal kernels in \
             software (slow, for testing)"
        } else {
            "Metal needs macOS or iOS; use `cpu`"
        },
    ))
}

#[cfg(any(all(feature = "softmetal", unix), all(feature = "metal", target_vendor = "apple")))]
fn metal_options(options: &DeviceOptions) -> bessemer_metal::MetalOptions {
    use std::env;
    let DeviceOptions { gpu, capture, memory_limit, trace, .. } = options.clone();
    bessemer_metal::MetalOptions {
        gpu: gpu.or_else(|| env::var("BESSEMER_GPU").ok()),
        memory_limit,
        trace,
        capture: capture.or_else(|| env::var_os("BESSEMER_CAPTURE").map(Into::into)),
    }
}

#[cfg(all(feature = "softmetal", unix))]
fn soft_metal(options: &DeviceOptions, soft: &SoftMetal) -> Result<Arc<dyn Device>> {
    use bessemer_metal::hal::soft::{Profile, SoftOptions};
    let profile = match &soft.profile {
        None => None,
        Some(name) => Some(Profile::named(name).map_err(|_| {
            let names: Vec<&str> = Profile::all().iter().map(|profile| profile.name).collect();
            let why = format!(
                "softmetal: unknown setting `{name}`; use 1, checked, or one of the GPUs {}",
                names.join(", ")
            );
            absent(DeviceKind::Metal, &why)
        })?),
    };
    let soft = SoftOptions { checked: soft.checked, profile, ..Default::default() };
    Ok(Arc::new(bessemer_metal::Metal::open_soft(&metal_options(options), &soft)?))
}

#[cfg(not(all(feature = "softmetal", unix)))]
fn soft_metal(_: &DeviceOptions, _: &SoftMetal) -> Result<Arc<dyn Device>> {
    Err(absent(
        DeviceKind::Metal,
        if cfg!(unix) {
            "this build cannot run Metal in software; build bessemer with the feature `softmetal`, \
             or unset BESSEMER_SOFTMETAL"
        } else {
            "Metal runs in software on Linux and macOS only; use `cpu`, or unset BESSEMER_SOFTMETAL"
        },
    ))
}

#[cfg(feature = "webgpu")]
fn web_gpu(options: &DeviceOptions, asked: Asked) -> Result<Arc<dyn Device>> {
    if asked == Asked::Auto && !crate::hardware::may_have_gpu() {
        return Err(absent(
            DeviceKind::WebGpu,
            "this machine has no GPU; ask for `webgpu` by name to use one that is emulated on the CPU",
        ));
    }
    let options = bessemer_webgpu::WebGpuOptions {
        adapter: options.adapter.clone(),
        hardware: asked == Asked::Auto,
        memory_limit: options.memory_limit,
        trace: options.trace.clone(),
        ..Default::default()
    };
    Ok(Arc::new(bessemer_webgpu::WebGpu::open(options)?))
}

#[cfg(not(feature = "webgpu"))]
fn web_gpu(_: &DeviceOptions, _: Asked) -> Result<Arc<dyn Device>> {
    Err(absent(
        DeviceKind::WebGpu,
        "this build has no WebGPU device; use `cpu`, or build bessemer with the feature `webgpu`",
    ))
}

fn absent(kind: DeviceKind, why: &str) -> Error {
    Error::Unavailable { device: kind.name().to_owned(), why: why.to_owned() }
}
