//! Which adapters there are, and which one to take. Opening it is `device`'s business.

use bessemer_core::{Error, Result};
use std::fmt;

/// An adapter: a GPU, or something that acts like one, seen through one API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterSummary {
    /// The name of the hardware.
    pub name: String,
    /// The API it is reached by: `vulkan`, `dx12`, `metal`.
    pub api: String,
    /// Whether it runs on the CPU.
    pub software: bool,
}

/// Which of several hardware adapters is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Power {
    /// The fastest: discrete GPUs first.
    #[default]
    High,
    /// The most frugal: integrated GPUs first.
    Low,
}

/// Every adapter of this machine, in the order in which they would be taken.
///
/// ```
/// for adapter in bessemer_webgpu::adapters(bessemer_webgpu::Power::High) {
///     println!("{adapter}");
/// }
/// ```
pub fn adapters(power: Power) -> Vec<AdapterSummary> {
    all(power).iter().map(|adapter| AdapterSummary::of(&adapter.get_info())).collect()
}

impl AdapterSummary {
    pub(crate) fn of(info: &wgpu::AdapterInfo) -> AdapterSummary {
        AdapterSummary {
            name: info.name.clone(),
            api: info.backend.to_string(),
            software: info.device_type == wgpu::DeviceType::Cpu,
        }
    }
}

impl fmt::Display for AdapterSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let software = if self.software { ", in software" } else { "" };
        write!(f, "{} ({}{software})", self.name, self.api)
    }
}

/// The adapter whose name contains `name`, or the best by `power` if any will do.
pub(crate) fn choose(name: Option<&str>, power: Power) -> Result<wgpu::Adapter> {
    let all = all(power);
    let wanted = |adapter: &&wgpu::Adapter| {
        name.is_none_or(|name| {
            adapter.get_info().name.to_lowercase().contains(&name.to_lowercase())
        })
    };
    if let Some(found) = all.iter().find(wanted) {
        return Ok(found.clone());
    }
    let names: Vec<_> = all.iter().map(|a| AdapterSummary::of(&a.get_info()).to_string()).collect();
    let why = match name {
        _ if all.is_empty() => {
            "no adapter was found: install a driver for Vulkan (its software one \
             is in Debian's `mesa-vulkan-drivers`), or use `cpu`"
                .to_owned()
        }
        Some(name) => format!("no adapter is called `{name}`; there is {}", names.join(", ")),
        None => "no adapter was found; use `cpu`".to_owned(),
    };
    Err(Error::Unavailable { device: "webgpu".into(), why })
}

/// All adapters, best first.
fn all(power: Power) -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::PRIMARY;
    // Messages of a driver's own checks are for who writes drivers; ours come as errors.
    descriptor.flags = wgpu::InstanceFlags::empty();
    let instance = wgpu::Instance::new(descriptor);
    let mut all = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    all.sort_by_key(|adapter| rank(adapter.get_info().device_type, power));
    all
}

fn rank(kind: wgpu::DeviceType, power: Power) -> u8 {
    match (kind, power) {
        (wgpu::DeviceType::DiscreteGpu, Power::High) => 0,
        (wgpu::DeviceType::IntegratedGpu, Power::High) => 1,
        (wgpu::DeviceType::IntegratedGpu, Power::Low) => 0,
        (wgpu::DeviceType::DiscreteGpu, Power::Low) => 1,
        (wgpu::DeviceType::VirtualGpu, _) => 2,
        (wgpu::DeviceType::Other, _) => 3,
        (wgpu::DeviceType::Cpu, _) => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn software_is_the_last_choice() {
        for power in [Power::High, Power::Low] {
            let software = rank(wgpu::DeviceType::Cpu, power);
            assert!(rank(wgpu::DeviceType::Other, power) < software);
            assert!(rank(wgpu::DeviceType::IntegratedGpu, power) < software);
        }
    }

    #[test]
    fn a_name_that_no_adapter_has_is_an_error_with_those_there_are() {
        let error = choose(Some("Voodoo 2"), Power::High).unwrap_err().to_string();
        assert!(error.contains("Voodoo 2") && error.contains("vulkan"), "{error}");
    }
}
