//! Writing a model as floats: the types that llama.cpp's converter gives to the tensors of RWKV.

use super::{
    Report, Step,
    assign::{Choice, dimensions},
    rewrite,
};
use crate::{
    Result,
    files::{Gguf, Tensor},
};
use bessemer_core::DType;
use std::{fmt, path::Path, str::FromStr};

/// Which floats the matrices of a model become.
///
/// ```
/// use bessemer_llm::quantize::Floats;
///
/// let floats: Floats = "bf16".parse()?;
/// assert_eq!((floats, floats.to_string()), (Floats::Bf16, "bf16".to_owned()));
/// assert!("q8_0".parse::<Floats>().unwrap_err().to_string().contains("use one of auto"));
/// # Ok::<(), bessemer_llm::quantize::UnknownFloats>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Floats {
    /// Those they are: nothing is lost.
    #[default]
    Auto,
    /// `f32`.
    F32,
    /// `f16`.
    F16,
    /// `bf16`.
    Bf16,
}

/// A name that is none of them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("convert: unknown type `{0}`; use one of auto f32 f16 bf16, and quantize for fewer bits")]
pub struct UnknownFloats(String);

/// Matrices that are `f32` always: small, and what errs in them adds up.
const WIDE: [&str; 6] = ["first", "w1", "w2", "decay_w1", "decay_w2", "lerp_fused"];

/// Writes a model to a GGUF file with its matrices as `floats`, on so many threads. The file appears whole
/// or not at all; `progress` is told of each tensor as its turn comes.
///
/// ```
/// use bessemer_llm::{files::Gguf, quantize::{Floats, write}, tiny};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("half.gguf");
/// let report = write(&Gguf::from_bytes(tiny::gguf())?, &path, Floats::F16, 1, &mut |_| ())?;
/// assert!(report.after < report.before);
/// assert_eq!(Gguf::open(&path)?.metadata().require::<u32>("general.file_type")?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(
    input: &Gguf,
    output: &Path,
    floats: Floats,
    threads: usize,
    progress: &mut dyn FnMut(Step<'_>),
) -> Result<Report> {
    let most = input.tensors().get("token_embd.weight").map(|tensor| tensor.dtype);
    let dtype = match floats {
        Floats::Auto => None,
        Floats::F32 => Some(DType::F32),
        Floats::F16 => Some(DType::F16),
        Floats::Bf16 => Some(DType::BF16),
    };
    let file_type = match dtype.or(most) {
        Some(DType::F16) => 1,
        Some(DType::BF16) => 32,
        _ => 0,
    };
    let choose = |tensor: &Tensor| {
        let dtype = if is_wide(tensor) { DType::F32 } else { dtype.unwrap_or(tensor.dtype) };
        Choice { dtype, is_fallback: false }
    };
    rewrite(input, output, file_type, &choose, threads, progress)
}

/// Whether a tensor is `f32` in every file.
fn is_wide(tensor: &Tensor) -> bool {
    let part =
        tensor.name.rsplit_once("time_mix_").and_then(|(_, rest)| rest.strip_suffix(".weight"));
    dimensions(tensor) <= 1
        || tensor.name.ends_with("_norm.weight")
        || !tensor.name.ends_with(".weight")
        || part.is_some_and(|part| WIDE.contains(&part))
}

impl fmt::Display for Floats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Floats::Auto => "auto",
            Floats::F32 => "f32",
            Floats::F16 => "f16",
            Floats::Bf16 => "bf16",
        })
    }
}

impl FromStr for Floats {
    type Err = UnknownFloats;

    fn from_str(name: &str) -> Result<Floats, UnknownFloats> {
        let all = [Floats::Auto, Floats::F32, Floats::F16, Floats::Bf16];
        let found = all.into_iter().find(|floats| floats.to_string().eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownFloats(name.to_owned()))
    }
}
