//! Values while a template runs. Whatever owns memory is charged for it; lists and dicts never
//! change and know how deep they are, so that no cycle can arise and no recursion over them is deep.

mod build;
mod compare;
mod iterate;
mod json;
mod key;
mod print;

pub(crate) use build::{ListBuilder, TextBuilder, dict_of, list, pair, text, tuple};
pub(crate) use compare::{contains, equal, identical, less};
pub(crate) use iterate::{Iter, items, iterate};
pub(crate) use json::from_json;
pub(crate) use key::{Key, StrKey};
pub(crate) use print::{describe, float, is_space, repr, write_str};

use crate::{
    ast::{For, MacroDef},
    error::{Result, fail},
    limits::Charge,
};
use indexmap::IndexMap;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::Arc,
};

#[derive(Clone)]
pub(crate) enum Value {
    Undefined(Rc<Missing>),
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Rc<Text>),
    List(Rc<Seq>),
    Tuple(Rc<Seq>),
    Dict(Rc<Dict>),
    Range(Rc<Range>),
    View(View, Rc<Dict>),
    Generator(Rc<Generator>),
    Namespace(Rc<Namespace>),
    Macro(Rc<Macro>),
    Loop(Rc<Loop>),
    Cycler(Rc<Cycler>),
    Joiner(Rc<Joiner>),
    Function(Function),
    Method(Rc<Method>),
}

/// What is undefined, for the message if it is used.
pub(crate) enum Missing {
    Name(Arc<str>),
    /// An attribute of a value of this type.
    Attribute(&'static str, Arc<str>),
    /// An item of a value of this type; the key is a text, a number or none.
    Item(&'static str, Value),
    /// A method that would change a list or dict, or that starts with an underscore.
    Unsafe(&'static str, Arc<str>),
    Parameter(Arc<str>),
    Because(&'static str),
}

pub(crate) struct Text {
    string: String,
    /// Characters, as Python counts.
    pub(crate) chars: usize,
    /// Gives the memory back.
    _charge: Charge,
}

impl std::ops::Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.string
    }
}

impl Text {
    /// Whether characters are bytes.
    pub(crate) fn is_ascii(&self) -> bool {
        self.chars == self.string.len()
    }
}

/// The items of a list or tuple.
pub(crate) struct Seq {
    pub(crate) items: Vec<Value>,
    depth: usize,
    tied: bool,
    /// A pair of `groupby`, with the attributes `grouper` and `list`.
    pub(crate) group: bool,
    _charge: Charge,
}

pub(crate) struct Dict {
    /// By key: the key as it was written, and the value.
    pub(crate) entries: IndexMap<Key, (Value, Value)>,
    depth: usize,
    tied: bool,
    _charge: Charge,
}

impl Dict {
    pub(crate) fn get_str(&self, key: &str) -> Option<&Value> {
        self.entries.get(&StrKey(key)).map(|(_, value)| value)
    }
}

#[derive(Clone)]
pub(crate) struct Range {
    pub(crate) start: i128,
    pub(crate) stop: i128,
    pub(crate) step: i128,
}

impl Range {
    pub(crate) fn len(&self) -> usize {
        let span = if self.step > 0 { self.stop - self.start } else { self.start - self.stop };
        let step = self.step.abs();
        if span <= 0 { 0 } else { usize::try_from((span + step - 1) / step).unwrap_or(usize::MAX) }
    }

    pub(crate) fn get(&self, at: usize) -> i128 {
        self.start + self.step * at as i128
    }
}

/// Which part of a dict's entries a view shows.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum View {
    Keys,
    Values,
    Items,
}

/// Items that can be gone through once.
pub(crate) struct Generator {
    pub(crate) items: Rc<Seq>,
    pub(crate) at: Cell<usize>,
}

/// What `namespace()` makes: the only thing that can change. It holds nothing that could hold it.
pub(crate) struct Namespace {
    pub(crate) values: RefCell<IndexMap<Arc<str>, Value>>,
    pub(crate) charge: RefCell<Charge>,
}

/// A macro, with the scope it was defined in. It cannot outlive that scope, because what is tied to
/// scopes cannot be stored in a namespace.
pub(crate) struct Macro {
    pub(crate) def: Arc<MacroDef>,
    pub(crate) scope: usize,
    /// Which scope was there, to be sure.
    pub(crate) serial: u64,
}

/// The variable `loop`.
pub(crate) struct Loop {
    pub(crate) index0: Cell<usize>,
    pub(crate) length: usize,
    pub(crate) depth0: usize,
    pub(crate) previous: RefCell<Option<Value>>,
    pub(crate) current: RefCell<Option<Value>>,
    pub(crate) next: RefCell<Option<Value>>,
    /// What `loop.changed` was last called with.
    pub(crate) changed: RefCell<Option<Value>>,
    /// The loop itself and its scope, if it is recursive.
    pub(crate) recursive: Option<(Arc<For>, usize, u64)>,
}

pub(crate) struct Cycler {
    pub(crate) items: Rc<Seq>,
    pub(crate) at: Cell<usize>,
}

pub(crate) struct Joiner {
    pub(crate) separator: Rc<Text>,
    pub(crate) used: Cell<bool>,
}

/// The global functions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Function {
    Range,
    Dict,
    Namespace,
    Cycler,
    Joiner,
    RaiseException,
    StrftimeNow,
}

