//! Making texts, lists and dicts: memory is charged before it is allocated, capacity included.

use super::{Dict, Key, Namespace, Seq, Text, Value, View};
use crate::{
    error::{Error, Result, fail},
    limits::{Charge, Gauge},
};
use indexmap::IndexMap;
use std::{cell::RefCell, rc::Rc, sync::Arc};

/// What a text takes besides its bytes, with the allocator's own.
const TEXT: usize = 96;
const LIST: usize = 112;
const DICT: usize = 160;
/// What an entry of a dict takes: the key, both values, the hash and the index.
const ENTRY: usize = 144;

/// A text that grows.
pub(crate) struct TextBuilder {
    string: String,
    charge: Charge,
}

impl TextBuilder {
    pub(crate) fn new(meter: &Gauge) -> Result<TextBuilder> {
        TextBuilder::with_capacity(meter, 0)
    }

    /// A text of this many bytes.
    pub(crate) fn with_capacity(meter: &Gauge, bytes: usize) -> Result<TextBuilder> {
        let charge = Charge::new(meter, TEXT.saturating_add(bytes))?;
        Ok(TextBuilder { string: String::with_capacity(bytes), charge })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.string
    }

    pub(crate) fn meter(&self) -> &Gauge {
        self.charge.meter()
    }

    /// Makes room: while the text moves, both places are charged.
    fn room(&mut self, more: usize) -> Result<()> {
        let old = self.string.capacity();
        let needed = self.string.len().saturating_add(more);
        if needed <= old {
            return Ok(());
        }
        let new = needed.max(old.saturating_mul(2)).max(32);
        self.charge.grow(new)?;
        self.string.reserve_exact(new - self.string.len());
        self.charge.shrink(old);
        Ok(())
    }

    pub(crate) fn push_str(&mut self, text: &str) -> Result<()> {
        self.meter().copy(text.len())?;
        self.room(text.len())?;
        self.string.push_str(text);
        Ok(())
    }

    /// Adds a character, without charging a step: whoever goes through characters has.
    pub(crate) fn push(&mut self, c: char) -> Result<()> {
        self.room(c.len_utf8())?;
        self.string.push(c);
        Ok(())
    }

    /// Adds a text many times.
    pub(crate) fn repeat(&mut self, text: &str, times: usize) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let bytes = text.len().saturating_mul(times);
        self.meter().steps(times as u64 / 8)?;
        self.meter().copy(bytes)?;
        self.room(bytes)?;
        (0..times).for_each(|_| self.string.push_str(text));
        Ok(())
    }

    pub(crate) fn finish(self) -> Value {
        Value::Text(Rc::new(self.into_text()))
    }

    pub(crate) fn into_text(self) -> Text {
        let chars = self.string.chars().count();
        Text { string: self.string, chars, _charge: self.charge }
    }

    /// The text alone, no longer counted.
    pub(crate) fn into_string(self) -> String {
        self.string
    }
}

/// A text that is a copy of this one.
pub(crate) fn text(meter: &Gauge, text: &str) -> Result<Value> {
    let mut out = TextBuilder::with_capacity(meter, text.len())?;
    out.push_str(text)?;
    Ok(out.finish())
}

/// A list that grows.
pub(crate) struct ListBuilder {
    items: Vec<Value>,
    depth: usize,
    tied: bool,
    charge: Charge,
}

impl ListBuilder {
    pub(crate) fn new(meter: &Gauge) -> Result<ListBuilder> {
        ListBuilder::with_capacity(meter, 0)
    }

    pub(crate) fn with_capacity(meter: &Gauge, len: usize) -> Result<ListBuilder> {
        let bytes = len.saturating_mul(size_of::<Value>());
        let charge = Charge::new(meter, LIST.saturating_add(bytes))?;
        Ok(ListBuilder { items: Vec::with_capacity(len), depth: 0, tied: false, charge })
    }

    pub(crate) fn push(&mut self, value: Value) -> Result<()> {
        let old = self.items.capacity();
        self.charge.meter().steps(1)?;
        if self.items.len() == old {
            let new = (2 * old).max(4);
            self.charge.grow(new * size_of::<Value>())?;
            self.items.reserve_exact(new - old);
            self.charge.shrink(old * size_of::<Value>());
        }
        match value.small_bytes() {
            0 => {}
            bytes => self.charge.grow(bytes)?,
        }
        self.depth = self.depth.max(value.depth());
        self.tied |= value.is_tied();
        self.items.push(value);
        Ok(())
    }

    pub(crate) fn extend(&mut self, values: &[Value]) -> Result<()> {
        values.iter().try_for_each(|value| self.push(value.clone()))
    }

    pub(crate) fn items(&self) -> &[Value] {
        &self.items
    }

    pub(crate) fn items_mut(&mut self) -> &mut [Value] {
        &mut self.items
    }

