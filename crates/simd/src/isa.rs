//! The supported instruction sets, and detection of the machine's.

use std::{env, fmt, str::FromStr, sync::OnceLock};

/// A level of the CPU's vector instructions. Later ones are wider.
///
/// All variants exist on every machine, so that a name always parses; [`Isa::available`] says
/// whether this machine can run one.
///
/// ```
/// use bessemer_simd::Isa;
///
/// assert_eq!("avx2".parse(), Ok(Isa::Avx2));
/// assert!(Isa::Portable.available());
/// assert!(Isa::here().any(|isa| isa == Isa::widest()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// What every machine of the target has, with no intrinsics: the plain Rust of each kernel.
    Portable,
    /// Armv8 Advanced SIMD.
    Neon,
    /// Armv8 Advanced SIMD with the `sdot`/`udot` integer dot products.
    NeonDot,
    /// AVX2 with FMA and F16C.
    Avx2,
    /// AVX-512 F, BW, DQ, VL and VNNI.
    Avx512,
}

/// A name that is no instruction set.
///
/// ```
/// use bessemer_simd::Isa;
///
/// let error = "sse".parse::<Isa>().unwrap_err().to_string();
/// assert!(error.starts_with("unknown instruction set `sse`: expected portable"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown instruction set `{0}`: expected portable, neon, neondot, avx2 or avx512")]
pub struct UnknownIsa(String);

impl Isa {
    /// Every level, narrowest first.
    pub const ALL: [Isa; 5] = [Isa::Portable, Isa::Neon, Isa::NeonDot, Isa::Avx2, Isa::Avx512];

    /// The widest level this machine has, or the one that `BESSEMER_ISA` names.
    ///
    /// A name that is unknown, or a level that is not here, is ignored: use [`Isa::from_env`]
    /// to report it.
    pub fn best() -> Isa {
        static BEST: OnceLock<Isa> = OnceLock::new();
        *BEST.get_or_init(|| match Isa::from_env() {
            Ok(Some(isa)) if isa.available() => isa,
            _ => Isa::widest(),
        })
    }

    /// What `BESSEMER_ISA` asks for, if it is set.
    pub fn from_env() -> Result<Option<Isa>, UnknownIsa> {
        match env::var("BESSEMER_ISA") {
            Ok(name) => name.parse().map(Some),
            Err(_) => Ok(None),
        }
    }

    /// The widest level this machine has.
    pub fn widest() -> Isa {
        Isa::ALL.into_iter().rev().find(|isa| isa.available()).unwrap_or(Isa::Portable)
    }

    /// Whether this machine can run it.
    #[inline]
    pub fn available(self) -> bool {
        static HERE: OnceLock<u8> = OnceLock::new();
        let here = *HERE.get_or_init(|| {
            Isa::ALL.iter().fold(0, |bits, isa| bits | (u8::from(isa.detect()) << *isa as u8))
        });
        here >> self as u8 & 1 == 1
    }

    fn detect(self) -> bool {
        match self {
            Isa::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("f16c")
            }
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                Isa::Avx2.detect()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vnni")
            }
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => true,
            #[cfg(target_arch = "aarch64")]
            Isa::NeonDot => std::arch::is_aarch64_feature_detected!("dotprod"),
            _ => false,
        }
    }

    /// The levels this machine can run, narrowest first: what tests iterate over.
    pub fn here() -> impl Iterator<Item = Isa> {
        Isa::ALL.into_iter().filter(|isa| isa.available())
    }

    /// Its name, as `BESSEMER_ISA` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Neon => "neon",
            Isa::NeonDot => "neondot",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Isa {
    type Err = UnknownIsa;

    fn from_str(name: &str) -> Result<Isa, UnknownIsa> {
        Isa::ALL
            .into_iter()
            .find(|isa| isa.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownIsa(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for isa in Isa::ALL {
            assert_eq!(isa.name().parse(), Ok(isa));
        }
        assert!("sse9".parse::<Isa>().is_err());
    }

    #[test]
    fn the_widest_is_available_and_portable_always_is() {
        assert!(Isa::widest().available());
        assert_eq!(Isa::here().next(), Some(Isa::Portable));
    }
}