/// A method that has not been called yet.
pub(crate) struct Method {
    pub(crate) receiver: Value,
    pub(crate) name: &'static str,
}

impl Value {
    /// The name of the type, as Python has it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Undefined(_) => "undefined",
            Value::None => "NoneType",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Text(_) => "str",
            Value::List(_) => "list",
            Value::Tuple(_) => "tuple",
            Value::Dict(_) => "dict",
            Value::Range(_) => "range",
            Value::View(View::Keys, _) => "dict_keys",
            Value::View(View::Values, _) => "dict_values",
            Value::View(View::Items, _) => "dict_items",
            Value::Generator(_) => "generator",
            Value::Namespace(_) => "Namespace",
            Value::Macro(_) => "Macro",
            Value::Loop(_) => "LoopContext",
            Value::Cycler(_) => "Cycler",
            Value::Joiner(_) => "Joiner",
            Value::Function(_) => "function",
            Value::Method(_) => "method",
        }
    }

    pub(crate) fn is_true(&self) -> bool {
        match self {
            Value::Undefined(_) | Value::None => false,
            Value::Bool(x) => *x,
            Value::Int(x) => *x != 0,
            Value::Float(x) => *x != 0.0,
            Value::Text(x) => !x.is_empty(),
            Value::List(x) | Value::Tuple(x) => !x.items.is_empty(),
            Value::Dict(x) | Value::View(_, x) => !x.entries.is_empty(),
            Value::Range(x) => x.len() > 0,
            _ => true,
        }
    }

    pub(crate) fn is_undefined(&self) -> bool {
        matches!(self, Value::Undefined(_))
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// An integer; a bool is one.
    pub(crate) fn as_int(&self) -> Option<i128> {
        match self {
            Value::Int(x) => Some(*x),
            Value::Bool(x) => Some(i128::from(*x)),
            _ => None,
        }
    }

    pub(crate) fn as_float(&self) -> Option<f64> {
        match self {
            Value::Float(x) => Some(*x),
            _ => self.as_int().map(|x| x as f64),
        }
    }

    /// How many items or characters it has.
    pub(crate) fn len(&self) -> Result<usize> {
        Ok(match self {
            Value::Undefined(_) => 0,
            Value::Text(x) => x.chars,
            Value::List(x) | Value::Tuple(x) => x.items.len(),
            Value::Dict(x) | Value::View(_, x) => x.entries.len(),
            Value::Range(x) => x.len(),
            Value::Loop(x) => x.length,
            _ => return fail(format!("object of type '{}' has no length", self.kind())),
        })
    }

    /// How deep lists and dicts nest in it.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Value::List(x) | Value::Tuple(x) => x.depth,
            Value::Dict(x) | Value::View(_, x) => x.depth,
            Value::Generator(x) => x.items.depth,
            Value::Cycler(x) => x.items.depth,
            Value::Method(x) => x.receiver.depth() + 1,
            // What it holds is not deeper than any value, and holds no other.
            Value::Namespace(_) => 1,
            _ => 0,
        }
    }

    /// Whether it could hold a namespace, or belongs to a scope: then no namespace may hold it.
    pub(crate) fn is_tied(&self) -> bool {
        match self {
            Value::List(x) | Value::Tuple(x) => x.tied,
            Value::Dict(x) | Value::View(_, x) => x.tied,
            Value::Generator(x) => x.items.tied,
            Value::Namespace(_) | Value::Macro(_) | Value::Loop(_) => true,
            Value::Cycler(x) => x.items.tied,
            Value::Method(x) => x.receiver.is_tied(),
            _ => false,
        }
    }

    /// Memory outside of the value that it was not charged for when it was made. Wherever many
    /// values are kept, this is charged too.
    fn small_bytes(&self) -> usize {
        match self {
            Value::Undefined(_) | Value::Range(_) | Value::Generator(_) | Value::Method(_) => 112,
            Value::Macro(_) | Value::Cycler(_) | Value::Joiner(_) | Value::Loop(_) => 288,
            _ => 0,
        }
    }

    pub(crate) fn undefined(missing: Missing) -> Value {
        Value::Undefined(Rc::new(missing))
    }
}
