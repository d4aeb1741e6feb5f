//! From a pickle's views of storages to tensors: in place if their elements follow each other, else copied.

use super::{
    pickle,
    values::{Handle, StorageOf, Value, Values, View},
    zip::Entry,
};
use crate::{
    Error, Result,
    error::grouped,
    files::{Tensor, tensors::tensor_bytes},
};
use bessemer_core::{DType, Shape};
use foldhash::HashMap;
use std::{ops::Range, path::Path};

/// Where programs that train put the tensors beside their own state.
const NESTED: [&str; 3] = ["state_dict", "model", "module"];

/// Copies start at multiples of this.
const ALIGNMENT: usize = 64;

/// Views of one storage may hold its elements more than once, as tied embeddings do, but not without end.
const MOST_REPEATED: usize = 2;

/// All tensors of a file.
#[derive(Default)]
pub(super) struct Found {
    pub(super) in_place: Vec<Tensor>,
    /// Those that lie in `memory`.
    pub(super) copied: Vec<Tensor>,
    pub(super) memory: Vec<u8>,
}

pub(super) fn find(path: &Path, bytes: &[u8], entries: &[Entry<'_>]) -> Result<Found> {
    let data = |entry: &Entry<'_>| &bytes[entry.data.clone()];
    let pickle = entries.iter().find(|entry| entry.name.ends_with("/data.pkl"));
    let Some(pickle) = pickle else {
        let why = "has no entry `data.pkl`";
        let remedy = "pass a file that torch.save wrote";
        return Err(Error::broken(path, "the zip", why, remedy));
    };
    let folder = pickle.name.strip_suffix("data.pkl").unwrap_or_default();
    let by_name: HashMap<&str, &Entry<'_>> = entries
        .iter()
        .filter_map(|entry| Some((entry.name.strip_prefix(folder)?, entry)))
        .collect();
    if by_name.get("byteorder").is_some_and(|entry| data(entry) == b"big") {
        let remedy = "save it again on a little-endian machine";
        let what = "a big-endian file";
        return Err(Error::unsupported(path, "zip entry `byteorder`", what, remedy));
    }
    let (values, root) = pickle::read(path, data(pickle), pickle.data.start)?;
    let mut reader = Reader { path, bytes, by_name, total: 0, found: Found::default() };
    for (name, view) in listed(path, &values, root)? {
        reader.add(name, view)?;
    }
    Ok(reader.found)
}

/// The tensors of the dict that is the result, or of one in it; whatever else is in there is left out.
fn listed<'a, 'v>(
    path: &Path,
    values: &'v Values<'a>,
    root: Handle,
) -> Result<Vec<(&'a str, &'v View<'a>)>> {
    let nested = NESTED.iter().find_map(|name| values.get(root, name));
    let dict = nested.filter(|&nested| matches!(values[nested], Value::Dict(_))).unwrap_or(root);
    let Value::Dict(pairs) = &values[dict] else {
        let why = "holds something else than a dict of tensors";
        let remedy = "save a state dict, with torch.save(model.state_dict(), …)";
        return Err(Error::broken(path, "the pickle", why, remedy));
    };
    let named = |&(key, value): &(Handle, Handle)| match (&values[key], &values[value]) {
        (Value::Text(name), Value::Tensor(view)) => Some((*name, &**view)),
        _ => None,
    };
    Ok(pairs.iter().filter_map(named).collect())
}

struct Reader<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    by_name: HashMap<&'a str, &'a Entry<'a>>,
    /// The bytes of all tensors so far.
    total: usize,
    found: Found,
}

