//! Writing GGUF version 3: first what there will be, then tensor after tensor.

use super::{
    types::id_of,
    value::{Value, write_string},
};
use crate::{
    Error, Result,
    files::{AtomicFile, tensors::tensor_bytes},
};
use bessemer_core::{DType, Shape};
use std::{io::Write, path::Path};

/// Where data starts: a multiple of this.
const ALIGNMENT: usize = 32;

/// The plan of a GGUF file: its metadata and its tensors.
///
/// See [`Gguf`](super::Gguf) for an example.
///
/// ```
/// use bessemer_core::{DType, Element, Shape};
/// use bessemer_llm::files::{Gguf, GgufWriter};
///
/// let mut writer = GgufWriter::new();
/// writer.set("general.name", "tiny").set("tiny.layers", 2u32);
/// writer.tensor("bias", DType::F32, Shape::new(&[2])?)?;
/// let file = Gguf::from_bytes(writer.to_bytes(&[f32::as_bytes(&[1.0, 2.0])])?)?;
/// assert_eq!(file.tensors().total_bytes(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct GgufWriter {
    metadata: Vec<(String, Value)>,
    tensors: Vec<(String, DType, Shape, usize)>,
}

/// A GGUF file being written; dropped before [`GgufStream::finish`], it leaves nothing behind.
pub struct GgufStream {
    out: AtomicFile,
    /// What is still to come, last first.
    expected: Vec<(String, usize)>,
}

impl GgufWriter {
    /// An empty plan.
    pub fn new() -> GgufWriter {
        GgufWriter::default()
    }

    /// Sets a key, replacing an earlier value. The alignment is the writer's own affair:
    /// `general.alignment` is left out.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) -> &mut GgufWriter {
        if key == "general.alignment" {
            return self;
        }
        let value = value.into();
        match self.metadata.iter_mut().find(|(k, _)| k == key) {
            Some(entry) => entry.1 = value,
            None => self.metadata.push((key.to_owned(), value)),
        }
        self
    }

    /// Plans a tensor.
    pub fn tensor(&mut self, name: &str, dtype: DType, shape: Shape) -> Result<&mut GgufWriter> {
        let refuse = |why: String| {
            let place = format!("tensor `{name}`");
            Error::broken(Path::new("GGUF writer"), place, why, "convert or reshape the tensor")
        };
        if id_of(dtype).is_none() {
            return Err(refuse(format!("is {dtype}, for which GGUF has no type")));
        }
        if shape.rank() > 4 {
            return Err(refuse(format!("has the shape {shape}, of more than 4 dimensions")));
        }
        let bytes = tensor_bytes(dtype, &shape).map_err(refuse)?;
        self.tensors.push((name.to_owned(), dtype, shape, bytes));
        Ok(self)
    }

    /// Starts the file: its tensors follow in the planned order.
    pub fn begin(&self, path: impl AsRef<Path>) -> Result<GgufStream> {
        let mut out = AtomicFile::create(path)?;
        let head = self.head();
        out.write_all(&head).map_err(|e| Error::io(out.path(), "write", e))?;
        let names = self.tensors.iter().rev();
        let expected = names.map(|(name, _, _, bytes)| (name.clone(), *bytes));
        Ok(GgufStream { out, expected: expected.collect() })
    }

    /// The whole file in memory, given each tensor's bytes.
    pub fn to_bytes(&self, tensors: &[&[u8]]) -> Result<Vec<u8>> {
        let mut out = self.head();
        let mut expected = self.tensors.iter();
        for bytes in tensors {
            let next = expected.next().map(|(name, _, _, len)| (name.as_str(), *len));
            check(Path::new("GGUF writer"), next, bytes.len())?;
            out.extend_from_slice(bytes);
            out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
        }
        match expected.next() {
            Some((name, ..)) => Err(missing(Path::new("GGUF writer"), name)),
            None => Ok(out),
        }
    }

    fn head(&self) -> Vec<u8> {
        let mut out = b"GGUF\x03\0\0\0".to_vec();
        out.extend((self.tensors.len() as u64).to_le_bytes());
        out.extend((self.metadata.len() as u64).to_le_bytes());
        for (key, value) in &self.metadata {
            write_string(key.as_bytes(), &mut out);
            out.extend(value.kind().id().to_le_bytes());
            value.write(&mut out);
        }
        let mut offset = 0;
        for (name, dtype, shape, bytes) in &self.tensors {
            write_string(name.as_bytes(), &mut out);
            out.extend((shape.rank() as u32).to_le_bytes());
            for &size in shape.iter().rev() {
                out.extend((size as u64).to_le_bytes());
            }
            let id = id_of(*dtype).expect("checked when the tensor was planned");
            out.extend(id.to_le_bytes());
            out.extend((offset as u64).to_le_bytes());
            offset += bytes.next_multiple_of(ALIGNMENT);
        }
        out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
        out
    }
}

impl GgufStream {
    /// Writes the next planned tensor.
    pub fn tensor(&mut self, bytes: &[u8]) -> Result<()> {
        let next = self.expected.pop();
        let named = next.as_ref().map(|(name, len)| (name.as_str(), *len));
        check(self.out.path(), named, bytes.len())?;
        let padding = bytes.len().next_multiple_of(ALIGNMENT) - bytes.len();
        self.out
            .write_all(bytes)
            .and_then(|()| self.out.write_all(&[0; ALIGNMENT][..padding]))
            .map_err(|e| Error::io(self.out.path(), "write", e))
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<()> {
        match self.expected.last() {
            Some((name, _)) => Err(missing(self.out.path(), name)),
            None => self.out.finish(),
        }
    }
}

fn check(path: &Path, next: Option<(&str, usize)>, found: usize) -> Result<()> {
    let Some((name, expected)) = next else {
        let why = "has no more planned tensors";
        return Err(Error::broken(path, "the writer", why, "plan all tensors before the first"));
    };
    if expected != found {
        let why = format!("takes {expected} bytes, but {found} were passed");
        let remedy = "pass the bytes of its dtype and shape";
        return Err(Error::broken(path, format!("tensor `{name}`"), why, remedy));
    }
    Ok(())
}

fn missing(path: &Path, name: &str) -> Error {
    let why = "was planned but not written";
    Error::broken(path, format!("tensor `{name}`"), why, "write all planned tensors")
}
