//! What a pickle's opcodes make. Values are kept in a list and refer to each other by their place in it,
//! so that none is copied, cycles do no harm, and nesting takes no stack.

use bessemer_core::DType;
use std::ops::{Index, IndexMut};

/// The place of a value.
pub(super) type Handle = u32;

pub(super) enum Value<'a> {
    Int(i64),
    Text(&'a str),
    Tuple(Vec<Handle>),
    List(Vec<Handle>),
    /// Pairs in their order.
    Dict(Vec<(Handle, Handle)>),
    Global(Global),
    Storage {
        of: StorageOf,
        key: &'a str,
        elements: usize,
    },
    Tensor(Box<View<'a>>),
    /// What no tensor needs: nothing, truth values and floats.
    Other,
}

/// What a pickle may import.
#[derive(Clone, Copy)]
pub(super) enum Global {
    OrderedDict,
    RebuildTensor,
    RebuildParameter,
    Storage(StorageOf),
}

/// What a storage holds.
#[derive(Clone, Copy)]
pub(super) enum StorageOf {
    Dtype(DType),
    /// Become `f32` as they are read.
    Doubles,
    /// Numbers for which there is no dtype.
    Others(&'static str),
}

/// A tensor as PyTorch has it: a view of a storage.
#[derive(Clone)]
pub(super) struct View<'a> {
    pub(super) of: StorageOf,
    /// The name of the storage.
    pub(super) key: &'a str,
    /// How many the storage has.
    pub(super) elements: usize,
    pub(super) offset: usize,
    pub(super) shape: Vec<usize>,
    pub(super) strides: Vec<usize>,
}

/// All values of a pickle.
#[derive(Default)]
pub(super) struct Values<'a>(Vec<Value<'a>>);

impl<'a> Values<'a> {
    pub(super) fn add(&mut self, value: Value<'a>) -> Handle {
        self.0.push(value);
        (self.0.len() - 1) as Handle
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The value of a text in a dict.
    pub(super) fn get(&self, dict: Handle, name: &str) -> Option<Handle> {
        let Value::Dict(pairs) = &self[dict] else {
            return None;
        };
        let is_named = |key: Handle| matches!(self[key], Value::Text(text) if text == name);
        pairs.iter().rev().find(|(key, _)| is_named(*key)).map(|(_, value)| *value)
    }
}

impl<'a> Index<Handle> for Values<'a> {
    type Output = Value<'a>;

    fn index(&self, handle: Handle) -> &Value<'a> {
        &self.0[handle as usize]
    }
}

impl IndexMut<Handle> for Values<'_> {
    fn index_mut(&mut self, handle: Handle) -> &mut Self::Output {
        &mut self.0[handle as usize]
    }
}
