//! Options for opening devices: a field for everything that an environment variable can set.

use crate::Result;
use bessemer_core::Error as CoreError;
use bessemer_simd::Isa;
use std::{env, path::PathBuf, str::FromStr};

/// How to open a device. A field that is `None` is taken from its environment variable, if it has
/// one, else from the machine.
///
/// ```
/// use bessemer::{Device, DeviceOptions};
///
/// let options = DeviceOptions { threads: Some(1), ..Default::default() };
/// let device = Device::open_with("cpu", &options)?;
/// assert_eq!(device.info().threads, 1);
/// # Ok::<(), bessemer::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DeviceOptions {
    /// Threads of the `cpu` device (`BESSEMER_THREADS`).
    pub threads: Option<usize>,
    /// The instruction set of the `cpu` device (`BESSEMER_ISA`); else the widest the CPU has.
    pub isa: Option<Isa>,
    /// The most bytes that all buffers of the device may take together.
    pub memory_limit: Option<usize>,
    /// Computes quantised layers on the `cpu` device with 16-bit activations instead of 8-bit ones:
    /// slower, and as close to `f32` arithmetic as GPUs are.
    pub precise: bool,
    /// Uses the files of models where they are mapped into memory, always. Without it the `cpu`
    /// device copies them to huge pages where the system has those and memory is plentiful: models
    /// run a few percent faster, but take longer to load, and processes do not share that memory.
    pub mapped: bool,
    /// The GPU of the `metal` device, by a part of its name (`BESSEMER_GPU`); else the system's
    /// choice.
    pub gpu: Option<String>,
    /// The adapter of the `webgpu` device, by a part of its name (`BESSEMER_ADAPTER`); else the
    /// fastest.
    pub adapter: Option<String>,
    /// Runs the `metal` device in software (`BESSEMER_SOFTMETAL`). Needs the feature `softmetal`.
    pub softmetal: Option<SoftMetal>,
    /// A `.gputrace` file for Xcode with everything the `metal` device runs (`BESSEMER_CAPTURE`).
    pub capture: Option<PathBuf>,
    /// A file for a timeline of everything that runs, in Chrome's trace format, written when the
    /// device is closed. GPUs only.
    pub trace: Option<PathBuf>,
}

impl DeviceOptions {
    /// Whether and how Metal is to run in software.
    pub(crate) fn softmetal(&self) -> Result<Option<SoftMetal>, CoreError> {
        if let Some(asked) = &self.softmetal {
            return Ok(Some(asked.clone()));
        }
        match env::var("BESSEMER_SOFTMETAL").as_deref() {
            Err(_) | Ok("" | "0") => Ok(None),
            Ok(text) => Ok(Some(text.parse()?)),
        }
    }
}

/// How the `metal` device runs in software.
///
/// As text: `1`, `checked`, the name of a GPU, or `checked,NAME`.
///
/// ```
/// use bessemer::SoftMetal;
///
/// let soft: SoftMetal = "checked,m1-8gb".parse()?;
/// assert_eq!(soft, SoftMetal { checked: true, profile: Some("m1-8gb".into()) });
/// # Ok::<(), bessemer::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SoftMetal {
    /// Checks every access to memory, and looks for data races.
    pub checked: bool,
    /// The GPU whose limits and features apply, such as `m1-8gb`.
    pub profile: Option<String>,
}

impl FromStr for SoftMetal {
    type Err = CoreError;

    fn from_str(text: &str) -> Result<SoftMetal, CoreError> {
        let mut soft = SoftMetal::default();
        for word in text.split(',') {
            match word.trim() {
                "1" => {}
                "checked" => soft.checked = true,
                name if !name.is_empty() && soft.profile.is_none() => {
                    soft.profile = Some(name.into());
                }
                _ => {
                    return Err(CoreError::Unavailable {
                        device: "metal".into(),
                        why: format!(
                            "softmetal: cannot read `{text}`; write 1, checked, the name of a GPU, \
                             or checked,NAME"
                        ),
                    });
                }
            }
        }
        Ok(soft)
    }
}