impl Reader<'_> {
    fn add(&mut self, name: &str, view: &View<'_>) -> Result<()> {
        let (path, place) = (self.path, format!("tensor `{name}`"));
        let damaged = |why: String| Error::damaged(path, place.clone(), why);
        let (dtype, size) = match view.of {
            StorageOf::Dtype(dtype) => (dtype, dtype.block_bytes()),
            StorageOf::Doubles => (DType::F32, 8),
            StorageOf::Others(what) => {
                let remedy = "save the model in float32, float16 or bfloat16";
                return Err(Error::unsupported(path, place, format!("dtype {what}"), remedy));
            }
        };
        let storage = self.storage(view, size).map_err(damaged)?;
        let shape =
            Shape::new(&view.shape).map_err(|e| damaged(format!("has no valid shape: {e}")))?;
        check_within(view, &shape).map_err(damaged)?;
        let len = tensor_bytes(dtype, &shape).map_err(damaged)?;
        self.total = self.total.saturating_add(len);
        if self.total / MOST_REPEATED > self.bytes.len() {
            let most = grouped(self.bytes.len());
            let why =
                format!("is one of many views of the same numbers, in a file of {most} bytes");
            return Err(damaged(why));
        }
        let mut tensor = Tensor { name: name.to_owned(), dtype, shape, file: 0, range: 0..len };
        if is_gapless(view, &shape) && matches!(view.of, StorageOf::Dtype(_)) {
            let start = storage.start + view.offset * size;
            tensor.range = start..start + len;
            self.found.in_place.push(tensor);
            return Ok(());
        }
        let memory = &mut self.found.memory;
        memory.resize(memory.len().next_multiple_of(ALIGNMENT), 0);
        let start = memory.len();
        memory.reserve(len);
        copy(&self.bytes[storage], view, size, memory);
        tensor.range = start..memory.len();
        self.found.copied.push(tensor);
        Ok(())
    }

    /// Where the storage of a view is.
    fn storage(&self, view: &View<'_>, size: usize) -> Result<Range<usize>, String> {
        let key = view.key;
        let Some(entry) = self.by_name.get(format!("data/{key}").as_str()) else {
            return Err(format!("is in the storage `{key}`, which the file lacks"));
        };
        let held = entry.data.len();
        if view.elements.checked_mul(size) != Some(held) {
            let elements = view.elements;
            return Err(format!(
                "is in the storage `{key}` of {elements} elements, which has {held} bytes"
            ));
        }
        Ok(entry.data.clone())
    }
}

/// Whether all elements are in the storage, and no more than it has.
fn check_within(view: &View<'_>, shape: &Shape) -> Result<(), String> {
    let (elements, held) = (shape.elements(), view.elements);
    if elements > held {
        return Err(format!("has {elements} elements in a storage of {held}"));
    }
    let mut steps = view.shape.iter().zip(&view.strides);
    let last = steps.try_fold(view.offset, |last, (&size, &stride)| {
        last.checked_add(size.saturating_sub(1).checked_mul(stride)?)
    });
    match last {
        Some(last) if last < held || elements == 0 && view.offset <= held => Ok(()),
        _ => Err(format!("reaches past the end of its storage of {held} elements")),
    }
}

/// Whether elements follow each other in the storage as in the tensor.
fn is_gapless(view: &View<'_>, shape: &Shape) -> bool {
    let expected = shape.strides();
    let steps = view.shape.iter().zip(&view.strides).zip(expected.iter());
    shape.elements() == 0
        || steps.into_iter().all(|((&size, &found), &step)| size == 1 || found as isize == step)
}

/// Appends the elements of a view, slowest dimension first; doubles as floats.
fn copy(storage: &[u8], view: &View<'_>, size: usize, out: &mut Vec<u8>) {
    let count: usize = view.shape.iter().product();
    let mut index = vec![0; view.shape.len()];
    let mut at = view.offset;
    for _ in 0..count {
        let element = &storage[at * size..][..size];
        match view.of {
            StorageOf::Doubles => {
                let double = element.first_chunk().map_or(0.0, |&bytes| f64::from_le_bytes(bytes));
                out.extend((double as f32).to_le_bytes());
            }
            _ => out.extend(element),
        }
        // On to the next: as an odometer counts.
        for axis in (0..index.len()).rev() {
            index[axis] += 1;
            at += view.strides[axis];
            if index[axis] < view.shape[axis] {
                break;
            }
            at -= index[axis] * view.strides[axis];
            index[axis] = 0;
        }
    }
}
