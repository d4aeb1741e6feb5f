//! The tensors of a model, over all its files: names, dtypes, shapes, bytes.

use super::map::Mapped;
use crate::{Error, Result, error::grouped};
use bessemer_core::{DType, HostMemory, Shape};
use foldhash::{HashMap, HashMapExt};
use half::{bf16, f16};
use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

/// One tensor of a file: its numbers lie in the file as its dtype has them, gapless, slowest
/// dimension first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// How its numbers are stored.
    pub dtype: DType,
    /// Its sizes, slowest first.
    pub shape: Shape,
    /// Which of the model's files holds it.
    pub file: usize,
    /// Where in that file.
    pub range: Range<usize>,
}

/// All tensors of a model, in the order of the files.
///
/// ```
/// use bessemer_llm::{files::Gguf, tiny};
///
/// let file = Gguf::from_bytes(tiny::gguf())?;
/// let embeddings = file.tensors().require("token_embd.weight")?;
/// assert_eq!(*embeddings.shape, [259, 64]);
/// assert_eq!(file.tensors().bytes(embeddings).len(), 259 * 64 * 4);
/// assert!(file.tensors().get("no.such.tensor").is_none());
/// # Ok::<(), bessemer_llm::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Tensors {
    files: Vec<(PathBuf, HostMemory)>,
    list: Vec<Tensor>,
    by_name: HashMap<String, usize>,
    maps: Vec<Arc<Mapped>>,
}

impl Tensors {
    pub(crate) fn new() -> Tensors {
        Tensors { files: Vec::new(), list: Vec::new(), by_name: HashMap::new(), maps: Vec::new() }
    }

    /// Adds a file with its tensors, which must lie within it, apart from each other, and have
    /// names that are not taken.
    pub(crate) fn add(&mut self, path: &Path, data: HostMemory, found: Vec<Tensor>) -> Result<()> {
        check_apart(path, &found)?;
        self.add_views(path, data, found)
    }

    /// The same for tensors that may share bytes.
    pub(crate) fn add_views(
        &mut self,
        path: &Path,
        data: HostMemory,
        found: Vec<Tensor>,
    ) -> Result<()> {
        check_within(path, data.bytes().len(), &found)?;
        let file = self.files.len();
        self.files.push((path.to_owned(), data));
        for mut tensor in found {
            tensor.file = file;
            let index = self.list.len();
            if self.by_name.insert(tensor.name.clone(), index).is_some() {
                let place = format!("tensor `{}`", tensor.name);
                return Err(Error::damaged(path, place, "occurs twice"));
            }
            self.list.push(tensor);
        }
        Ok(())
    }

    /// Other tensors of the same files, and of one more: `made`, which was made of `path`. All ranges are
    /// within their files, and names differ.
    pub(crate) fn derive(&self, path: &Path, made: Vec<u8>, list: Vec<Tensor>) -> Tensors {
        let mut files = self.files.clone();
        files.push((path.to_owned(), HostMemory::new(Arc::new(made))));
        let by_name = list.iter().enumerate().map(|(i, tensor)| (tensor.name.clone(), i)).collect();
        Tensors { files, list, by_name, maps: self.maps.clone() }
    }

    /// Remembers that a file is mapped; an error if it was truncated while it was read.
    pub(crate) fn watch(&mut self, map: Arc<Mapped>) -> Result<()> {
        map.check()?;
        self.maps.push(map);
        Ok(())
    }

    /// The files that are mapped.
    pub(crate) fn maps(&self) -> &[Arc<Mapped>] {
        &self.maps
    }

    /// An error if a file was truncated while its tensors were read.
    pub(crate) fn check(&self) -> Result<()> {
        self.maps.iter().try_for_each(|map| map.check())
    }

    /// The files, in order.
    pub fn files(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.files.iter().map(|(path, _)| path.as_path())
    }

