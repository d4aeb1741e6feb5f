//! Opening devices.

use crate::{
    DeviceChoice, DeviceOptions, Refusal, Result, Survey,
    candidates::{Asked, CANDIDATES, Candidate},
    survey,
};
use bessemer_core::Error;
use std::{fmt, ops::Deref, sync::Arc};

/// A device to compute on. Clones are handles to the same one.
///
/// It derefs to the trait [`bessemer_core::Device`], which has the methods. Buffers belong to the
/// device that made them, so open a device once and clone the handle: a second one of the same kind
/// cannot use them.
///
/// ```
/// use bessemer::{DeviceChoice, DeviceKind, prelude::*};
///
/// let device = Device::open("cpu")?;
/// assert_eq!(device.info().kind, DeviceKind::Cpu);
/// let same = Device::open(DeviceChoice::Cpu)?;
/// assert_eq!(same.info().kind, device.info().kind);
///
/// let error = Device::open("gpu").unwrap_err();
/// assert!(error.to_string().contains("choose one of auto, cpu"));
/// # Ok::<(), bessemer::Error>(())
/// ```
#[derive(Clone)]
pub struct Device {
    device: Arc<dyn bessemer_core::Device>,
    passed_over: Arc<[Refusal]>,
}

impl Device {
    /// Opens a device: `"auto"`, `"cpu"`, `"reference"`, `"metal"`, `"webgpu"`, or a
    /// [`DeviceChoice`].
    ///
    /// `auto` takes the best device that passes the quick conformance run, which happens once
    /// per process; [`Device::passed_over`] then says why better ones were refused. It never
    /// takes a GPU emulated in software, nor the reference.
    pub fn open(choice: impl AsRef<str>) -> Result<Device> {
        Device::open_with(choice, &DeviceOptions::default())
    }

    /// The same with options.
    ///
    /// ```
    /// use bessemer::{Device, DeviceOptions};
    ///
    /// let options = DeviceOptions { memory_limit: Some(1 << 20), ..Default::default() };
    /// let device = Device::open_with("cpu", &options)?;
    /// assert!(device.alloc(1 << 21).is_err());
    /// # Ok::<(), bessemer::Error>(())
    /// ```
    pub fn open_with(choice: impl AsRef<str>, options: &DeviceOptions) -> Result<Device> {
        match choice.as_ref().parse::<DeviceChoice>()?.kind() {
            None => auto(&CANDIDATES, options),
            Some(kind) => {
                let candidate = CANDIDATES.iter().find(|candidate| candidate.kind == kind);
                let candidate = candidate.ok_or_else(|| Error::Unavailable {
                    device: kind.name().to_owned(),
                    why: "this build does not know it".to_owned(),
                })?;
                Ok(Device::from((candidate.open)(options, Asked::ByName)?))
            }
        }
    }

    /// Looks at every device there could be: what it is, whether it passes the quick conformance
    /// run, and why `auto` would not take it.
    ///
    /// ```
    /// use bessemer::{Device, DeviceKind};
    ///
    /// let survey = Device::survey(&Default::default());
    /// let cpu = survey.findings.iter().find(|finding| finding.kind == DeviceKind::Cpu).unwrap();
    /// assert!(cpu.refusal.is_none());
    /// assert!(survey.chosen().is_some());
    /// ```
    pub fn survey(options: &DeviceOptions) -> Survey {
        survey::survey(&CANDIDATES, options)
    }

    /// The better devices that `auto` refused before it took this one, and why; empty if this
    /// one was asked for by name.
    ///
    /// ```
    /// use bessemer::Device;
    ///
    /// for refusal in Device::open("auto")?.passed_over() {
    ///     println!("{refusal}"); // such as "metal: …"
    /// }
    /// assert!(Device::open("cpu")?.passed_over().is_empty());
    /// # Ok::<(), bessemer::Error>(())
    /// ```
    pub fn passed_over(&self) -> &[Refusal] {
        &self.passed_over
    }
}

fn auto(candidates: &[Candidate], options: &DeviceOptions) -> Result<Device> {
    let mut passed_over = Vec::new();
    for candidate in candidates {
        match survey::examine(candidate, options) {
            Ok((device, _)) => {
                return Ok(Device { device, passed_over: passed_over.into() });
            }
            Err(refusal) => passed_over.push(refusal),
        }
    }
    let refusals: Vec<_> = passed_over.iter().map(ToString::to_string).collect();
    Err(Error::Unavailable { device: "auto".into(), why: refusals.join("; ") }.into())
}

