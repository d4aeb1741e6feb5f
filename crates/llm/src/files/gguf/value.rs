//! Metadata values.

use super::{cursor::Cursor, types::Kind};
use crate::Result;
use bessemer_core::HostMemory;
use std::{path::Path, sync::Arc};

/// A metadata value.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Value {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    F32(f32),
    Bool(bool),
    String(String),
    Array(Array),
    U64(u64),
    I64(i64),
    F64(f64),
}

/// A list of values of one kind. It stays in the file and is decoded as it is walked: a
/// vocabulary of 150,000 strings costs nothing until somebody wants it.
///
/// ```
/// use bessemer_llm::files::gguf::{Array, Value};
///
/// let array = Array::of_strings(["ab", "c"]);
/// assert_eq!(array.len(), 2);
/// assert_eq!(array.strings().unwrap().collect::<Vec<_>>(), [b"ab".as_slice(), b"c"]);
/// ```
#[derive(Clone, Debug)]
pub struct Array {
    kind: Kind,
    len: usize,
    bytes: HostMemory,
}

impl Value {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Value::U8(_) => Kind::U8,
            Value::I8(_) => Kind::I8,
            Value::U16(_) => Kind::U16,
            Value::I16(_) => Kind::I16,
            Value::U32(_) => Kind::U32,
            Value::I32(_) => Kind::I32,
            Value::F32(_) => Kind::F32,
            Value::Bool(_) => Kind::Bool,
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::U64(_) => Kind::U64,
            Value::I64(_) => Kind::I64,
            Value::F64(_) => Kind::F64,
        }
    }

    /// The value as an integer, if it is one.
    pub fn as_integer(&self) -> Option<i128> {
        Some(match *self {
            Value::U8(x) => x.into(),
            Value::I8(x) => x.into(),
            Value::U16(x) => x.into(),
            Value::I16(x) => x.into(),
            Value::U32(x) => x.into(),
            Value::I32(x) => x.into(),
            Value::U64(x) => x.into(),
            Value::I64(x) => x.into(),
            _ => return None,
        })
    }

    /// The value as a number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match *self {
            Value::F32(x) => Some(x.into()),
            Value::F64(x) => Some(x),
            _ => self.as_integer().map(|x| x as f64),
        }
    }

    /// Reads a value that is not an array.
    pub(crate) fn read_scalar(kind: Kind, cursor: &mut Cursor<'_>, what: &str) -> Result<Value> {
        if kind == Kind::String {
            return Ok(Value::String(cursor.string(what)?.to_owned()));
        }
        let start = cursor.at();
        let bytes = cursor.take(kind.least_bytes(), what)?;
        if kind == Kind::Bool && bytes[0] > 1 {
            let why = format!("{what} is {}, not true (1) or false (0)", bytes[0]);
            return Err(crate::Error::damaged(cursor.path, format!("byte {start}:"), why));
        }
        Ok(Value::from_le_bytes(kind, bytes))
    }

    /// A value of a fixed size. `bytes` has exactly that size.
    fn from_le_bytes(kind: Kind, bytes: &[u8]) -> Value {
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(wide);
        match kind {
            Kind::U8 => Value::U8(bits as u8),
            Kind::I8 => Value::I8(bits as i8),
            Kind::U16 => Value::U16(bits as u16),
            Kind::I16 => Value::I16(bits as i16),
            Kind::U32 => Value::U32(bits as u32),
            Kind::I32 => Value::I32(bits as i32),
            Kind::F32 => Value::F32(f32::from_bits(bits as u32)),
            Kind::U64 => Value::U64(bits),
            Kind::I64 => Value::I64(bits as i64),
            Kind::F64 => Value::F64(f64::from_bits(bits)),
            Kind::Bool | Kind::String | Kind::Array => Value::Bool(bits != 0),
        }
    }

    /// Appends the value as files have it, without its kind.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Value::U8(x) => out.push(*x),
            Value::I8(x) => out.extend(x.to_le_bytes()),
            Value::U16(x) => out.extend(x.to_le_bytes()),
            Value::I16(x) => out.extend(x.to_le_bytes()),
            Value::U32(x) => out.extend(x.to_le_bytes()),
            Value::I32(x) => out.extend(x.to_le_bytes()),
            Value::F32(x) => out.extend(x.to_le_bytes()),
            Value::Bool(x) => out.push(u8::from(*x)),
            Value::U64(x) => out.extend(x.to_le_bytes()),
            Value::I64(x) => out.extend(x.to_le_bytes()),
            Value::F64(x) => out.extend(x.to_le_bytes()),
            Value::String(text) => write_string(text.as_bytes(), out),
            Value::Array(array) => {
                out.extend(array.kind.id().to_le_bytes());
                out.extend((array.len as u64).to_le_bytes());
                out.extend(array.bytes.bytes());
            }
        }
    }
}

pub(crate) fn write_string(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend((bytes.len() as u64).to_le_bytes());
    out.extend(bytes);
}

impl Array {
    /// Values that were found sound and take exactly `bytes`.
    pub(crate) fn in_file(kind: Kind, len: usize, bytes: HostMemory) -> Array {
        Array { kind, len, bytes }
    }

    /// A list of strings.
    pub fn of_strings<S: AsRef<[u8]>>(strings: impl IntoIterator<Item = S>) -> Array {
        let (mut len, mut bytes) = (0, Vec::new());
        for text in strings {
            write_string(text.as_ref(), &mut bytes);
            len += 1;
        }
        Array::owned(Kind::String, len, bytes)
    }

    /// A list of `f32`.
    pub fn of_f32(values: impl IntoIterator<Item = f32>) -> Array {
        let bytes: Vec<u8> = values.into_iter().flat_map(f32::to_le_bytes).collect();
        Array::owned(Kind::F32, bytes.len() / 4, bytes)
    }

    /// A list of `i32`.
    pub fn of_i32(values: impl IntoIterator<Item = i32>) -> Array {
        let bytes: Vec<u8> = values.into_iter().flat_map(i32::to_le_bytes).collect();
        Array::owned(Kind::I32, bytes.len() / 4, bytes)
    }

    fn owned(kind: Kind, len: usize, bytes: Vec<u8>) -> Array {
        Array::in_file(kind, len, HostMemory::new(Arc::new(bytes)))
    }

    /// The kind of its values.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// How many values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes of each string; `None` if these are no strings.
    pub fn strings(&self) -> Option<impl Iterator<Item = &[u8]>> {
        (self.kind == Kind::String).then(|| {
            let mut cursor = Cursor::new(Path::new(""), self.bytes.bytes());
            (0..self.len).map_while(move |_| cursor.string_bytes("string").ok())
        })
    }

    /// Each number or bool; `None` if these are strings or arrays.
    pub fn scalars(&self) -> Option<impl Iterator<Item = Value>> {
        self.kind.is_fixed().then(|| {
            let values = self.bytes.bytes().chunks_exact(self.kind.least_bytes());
            values.map(|bytes| Value::from_le_bytes(self.kind, bytes))
        })
    }

    /// Its values as they stand in the file.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.bytes()
    }
}

macro_rules! from {
    ($($type:ty => $variant:ident),*) => {
        $(impl From<$type> for Value {
            fn from(x: $type) -> Value {
                Value::$variant(x.into())
            }
        })*
    };
}

from!(u8 => U8, u32 => U32, i32 => I32, f32 => F32, bool => Bool, u64 => U64, &str => String,
      String => String, Array => Array, f64 => F64);
