//! Pickles, as far as tensors need them. Nothing is imported or run: an opcode or a global that only
//! other objects need is an error.

use super::values::{Global, Handle, StorageOf, Value, Values, View};
use crate::{Error, Result, error::grouped};
use bessemer_core::{DType, MAX_RANK};
use foldhash::HashMap;
use std::path::Path;

/// The pickle of a model with a thousand layers has a few MB.
const MOST_BYTES: usize = 64 << 20;

/// A tensor takes about twenty.
const MOST_VALUES: usize = 2_000_000;

/// The newest protocol there is.
const NEWEST: u8 = 5;

/// What to do about a pickle of other things than tensors.
const REMEDY: &str = "save only its tensors, with torch.save(model.state_dict(), …)";

/// A pickle being read.
struct Reader<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    /// Where the pickle starts in the file.
    start: usize,
    at: usize,
    /// Where the current opcode is.
    opcode_at: usize,
    values: Values<'a>,
    stack: Vec<Handle>,
    /// How high the stack was at each mark.
    marks: Vec<usize>,
    memo: HashMap<u32, Handle>,
}

/// Reads the pickle that starts at byte `start` of the file. Its result is the value of the handle.
pub(super) fn read<'a>(
    path: &'a Path,
    bytes: &'a [u8],
    start: usize,
) -> Result<(Values<'a>, Handle)> {
    if bytes.len() > MOST_BYTES {
        let (len, most) = (grouped(bytes.len()), grouped(MOST_BYTES));
        let why = format!("the pickle has {len} bytes, more than the {most} that are read");
        return Err(Error::broken(path, format!("byte {start}:"), why, REMEDY));
    }
    let mut reader = Reader {
        path,
        bytes,
        start,
        at: 0,
        opcode_at: 0,
        values: Values::default(),
        stack: Vec::new(),
        marks: Vec::new(),
        memo: HashMap::default(),
    };
    loop {
        if let Some(result) = reader.step()? {
            return Ok((reader.values, result));
        }
    }
}