impl From<Arc<dyn bessemer_core::Device>> for Device {
    fn from(device: Arc<dyn bessemer_core::Device>) -> Device {
        Device { device, passed_over: Arc::new([]) }
    }
}

impl From<Device> for Arc<dyn bessemer_core::Device> {
    fn from(device: Device) -> Self {
        device.device
    }
}

impl Deref for Device {
    type Target = Arc<dyn bessemer_core::Device>;

    fn deref(&self) -> &Self::Target {
        &self.device
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.device.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bessemer_core::DeviceKind;
    use bessemer_cpu::Reference;

    #[test]
    #[cfg(not(target_vendor = "apple"))]
    fn auto_takes_the_cpu_and_says_why_not_the_others() {
        let device = Device::open(DeviceChoice::Auto).unwrap();
        assert_eq!(device.info().kind, DeviceKind::Cpu);
        let kinds: Vec<_> = device.passed_over().iter().map(|refusal| refusal.kind).collect();
        assert_eq!(kinds, [DeviceKind::Metal, DeviceKind::WebGpu]);
        let said = |why: &str| why.contains("`cpu`") || why.contains("on the CPU");
        assert!(device.passed_over().iter().all(|refusal| said(&refusal.why)));
    }

    #[test]
    fn options_reach_the_device() {
        let options = DeviceOptions {
            threads: Some(3),
            memory_limit: Some(1 << 20),
            precise: true,
            mapped: true,
            isa: Some(bessemer_simd::Isa::Portable),
            ..Default::default()
        };
        let device = Device::open_with("cpu", &options).unwrap();
        assert_eq!(device.info().threads, 3);
        let features = &device.info().features;
        assert!(
            ["precise", "mapped", "portable"].iter().all(|&it| features.contains(&it.to_owned()))
        );
        assert!(device.alloc(1 << 21).is_err());
        let none = DeviceOptions { threads: Some(0), ..Default::default() };
        let error = Device::open_with("auto", &none).unwrap_err().to_string();
        assert!(error.contains("0 threads") && error.contains("metal"), "{error}");
    }

    #[test]
    #[cfg(not(target_vendor = "apple"))]
    fn a_device_that_is_not_here_says_what_to_do() {
        let absent = ["metal"].into_iter().chain((!cfg!(feature = "webgpu")).then_some("webgpu"));
        for name in absent {
            let error = Device::open(name).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("use `cpu`"), "{error}");
        }
        assert!(Device::open("").is_err());
    }

    #[test]
    fn auto_takes_the_first_that_is_no_imitation() {
        /// A CPU device that says it is something else.
        fn as_if(kind: DeviceKind, software: bool) -> Arc<dyn bessemer_core::Device> {
            Arc::new(crate::survey::disguise::Disguised::new(kind, software))
        }
        let candidate = |kind, open| Candidate { kind, only_by_name: None, open };
        let list = |web_gpu| {
            let absent = |_: &DeviceOptions, _: Asked| {
                Err(Error::Unavailable { device: "metal".into(), why: "no Mac".into() })
            };
            let cpu = |_: &DeviceOptions, _: Asked| Ok(as_if(DeviceKind::Cpu, false));
            [
                candidate(DeviceKind::Metal, absent),
                candidate(DeviceKind::WebGpu, web_gpu),
                candidate(DeviceKind::Cpu, cpu),
            ]
        };
        let taken = |web_gpu| auto(&list(web_gpu), &DeviceOptions::default()).unwrap();
        let card = taken(|_, asked| {
            assert_eq!(asked, Asked::Auto);
            Ok(as_if(DeviceKind::WebGpu, false))
        });
        assert_eq!(card.info().kind, DeviceKind::WebGpu);
        let imitation = taken(|_, _| Ok(as_if(DeviceKind::WebGpu, true)));
        assert_eq!(imitation.info().kind, DeviceKind::Cpu);
        assert!(imitation.passed_over()[1].why.contains("emulates"));
    }

    #[test]
    fn auto_with_nothing_to_take_is_an_error_that_names_each() {
        let broken = Candidate {
            kind: DeviceKind::Metal,
            only_by_name: None,
            open: |_, _| {
                Err(Error::Unavailable { device: "metal".into(), why: "unplugged".into() })
            },
        };
        let slow = Candidate {
            kind: DeviceKind::Reference,
            only_by_name: Some("slow"),
            open: |_, _| Ok(Arc::new(Reference::new())),
        };
        let error = auto(&[broken, slow], &DeviceOptions::default()).unwrap_err().to_string();
        assert!(error.contains("metal: unplugged") && error.contains("reference: slow"), "{error}");
    }
}
