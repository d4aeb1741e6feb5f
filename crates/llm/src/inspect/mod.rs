//! Describes a model from its files without loading it: for people, and as JSON for programs.

mod dimensions;

use crate::{
    Result, SessionOptions,
    files::{
        Gguf, ModelFile, Tensors,
        gguf::{Array, Value},
    },
    model::Config,
};
use bessemer_core::DType;
use dimensions::Dimensions;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

/// A model in short.
///
/// ```
/// use bessemer_core::{DType, Shape};
/// use bessemer_llm::{files::{GgufWriter, ModelFile}, inspect::Summary};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("tiny.gguf");
/// let mut writer = GgufWriter::new();
/// writer.set("general.architecture", "llama").set("llama.block_count", 2u32);
/// writer.set("llama.attention.head_count", 4u32).set("llama.embedding_length", 64u32);
/// writer.tensor("output_norm.weight", DType::F32, Shape::new(&[64])?)?;
/// let mut stream = writer.begin(&path)?;
/// stream.tensor(&[0; 256])?;
/// stream.finish()?;
///
/// let summary = Summary::new(&ModelFile::open(&path)?, 1024, DType::F16)?;
/// assert_eq!(summary.architecture.as_deref(), Some("llama"));
/// assert_eq!(summary.memory.weights, 256);
/// assert_eq!(summary.memory.kv_cache, Some(2 * 2 * 1024 * 64 * 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The format, such as `GGUF 3`.
    pub format: String,
    /// The files.
    pub files: Vec<String>,
    /// What kind of model it is.
    pub architecture: Option<String>,
    /// What it is called.
    pub name: Option<String>,
    /// How many numbers it is made of.
    pub parameters: u64,
    /// How many tensors and bytes there are of each dtype.
    pub dtypes: BTreeMap<String, Tally>,
    /// What it needs to run.
    pub memory: Memory,
    /// All keys; long lists are cut short.
    pub metadata: Map<String, Json>,
    /// All tensors.
    pub tensors: Vec<TensorSummary>,
}

/// Tensors of one dtype together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// How many.
    pub tensors: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// Bytes needed to run a model.
#[derive(Clone, Debug, Serialize)]
pub struct Memory {
    /// The weights.
    pub weights: usize,
    /// Tokens there is to be room for.
    pub context: usize,
    /// The cache of keys and values for them; `None` if the files do not say how large it is.
    pub kv_cache: Option<usize>,
    /// How the cache is stored.
    pub kv_dtype: String,
    /// What a session works in besides; `None` if this is not a model bessemer can run.
    pub work: Option<usize>,
    /// All together, as far as known.
    pub total: usize,
    /// The most tokens the model was made for, if the files say.
    pub longest_context: Option<usize>,
}

/// One tensor.
#[derive(Clone, Debug, Serialize)]
pub struct TensorSummary {
    /// Its name.
    pub name: String,
    /// How it is stored.
    pub dtype: String,
    /// Its sizes, slowest first.
    pub shape: Vec<usize>,
    /// Its bytes.
    pub bytes: usize,
}

/// Lists longer than this are cut.
const LONGEST_LIST: usize = 8;

impl Summary {
    /// Sums a model up; memory is for a context of so many tokens, cached as `kv_dtype`.
    pub fn new(model: &ModelFile, context: usize, kv_dtype: DType) -> Result<Summary> {
        let tensors = model.tensors();
        let (format, metadata, dimensions) = match model {
            ModelFile::Gguf(file) => (
                format!("GGUF {}", file.version()),
                gguf_metadata(file),
                Dimensions::of_gguf(file.metadata())?,
            ),
            ModelFile::Safetensors(files) => {
                let json = files.config().and_then(|config| config.json().as_object());
                let dimensions = files.config().map(Dimensions::of_config).transpose()?;
                let metadata = json.cloned().unwrap_or_default();
                ("safetensors".to_owned(), metadata, dimensions.unwrap_or_default())
            }
        };
        let weights = tensors.total_bytes();
        // What a model that can run will take is known exactly, of others what their files say.
        let config = Config::of(model).ok();
        let kv_cache = match &config {
            Some(config) => Some(config.state_bytes(context, kv_dtype)?),
            None => dimensions.kv_cache(context, kv_dtype)?,
        };
        let rows = SessionOptions::default().chunk.min(context);
        let work = config.map(|config| config.work_bytes(rows));
        Ok(Summary {
            format,
            files: files(tensors),
            parameters: tensors.iter().map(|t| t.shape.elements() as u64).sum(),
            dtypes: tallies(tensors),
            memory: Memory {
                weights,
                context,
                kv_cache,
                kv_dtype: kv_dtype.to_string(),
                work,
                total: [kv_cache, work].into_iter().flatten().fold(weights, usize::saturating_add),
                longest_context: dimensions.longest_context,
            },
            architecture: dimensions.architecture,
            name: dimensions.name,
            metadata,
            tensors: tensors
                .iter()
                .map(|tensor| TensorSummary {
                    name: tensor.name.clone(),
                    dtype: tensor.dtype.to_string(),
                    shape: tensor.shape.to_vec(),
                    bytes: tensor.range.len(),
                })
                .collect(),
        })
    }
}

/// The files, each once: what was made of one as it was opened counts to it.
fn files(tensors: &Tensors) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for path in tensors.files().map(|path| path.display().to_string()) {
        if files.last() != Some(&path) && files.first() != Some(&path) {
            files.push(path);
        }
    }
    files
}

fn tallies(tensors: &Tensors) -> BTreeMap<String, Tally> {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for tensor in tensors.iter() {
        let tally = tallies.entry(tensor.dtype.to_string()).or_default();
        tally.tensors += 1;
        tally.bytes += tensor.range.len() as u64;
    }
    tallies
}

fn gguf_metadata(file: &Gguf) -> Map<String, Json> {
    let entries = file.metadata().iter();
    entries.map(|entry| (entry.key.clone(), json(&entry.value))).collect()
}

fn json(value: &Value) -> Json {
    match value {
        Value::String(text) => text.as_str().into(),
        Value::Bool(x) => (*x).into(),
        Value::U64(x) => (*x).into(),
        Value::F32(x) => (*x).into(),
        Value::F64(x) => (*x).into(),
        Value::Array(array) => list(array),
        other => match other.as_integer().map(i64::try_from) {
            Some(Ok(x)) => x.into(),
            _ => Json::Null,
        },
    }
}

/// A short list as it is; of a long one its start and its length.
fn list(array: &Array) -> Json {
    let mut items: Vec<Json> = Vec::new();
    if let Some(strings) = array.strings() {
        let shown = strings.take(LONGEST_LIST);
        items.extend(shown.map(|text| String::from_utf8_lossy(text).into()));
    }
    if let Some(scalars) = array.scalars() {
        items.extend(scalars.take(LONGEST_LIST).map(|value| json(&value)));
    }
    if array.len() > items.len() {
        items.push(format!("… {} in all", array.len()).into());
    }
    items.into()
}
