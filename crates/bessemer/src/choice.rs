//! The device a user selects.

use bessemer_core::{DeviceKind, Error, Result};
use std::{fmt, str::FromStr};

/// The device to open: one by name, or the best there is.
///
/// ```
/// use bessemer::DeviceChoice;
///
/// assert_eq!("metal".parse::<DeviceChoice>()?, DeviceChoice::Metal);
/// assert_eq!(DeviceChoice::Auto.to_string(), "auto");
/// assert!("gpu".parse::<DeviceChoice>().is_err());
/// # Ok::<(), bessemer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeviceChoice {
    /// The best device that passes the quick conformance run.
    #[default]
    Auto,
    /// SIMD code on a thread pool.
    Cpu,
    /// Scalar code in double precision: the meaning of every op, and slow.
    Reference,
    /// Apple's Metal.
    Metal,
    /// WebGPU through wgpu.
    WebGpu,
}

impl DeviceChoice {
    /// Every choice.
    pub const ALL: [DeviceChoice; 5] = [
        DeviceChoice::Auto,
        DeviceChoice::Cpu,
        DeviceChoice::Reference,
        DeviceChoice::Metal,
        DeviceChoice::WebGpu,
    ];

    /// The kind of device this is; `None` for `Auto`.
    ///
    /// ```
    /// use bessemer::{DeviceChoice, DeviceKind};
    ///
    /// assert_eq!(DeviceChoice::WebGpu.kind(), Some(DeviceKind::WebGpu));
    /// assert_eq!(DeviceChoice::Auto.kind(), None);
    /// ```
    pub fn kind(self) -> Option<DeviceKind> {
        match self {
            DeviceChoice::Auto => None,
            DeviceChoice::Cpu => Some(DeviceKind::Cpu),
            DeviceChoice::Reference => Some(DeviceKind::Reference),
            DeviceChoice::Metal => Some(DeviceKind::Metal),
            DeviceChoice::WebGpu => Some(DeviceKind::WebGpu),
        }
    }

    /// Its name, as `Device::open` and `--device` take it.
    pub fn name(self) -> &'static str {
        self.kind().map_or("auto", DeviceKind::name)
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl AsRef<str> for DeviceChoice {
    fn as_ref(&self) -> &str {
        self.name()
    }
}

impl FromStr for DeviceChoice {
    type Err = Error;

    fn from_str(name: &str) -> Result<DeviceChoice> {
        let found = DeviceChoice::ALL.into_iter().find(|c| c.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| Error::Unavailable {
            device: name.to_owned(),
            why: format!("choose one of {}", DeviceChoice::ALL.map(|c| c.name()).join(", ")),
        })
    }
}