impl<'a> Reader<'a> {
    /// Runs one opcode; the last gives the result.
    fn step(&mut self) -> Result<Option<Handle>> {
        self.opcode_at = self.at;
        match self.byte()? {
            0x80 => {
                let protocol = self.byte()?;
                if protocol > NEWEST {
                    return Err(self.unsupported(format!("pickle protocol {protocol}")));
                }
            }
            // The length of what follows, for readers of streams.
            0x95 => drop(self.take(8)?),
            b'.' => return self.pop().map(Some),
            b'(' => {
                self.check_count(self.marks.len())?;
                self.marks.push(self.stack.len());
            }
            b'N' | 0x88 | 0x89 => self.push(Value::Other)?,
            b'G' => {
                self.take(8)?;
                self.push(Value::Other)?;
            }
            b'J' => {
                let number = i32::from_le_bytes(self.array()?);
                self.push(Value::Int(number.into()))?;
            }
            b'K' => {
                let number = self.byte()?;
                self.push(Value::Int(number.into()))?;
            }
            b'M' => {
                let number = u16::from_le_bytes(self.array()?);
                self.push(Value::Int(number.into()))?;
            }
            0x8a => self.long()?,
            b'X' => {
                let len = u32::from_le_bytes(self.array()?);
                self.text(len.into())?;
            }
            0x8c => {
                let len = self.byte()?;
                self.text(len.into())?;
            }
            0x8d => {
                let len = u64::from_le_bytes(self.array()?);
                self.text(len)?;
            }
            b'}' => self.push(Value::Dict(Vec::new()))?,
            b']' => self.push(Value::List(Vec::new()))?,
            b')' => self.push(Value::Tuple(Vec::new()))?,
            b't' => {
                let items = self.since_mark()?;
                self.push(Value::Tuple(items))?;
            }
            count @ 0x85..=0x87 => {
                let first = self.stack.len().checked_sub(usize::from(count - 0x84));
                let first = first.filter(|first| self.marks.last().is_none_or(|m| first >= m));
                let items = match first {
                    Some(first) => self.stack.split_off(first),
                    None => return Err(self.malformed()),
                };
                self.push(Value::Tuple(items))?;
            }
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                self.extend_dict(&[key, value])?;
            }
            b'u' => {
                let items = self.since_mark()?;
                self.extend_dict(&items)?;
            }
            b'a' => {
                let item = self.pop()?;
                self.extend_list(&[item])?;
            }
            b'e' => {
                let items = self.since_mark()?;
                self.extend_list(&items)?;
            }
            b'q' => {
                let index = self.byte()?;
                self.remember(index.into())?;
            }
            b'r' => {
                let index = u32::from_le_bytes(self.array()?);
                self.remember(index)?;
            }
            0x94 => self.remember(self.memo.len() as u32)?,
            b'h' => {
                let index = self.byte()?;
                self.recall(index.into())?;
            }
            b'j' => {
                let index = u32::from_le_bytes(self.array()?);
                self.recall(index)?;
            }
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.global(module, name)?;
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let (Value::Text(module), Value::Text(name)) =
                    (&self.values[module], &self.values[name])
                else {
                    return Err(self.malformed());
                };
                self.global(module, name)?;
            }
            b'Q' => self.storage()?,
            b'R' => self.call()?,
            // Attributes of a dict of tensors say how modules nest.
            b'b' => {
                self.pop()?;
                match self.stack.last().map(|&top| &self.values[top]) {
                    Some(Value::Dict(_)) => {}
                    _ => return Err(self.malformed()),
                }
            }
            other => {
                let sign = match other.is_ascii_graphic() {
                    true => format!(" ({:?})", char::from(other)),
                    false => String::new(),
                };
                return Err(self.unsupported(format!("pickle opcode {other:#04x}{sign}")));
            }
        }
        Ok(None)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        match self.bytes[self.at..].split_at_checked(count) {
            Some((taken, _)) => {
                self.at += count;
                Ok(taken)
            }
            None => Err(self.damaged("the pickle ends early".to_owned())),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn byte(&mut self) -> Result<u8> {
        self.array().map(|[byte]| byte)
    }

    /// What stands before the next line feed.
    fn line(&mut self) -> Result<&'a str> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let line = self.take(end)?;
        self.byte()?;
        self.utf8(line)
    }

    fn utf8(&self, bytes: &'a [u8]) -> Result<&'a str> {
        std::str::from_utf8(bytes).map_err(|e| self.damaged(format!("a text is not UTF-8: {e}")))
    }

    fn text(&mut self, len: u64) -> Result<()> {
        let bytes = self.take(usize::try_from(len).unwrap_or(usize::MAX))?;
        let text = self.utf8(bytes)?;
        self.push(Value::Text(text))
    }

    /// An integer of any length, of which those that fit 64 bits are sizes.
    fn long(&mut self) -> Result<()> {
        let len = self.byte()?;
        let bytes = self.take(len.into())?;
        let value = match bytes.len() {
            0 => Value::Int(0),
            len @ 1..=8 => {
                let fill = if bytes[len - 1] >= 0x80 { 0xff } else { 0 };
                let mut wide = [fill; 8];
                wide[..len].copy_from_slice(bytes);
                Value::Int(i64::from_le_bytes(wide))
            }
            _ => Value::Other,
        };
        self.push(value)
    }

    fn push(&mut self, value: Value<'a>) -> Result<()> {
        self.check_count(self.values.len())?;
        self.check_count(self.stack.len())?;
        self.stack.push(self.values.add(value));
        Ok(())
    }

    /// An error if there are too many of something already.
    fn check_count(&self, count: usize) -> Result<()> {
        match count < MOST_VALUES {
            true => Ok(()),
            false => {
                let most = grouped(MOST_VALUES);
                Err(self.damaged(format!("the pickle has more than {most} values")))
            }
        }
    }

    fn pop(&mut self) -> Result<Handle> {
        // What lies below a mark belongs to what is built after it.
        let floor = self.marks.last().copied().unwrap_or(0);
        match self.stack.len() > floor {
            true => self.stack.pop().ok_or_else(|| self.malformed()),
            false => Err(self.malformed()),
        }
    }

    fn since_mark(&mut self) -> Result<Vec<Handle>> {
        match self.marks.pop() {
            Some(mark) => Ok(self.stack.split_off(mark)),
            None => Err(self.malformed()),
        }
    }

    fn extend_dict(&mut self, items: &[Handle]) -> Result<()> {
        let top = self.stack.last().copied();
        match (top.map(|top| &mut self.values[top]), items.as_chunks()) {
            (Some(Value::Dict(dict)), (pairs, [])) => {
                dict.extend(pairs.iter().map(|&[key, value]| (key, value)));
                Ok(())
            }
            _ => Err(self.malformed()),
        }
    }

    fn extend_list(&mut self, items: &[Handle]) -> Result<()> {
        let top = self.stack.last().copied();
        match top.map(|top| &mut self.values[top]) {
            Some(Value::List(list)) => {
                list.extend(items);
                Ok(())
            }
            _ => Err(self.malformed()),
        }
    }

    fn remember(&mut self, index: u32) -> Result<()> {
        self.check_count(self.memo.len())?;
        match self.stack.last() {
            Some(&top) => {
                self.memo.insert(index, top);
                Ok(())
            }
            None => Err(self.malformed()),
        }
    }

    fn recall(&mut self, index: u32) -> Result<()> {
        self.check_count(self.stack.len())?;
        match self.memo.get(&index) {
            Some(&handle) => {
                self.stack.push(handle);
                Ok(())
            }
            None => Err(self.malformed()),
        }
    }

    fn global(&mut self, module: &str, name: &str) -> Result<()> {
        let storage = name.strip_suffix("Storage").filter(|_| module == "torch");
        let global = match (module, name) {
            ("collections", "OrderedDict") => Global::OrderedDict,
            ("torch._utils", "_rebuild_tensor_v2") => Global::RebuildTensor,
            ("torch._utils", "_rebuild_parameter") => Global::RebuildParameter,
            _ => Global::Storage(match storage {
                Some("Float") => StorageOf::Dtype(DType::F32),
                Some("Half") => StorageOf::Dtype(DType::F16),
                Some("BFloat16") => StorageOf::Dtype(DType::BF16),
                Some("Int") => StorageOf::Dtype(DType::I32),
                Some("Byte") => StorageOf::Dtype(DType::U8),
                Some("Bool") => StorageOf::Dtype(DType::Bool),
                Some("Double") => StorageOf::Doubles,
                Some("Long") => StorageOf::Others("int64"),
                Some("Short") => StorageOf::Others("int16"),
                Some("Char") => StorageOf::Others("int8"),
                _ => return Err(self.unsupported(format!("global `{module}.{name}`"))),
            }),
        };
        self.push(Value::Global(global))
    }

    /// Makes a storage of what names it: `("storage", kind, key, location, elements)`.
    fn storage(&mut self) -> Result<()> {
        let named = self.pop()?;
        let Value::Tuple(parts) = &self.values[named] else {
            return Err(self.malformed());
        };
        let parts: Vec<&Value<'a>> = parts.iter().map(|&part| &self.values[part]).collect();
        let storage = match parts[..] {
            [
                Value::Text("storage"),
                Value::Global(Global::Storage(of)),
                Value::Text(key),
                Value::Text(_),
                Value::Int(elements),
            ] => usize::try_from(*elements).ok().map(|elements| (*of, *key, elements)),
            _ => None,
        };
        match storage {
            Some((of, key, elements)) => self.push(Value::Storage { of, key, elements }),
            None => Err(self.malformed()),
        }
    }

    /// What a known function makes of its arguments.
    fn call(&mut self) -> Result<()> {
        let (arguments, function) = (self.pop()?, self.pop()?);
        let (Value::Tuple(arguments), Value::Global(function)) =
            (&self.values[arguments], &self.values[function])
        else {
            return Err(self.malformed());
        };
        let made = match (function, &arguments[..]) {
            (Global::OrderedDict, []) => Some(Value::Dict(Vec::new())),
            // The rest is for training.
            (Global::RebuildTensor, &[storage, offset, shape, strides, _, _, ..]) => {
                self.view(storage, offset, shape, strides)
            }
            (Global::RebuildParameter, &[tensor, _, _]) => match &self.values[tensor] {
                Value::Tensor(view) => Some(Value::Tensor(view.clone())),
                _ => None,
            },
            _ => None,
        };
        match made {
            Some(value) => self.push(value),
            None => Err(self.malformed()),
        }
    }

    fn view(
        &self,
        storage: Handle,
        offset: Handle,
        shape: Handle,
        strides: Handle,
    ) -> Option<Value<'a>> {
        let Value::Storage { of, key, elements } = self.values[storage] else {
            return None;
        };
        let size = |handle: Handle| match self.values[handle] {
            Value::Int(number) => usize::try_from(number).ok(),
            _ => None,
        };
        let sizes = |handle: Handle| match &self.values[handle] {
            Value::Tuple(parts) if parts.len() <= MAX_RANK => {
                parts.iter().map(|&part| size(part)).collect::<Option<Vec<usize>>>()
            }
            _ => None,
        };
        let (offset, shape, strides) = (size(offset)?, sizes(shape)?, sizes(strides)?);
        let view = View { of, key, elements, offset, shape, strides };
        (view.shape.len() == view.strides.len()).then(|| Value::Tensor(Box::new(view)))
    }

    /// Where the current opcode is in the file.
    fn place(&self) -> usize {
        self.start + self.opcode_at
    }

    fn malformed(&self) -> Error {
        let opcode = self.bytes[self.opcode_at];
        self.damaged(format!("pickle opcode {opcode:#04x} has unexpected operands"))
    }

    fn damaged(&self, why: String) -> Error {
        Error::damaged(self.path, format!("byte {}:", self.place()), why)
    }

    fn unsupported(&self, what: String) -> Error {
        Error::unsupported(self.path, format!("byte {}", self.place()), what, REMEDY)
    }
}