    pub(crate) fn seq(self) -> Result<Rc<Seq>> {
        let depth = self.depth + 1;
        check_depth(self.charge.meter(), depth)?;
        let (items, tied) = (self.items, self.tied);
        Ok(Rc::new(Seq { items, depth, tied, group: false, _charge: self.charge }))
    }

    pub(crate) fn list(self) -> Result<Value> {
        self.seq().map(Value::List)
    }

    pub(crate) fn tuple(self) -> Result<Value> {
        self.seq().map(Value::Tuple)
    }

    /// A pair of `groupby`.
    pub(crate) fn group(self) -> Result<Value> {
        let mut seq = self.seq()?;
        if let Some(seq) = Rc::get_mut(&mut seq) {
            seq.group = true;
        }
        Ok(Value::Tuple(seq))
    }

    /// Something to go through once.
    pub(crate) fn generator(self) -> Result<Value> {
        let items = self.seq()?;
        Ok(Value::Generator(Rc::new(super::Generator { items, at: 0.into() })))
    }
}

fn check_depth(meter: &Gauge, depth: usize) -> Result<()> {
    let most = meter.limits.value_depth;
    if depth > most {
        return Err(Error::limit(format!("lists and dicts nest deeper than {most}")));
    }
    Ok(())
}

pub(crate) fn list(meter: &Gauge, items: &[Value]) -> Result<Value> {
    let mut out = ListBuilder::with_capacity(meter, items.len())?;
    out.extend(items)?;
    out.list()
}

pub(crate) fn tuple(meter: &Gauge, items: &[Value]) -> Result<Value> {
    let mut out = ListBuilder::with_capacity(meter, items.len())?;
    out.extend(items)?;
    out.tuple()
}

pub(crate) fn pair(meter: &Gauge, first: Value, second: Value) -> Result<Value> {
    tuple(meter, &[first, second])
}

/// A dict of these entries, of which there are at most `most`; of equal keys the last value stays.
pub(crate) fn dict_of(
    meter: &Gauge,
    most: usize,
    entries: impl IntoIterator<Item = Result<(Value, Value)>>,
) -> Result<Rc<Dict>> {
    let mut charge = Charge::new(meter, DICT.saturating_add(most.saturating_mul(ENTRY)))?;
    let mut map: IndexMap<Key, (Value, Value)> = IndexMap::with_capacity(most);
    let (mut depth, mut tied) = (0, false);
    for entry in entries {
        let (key, value) = entry?;
        meter.steps(2)?;
        match key.small_bytes() + value.small_bytes() {
            0 => {}
            bytes => charge.grow(bytes)?,
        }
        let hashed = Key::new(meter, &key)?;
        depth = depth.max(value.depth()).max(key.depth());
        tied |= value.is_tied() || key.is_tied();
        // A key that is there already stays as it was first written.
        match map.get_mut(&hashed) {
            Some((_, old)) => *old = value,
            None => drop(map.insert(hashed, (key, value))),
        }
    }
    check_depth(meter, depth + 1)?;
    Ok(Rc::new(Dict { entries: map, depth: depth + 1, tied, _charge: charge }))
}

impl Dict {
    /// The part of an entry that a view shows.
    pub(crate) fn part(&self, meter: &Gauge, at: usize, view: View) -> Result<Option<Value>> {
        let Some((_, (key, value))) = self.entries.get_index(at) else {
            return Ok(None);
        };
        Ok(Some(match view {
            View::Keys => key.clone(),
            View::Values => value.clone(),
            View::Items => pair(meter, key.clone(), value.clone())?,
        }))
    }
}

impl Namespace {
    /// A namespace with these attributes.
    pub(crate) fn with(meter: &Gauge, from: &Dict) -> Result<Value> {
        let namespace = Namespace {
            values: RefCell::default(),
            charge: RefCell::new(Charge::new(meter, DICT)?),
        };
        for (key, value) in from.entries.values() {
            match key.as_str() {
                Some(key) => namespace.set(&Arc::from(key), value.clone())?,
                None => return fail("namespace: a key is not a string"),
            }
        }
        Ok(Value::Namespace(Rc::new(namespace)))
    }

    /// Sets an attribute.
    pub(crate) fn set(&self, name: &Arc<str>, value: Value) -> Result<()> {
        if value.is_tied() {
            return fail(format!(
                "a namespace cannot hold a {} or anything that contains one",
                value.kind()
            ));
        }
        let bytes = ENTRY + name.len() + value.small_bytes();
        let mut charge = self.charge.borrow_mut();
        charge.meter().scan(name.len())?;
        let mut values = self.values.borrow_mut();
        match values.get_mut(name) {
            // What an old value took besides its place stays charged; small, and never too little.
            Some(old) => {
                charge.grow(value.small_bytes())?;
                *old = value;
            }
            None => {
                // Maps double: room for the old and the new table.
                charge.grow(2 * bytes)?;
                values.insert(Arc::clone(name), value);
            }
        }
        Ok(())
    }
}
