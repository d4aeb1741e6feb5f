//! Enumerating and selecting adapters. `device` opens them.

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

/// The adapter whose name contains `name`, or the best by `power` if any will do; if it shall be
/// `hardware`, none that runs on the CPU.
pub(crate) fn choose(name: Option<&str>, power: Power, hardware: bool) -> Result<wgpu::Adapter> {
    let all = all(power);
    let summaries: Vec<_> = all.iter().map(|a| AdapterSummary::of(&a.get_info())).collect();
    match pick(&summaries, name, hardware) {
        Ok(place) => Ok(all[place].clone()),
        Err(why) => Err(Error::Unavailable { device: "webgpu".into(), why }),
    }
}

/// Which of the adapters, best first, or why none.
fn pick(all: &[AdapterSummary], name: Option<&str>, hardware: bool) -> Result<usize, String> {
    if all.is_empty() {
        return Err("no adapter was found: install a driver for Vulkan (Debian's \
                    `mesa-vulkan-drivers` also has one in software), or use `cpu`"
            .to_owned());
    }
    let names: Vec<_> = all.iter().map(ToString::to_string).collect();
    let names = names.join(", ");
    let called = |adapter: &&AdapterSummary| {
        name.is_none_or(|name| adapter.name.to_lowercase().contains(&name.to_lowercase()))
    };
    let Some(first) = all.iter().position(|adapter| called(&adapter)) else {
        let name = name.unwrap_or_default();
        return Err(format!("no adapter is called `{name}`; there is {names}"));
    };
    if !hardware {
        return Ok(first);
    }
    all.iter().position(|adapter| called(&adapter) && !adapter.software).ok_or_else(|| {
        format!(
            "there is no GPU, only {names}, which imitates one on the CPU; ask for `webgpu` by \
                 name to use it"
        )
    })
}

/// All adapters, best first.
fn all(power: Power) -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::PRIMARY;
    // Messages of a driver's own checks are for who writes drivers; ours come as errors.
    descriptor.flags = wgpu::InstanceFlags::empty();
    // Memory that is not there is an error, also where the driver would begin to swap.
    descriptor.memory_budget_thresholds.for_resource_creation = Some(97);
    let instance = wgpu::Instance::new(descriptor);
    let mut all = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    all.sort_by_key(|adapter| rank(adapter.get_info().device_type, power));
    all
}

/// Bytes of memory that lie near the GPU, if that can be known.
pub(crate) fn memory(adapter: &wgpu::Adapter) -> Option<usize> {
    if adapter.get_info().device_type == wgpu::DeviceType::Cpu {
        // What it says of itself is made up: it has what the machine has.
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        return kibibytes.checked_mul(1024);
    }
    #[cfg(not(target_vendor = "apple"))]
    {
        // SAFETY: numbers are read; nothing that Vulkan holds is changed or kept.
        unsafe {
            let vulkan = adapter.as_hal::<wgpu::hal::api::Vulkan>()?;
            let instance = vulkan.shared_instance().raw_instance();
            let all = instance.get_physical_device_memory_properties(vulkan.raw_physical_device());
            let heaps = all.memory_heaps_as_slice().iter();
            // Bit 0 of the flags: the heap is local to the device.
            let near = heaps.filter(|heap| heap.flags.as_raw() & 1 != 0).map(|heap| heap.size);
            usize::try_from(near.sum::<u64>()).ok().filter(|&bytes| bytes > 0)
        }
    }
    #[cfg(target_vendor = "apple")]
    {
        let _ = adapter;
        None
    }
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
        let error = choose(Some("Voodoo 2"), Power::High, false).unwrap_err().to_string();
        assert!(error.contains("Voodoo 2") && error.contains("vulkan"), "{error}");
    }

    #[test]
    fn hardware_is_found_behind_software_and_never_made_up() {
        let adapter = |name: &str, software| AdapterSummary {
            name: name.into(),
            api: "vulkan".into(),
            software,
        };
        let (card, soft) = (adapter("GeForce", false), adapter("llvmpipe", true));
        let both = [card.clone(), soft.clone()];
        assert_eq!(pick(&both, None, true), Ok(0));
        assert_eq!(pick(&both, Some("PIPE"), false), Ok(1));
        // A name does not make hardware of it.
        assert!(pick(&both, Some("pipe"), true).unwrap_err().contains("no GPU"));
        assert_eq!(pick(&[soft.clone(), card], None, true), Ok(1));
        assert_eq!(pick(std::slice::from_ref(&soft), None, false), Ok(0));
        assert!(pick(&[soft], None, true).unwrap_err().contains("llvmpipe"));
        let none = pick(&[], None, false).unwrap_err();
        assert!(none.contains("install a driver") && none.contains("`cpu`"), "{none}");
    }
}
