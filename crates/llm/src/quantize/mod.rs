//! Storing a model's weights as other types, in a GGUF file: [`quantize`] in fewer bits, [`write()`] as
//! floats.
//!
//! [`Recipe`] and [`Floats`] are the requested types, `assign` chooses the dtype of each tensor, `convert`
//! converts them. The formats themselves are `bessemer_core::blocks`.

mod assign;
mod convert;
mod floats;
mod recipe;

pub use floats::{Floats, UnknownFloats, write};
pub use recipe::{Recipe, UnknownRecipe};

use crate::{
    Error, Result,
    files::{Gguf, GgufWriter, Tensor},
};
use assign::{Assigner, Choice};
use bessemer_core::DType;
use std::{collections::BTreeMap, path::Path};

/// The version of the block formats that files name: the one of scales stored as halves.
const QUANTIZATION_VERSION: u32 = 2;

/// What became of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The tensors, and the bytes of all of them before and after.
    pub tensors: usize,
    /// Bytes before.
    pub before: u64,
    /// Bytes after.
    pub after: u64,
    /// How many tensors of each dtype there are now.
    pub dtypes: BTreeMap<DType, usize>,
    /// Tensors whose rows are not whole blocks of the dtype meant for them, with the dtype they
    /// got instead.
    pub fallbacks: Vec<(String, DType)>,
    /// Tensors that had been quantised before: what they lost then, they lack now too.
    pub requantized: usize,
}

/// One tensor of the plan.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its number, from 0.
    pub number: usize,
    /// How many there are.
    pub count: usize,
    /// What it was and what it becomes.
    pub from: DType,
    /// What it becomes.
    pub to: DType,
}

/// Writes `input` anew as `recipe` says, on so many threads. The file appears whole or not at all.
///
/// Norms, biases and other vectors stay as they are. `progress` is told of each tensor as its turn
/// comes.
///
/// ```
/// use bessemer_core::{DType, Element, Shape};
/// use bessemer_llm::{files::{Gguf, GgufWriter}, quantize::quantize};
///
/// let folder = tempfile::tempdir()?;
/// let mut writer = GgufWriter::new();
/// writer.set("general.architecture", "llama").set("llama.block_count", 1u32);
/// writer.tensor("blk.0.attn_q.weight", DType::F32, Shape::new(&[4, 64])?)?;
/// let values: Vec<f32> = (0..256).map(|i| i as f32).collect();
/// let file = Gguf::from_bytes(writer.to_bytes(&[f32::as_bytes(&values)])?)?;
///
/// let path = folder.path().join("small.gguf");
/// let report = quantize(&file, &path, "Q4_K_M".parse()?, 1, &mut |_| ())?;
/// // Rows of 64 are not whole blocks of 256: the next best.
/// assert_eq!(report.fallbacks, [("blk.0.attn_q.weight".to_owned(), DType::Q5_0)]);
/// assert_eq!(Gguf::open(&path)?.metadata().require::<u32>("general.file_type")?, 15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn quantize(
    input: &Gguf,
    output: &Path,
    recipe: Recipe,
    threads: usize,
    progress: &mut dyn FnMut(Step<'_>),
) -> Result<Report> {
    let assigner = Assigner::new(input, recipe)?;
    let choose = |tensor: &Tensor| assigner.choose(tensor);
    rewrite(input, output, recipe.file_type(), &choose, threads, progress)
}

/// Writes `input` anew, each tensor as `choose` says.
fn rewrite(
    input: &Gguf,
    output: &Path,
    file_type: u32,
    choose: &dyn Fn(&Tensor) -> Choice,
    threads: usize,
    progress: &mut dyn FnMut(Step<'_>),
) -> Result<Report> {
    let tensors = input.tensors();
    check_apart(input, output)?;
    let mut writer = GgufWriter::new();
    for entry in input.metadata().iter().filter(|entry| !entry.key.starts_with("split.")) {
        writer.set(&entry.key, entry.value.clone());
    }
    writer.set("general.quantization_version", QUANTIZATION_VERSION);
    writer.set("general.file_type", file_type);

    let mut report = Report { tensors: tensors.len(), ..Report::default() };
    let mut plan: Vec<(&Tensor, DType)> = Vec::with_capacity(tensors.len());
    for tensor in tensors.iter() {
        let choice = choose(tensor);
        writer.tensor(&tensor.name, choice.dtype, tensor.shape)?;
        *report.dtypes.entry(choice.dtype).or_default() += 1;
        report.requantized += usize::from(tensor.dtype.is_block() && choice.dtype != tensor.dtype);
        if choice.is_fallback {
            report.fallbacks.push((tensor.name.clone(), choice.dtype));
        }
        plan.push((tensor, choice.dtype));
    }
    let mut stream = writer.begin(output)?;
    for (number, &(tensor, to)) in plan.iter().enumerate() {
        let count = plan.len();
        progress(Step { name: &tensor.name, number, count, from: tensor.dtype, to });
        let bytes = tensors.bytes(tensor);
        let converted = convert::convert(bytes, tensor.dtype, to, tensor.shape.width(), threads)
            .map_err(|why| {
                let path = tensors.files().nth(tensor.file).unwrap_or(Path::new(""));
                Error::damaged(path, format!("tensor `{}`", tensor.name), why)
            })?;
        report.before += bytes.len() as u64;
        report.after += converted.len() as u64;
        stream.tensor(&converted)?;
    }
    tensors.check()?;
    stream.finish()?;
    Ok(report)
}

/// A file that is read through a map can't be replaced under it.
fn check_apart(input: &Gguf, output: &Path) -> Result<()> {
    let there = output.canonicalize().ok();
    let same = |path: &Path| there.is_some() && path.canonicalize().ok() == there;
    if input.tensors().files().any(same) {
        let remedy = "choose another name";
        return Err(Error::broken(output, "the output", "is also the input", remedy));
    }
    Ok(())
}
