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
    pub(crate) open: Open,
}

/// Opens a device. [`Asked::Auto`] takes no imitation of hardware, so none needs to be opened.
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
        only_by_name: Some("it is the slow meaning of every op; ask for it by name"),
        open: reference,
    },
];

fn cpu(options: &DeviceOptions, _: Asked) -> Result<Arc<dyn Device>> {
    if options.trace.is_some() {
        return Err(absent(DeviceKind::Cpu, "it writes no trace; GPUs do"));
    }
    let options = CpuOptions {
        threads: options.threads,
        memory_limit: options.memory_limit,
        precise: options.precise,
        mapped: options.mapped,
        ..Default::default()
    };
    Ok(Arc::new(Cpu::open(options)?))
}

fn reference(_: &DeviceOptions, _: Asked) -> Result<Arc<dyn Device>> {
    Ok(Arc::new(Reference::new()))
}

#[cfg(all(feature = "metal", target_vendor = "apple"))]
fn metal(options: &DeviceOptions, _: Asked) -> Result<Arc<dyn Device>> {
    if let Some(soft) = soft_metal(options) {
        return soft;
    }
    Ok(Arc::new(bessemer_metal::Metal::open(&metal_options(options))?))
}

#[cfg(all(feature = "metal", not(target_vendor = "apple")))]
fn metal(options: &DeviceOptions, _: Asked) -> Result<Arc<dyn Device>> {
    soft_metal(options).unwrap_or_else(|| {
        Err(absent(
            DeviceKind::Metal,
            "Metal needs macOS or iOS; use `cpu` on this machine, or set BESSEMER_SOFTMETAL=1 to run \
             Metal's kernels in software: slow, to try them out",
        ))
    })
}

#[cfg(feature = "metal")]
fn metal_options(options: &DeviceOptions) -> bessemer_metal::MetalOptions {
    bessemer_metal::MetalOptions {
        gpu: std::env::var("BESSEMER_GPU").ok(),
        memory_limit: options.memory_limit,
        trace: options.trace.clone(),
    }
}

/// Metal in software, if `BESSEMER_SOFTMETAL` asks for it: `1`, or `checked` to check every access,
/// and after a comma or alone the name of a GPU to imitate.
#[cfg(all(feature = "metal", unix))]
fn soft_metal(options: &DeviceOptions) -> Option<Result<Arc<dyn Device>>> {
    use bessemer_metal::hal::soft::Profile;
    let asked = std::env::var("BESSEMER_SOFTMETAL").ok()?;
    if matches!(asked.as_str(), "" | "0") {
        return None;
    }
    let mut soft = bessemer_metal::hal::soft::SoftOptions::default();
    for word in asked.split(',') {
        match (word, Profile::named(word)) {
            ("1", _) => {}
            ("checked", _) => soft.checked = true,
            (_, Ok(profile)) => soft.profile = Some(profile),
            (_, Err(_)) => {
                let names: Vec<&str> = Profile::all().iter().map(|p| p.name).collect();
                let why = format!(
                    "BESSEMER_SOFTMETAL is `{asked}`: it can be 1 or checked, or the name of a GPU to \
                     imitate ({}), or both with a comma between",
                    names.join(", ")
                );
                return Some(Err(absent(DeviceKind::Metal, &why)));
            }
        }
    }
    let opened = bessemer_metal::Metal::open_soft(&metal_options(options), &soft);
    Some(opened.map(|device| Arc::new(device) as Arc<dyn Device>))
}

#[cfg(all(feature = "metal", not(unix)))]
fn soft_metal(_: &DeviceOptions) -> Option<Result<Arc<dyn Device>>> {
    None
}

#[cfg(not(feature = "metal"))]
fn metal(_: &DeviceOptions, _: Asked) -> Result<Arc<dyn Device>> {
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

#[cfg(feature = "webgpu")]
fn web_gpu(options: &DeviceOptions, asked: Asked) -> Result<Arc<dyn Device>> {
    let options = bessemer_webgpu::WebGpuOptions {
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
        "this build has no WebGPU device; use `cpu`, or a version of bessemer with the feature \
         `webgpu`",
    ))
}

fn absent(kind: DeviceKind, why: &str) -> Error {
    Error::Unavailable { device: kind.name().to_owned(), why: why.to_owned() }
}