    /// All tensors.
    pub fn iter(&self) -> std::slice::Iter<'_, Tensor> {
        self.list.iter()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The tensor of this name.
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        self.by_name.get(name).map(|&i| &self.list[i])
    }

    /// The tensor of this name, or an error that names the file it was looked for in.
    pub fn require(&self, name: &str) -> Result<&Tensor> {
        self.get(name).ok_or_else(|| {
            let path = self.files.first().map_or(Path::new(""), |(path, _)| path);
            Error::broken(
                path,
                format!("tensor `{name}`"),
                "is missing",
                "download the file again, or use a model of a supported architecture",
            )
        })
    }

    /// The memory of a whole file, ready to be adopted by a device: ranges of tensors are within
    /// it.
    ///
    /// # Panics
    /// If there is no such file.
    pub fn file(&self, index: usize) -> HostMemory {
        self.files[index].1.clone()
    }

    /// The memory of a tensor, ready to be adopted by a device.
    ///
    /// # Panics
    /// If the tensor is of another model.
    pub fn memory(&self, tensor: &Tensor) -> HostMemory {
        let (_, file) = &self.files[tensor.file];
        file.slice(tensor.range.clone()).expect("checked when the file was opened")
    }

    /// The bytes of a tensor.
    ///
    /// # Panics
    /// If the tensor is of another model.
    pub fn bytes(&self, tensor: &Tensor) -> &[u8] {
        &self.files[tensor.file].1.bytes()[tensor.range.clone()]
    }

    /// The numbers of a tensor of floats; `None` if it is of anything else.
    pub(crate) fn floats(&self, tensor: &Tensor) -> Option<Vec<f32>> {
        floats(tensor.dtype, self.bytes(tensor))
    }

    /// The bytes of all tensors together.
    pub fn total_bytes(&self) -> usize {
        self.list.iter().map(|t| t.range.len()).sum()
    }
}

/// The numbers of bytes that are floats; `None` if they are anything else.
pub(crate) fn floats(dtype: DType, bytes: &[u8]) -> Option<Vec<f32>> {
    let pairs = || bytes.as_chunks().0.iter();
    Some(match dtype {
        DType::F32 => bytes.as_chunks().0.iter().map(|&x| f32::from_le_bytes(x)).collect(),
        DType::F16 => pairs().map(|&x| f16::from_le_bytes(x).to_f32()).collect(),
        DType::BF16 => pairs().map(|&x| bf16::from_le_bytes(x).to_f32()).collect(),
        _ => return None,
    })
}

/// The bytes a tensor takes, or why it cannot be.
pub(crate) fn tensor_bytes(dtype: DType, shape: &Shape) -> Result<usize, String> {
    dtype.bytes_for(shape.width()).and_then(|row| row.checked_mul(shape.rows())).ok_or_else(|| {
        let block = dtype.block_len();
        format!(
            "has rows of {} elements, not whole blocks of {block} as {dtype} has",
            shape.width()
        )
    })
}

fn check_within(path: &Path, bytes: usize, found: &[Tensor]) -> Result<()> {
    if let Some(last) = found.iter().max_by_key(|t| t.range.end)
        && last.range.end > bytes
    {
        let why = format!(
            "ends at byte {}, but the file has {} bytes",
            grouped(last.range.end),
            grouped(bytes)
        );
        let place = format!("tensor `{}`", last.name);
        return Err(Error::damaged(path, place, why));
    }
    Ok(())
}

fn check_apart(path: &Path, found: &[Tensor]) -> Result<()> {
    let mut order: Vec<&Tensor> = found.iter().filter(|t| !t.range.is_empty()).collect();
    order.sort_by_key(|t| t.range.start);
    for pair in order.windows(2) {
        if pair[1].range.start < pair[0].range.end {
            let why = format!(
                "at bytes {:?} overlaps tensor `{}` at {:?}",
                pair[1].range, pair[0].name, pair[0].range
            );
            let place = format!("tensor `{}`", pair[1].name);
            return Err(Error::damaged(path, place, why));
        }
    }
    Ok(())
}
