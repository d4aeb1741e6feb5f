//! Functions and their constants.

use super::Library;
use super::pipeline::{Argument, arguments};
use crate::error::{Result, invalid};
use crate::front::{Constant, ConstantValues};
use std::collections::BTreeMap;

/// A value of a function constant.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConstantValue {
    /// A truth value.
    Bool(bool),
    /// A signed integer of any width.
    Int(i64),
    /// An unsigned integer of any width.
    UInt(u64),
    /// A floating-point number.
    Float(f32),
    /// A vector of two to four components.
    Vector(Vec<ConstantValue>),
}

macro_rules! from {
    ($($t:ty => $v:ident as $w:ty),*) => {$(
        impl From<$t> for ConstantValue {
            fn from(v: $t) -> Self { ConstantValue::$v(<$w>::from(v)) }
        }
    )*};
}
from!(bool => Bool as bool, i8 => Int as i64, i16 => Int as i64, i32 => Int as i64, i64 => Int as i64,
      u8 => UInt as u64, u16 => UInt as u64, u32 => UInt as u64, u64 => UInt as u64, f32 => Float as f32);

impl ConstantValue {
    fn render(&self, kind: &str) -> String {
        match self {
            ConstantValue::Bool(b) => format!("{kind}({})", u8::from(*b)),
            ConstantValue::Int(i64::MIN) => format!("{kind}(-9223372036854775807l - 1)"),
            ConstantValue::Int(i) => format!("{kind}({i}l)"),
            ConstantValue::UInt(u) => format!("{kind}({u}ul)"),
            ConstantValue::Float(f) => format!("{kind}(as_type<float>({}u))", f.to_bits()),
            ConstantValue::Vector(parts) => {
                let element = kind.trim_end_matches(|c: char| c.is_ascii_digit());
                let parts: Vec<String> = parts.iter().map(|p| p.render(element)).collect();
                format!("{kind}({})", parts.join(", "))
            }
        }
    }
}

/// Values for function constants, by index or by name.
///
/// ```
/// let mut constants = softmetal::FunctionConstants::default();
/// constants.set(0, true).set(600, 4i32).set_named("scale", 0.5f32);
/// ```
#[derive(Clone, Debug, Default)]
pub struct FunctionConstants {
    by_index: BTreeMap<u32, ConstantValue>,
    by_name: BTreeMap<String, ConstantValue>,
}

impl FunctionConstants {
    /// Sets the constant with an index.
    pub fn set(&mut self, index: u32, value: impl Into<ConstantValue>) -> &mut Self {
        self.by_index.insert(index, value.into());
        self
    }

    /// Sets the constant with a name.
    pub fn set_named(&mut self, name: &str, value: impl Into<ConstantValue>) -> &mut Self {
        self.by_name.insert(name.into(), value.into());
        self
    }

    /// As C++; indices that the library has not are ignored, as Metal does, names are an error.
    pub(crate) fn render(&self, declared: &[Constant]) -> Result<ConstantValues> {
        let mut out = ConstantValues::new();
        for c in declared {
            let kind = crate::front::cpp_type(c);
            if let Some(v) = self.by_index.get(&c.id) {
                out.insert(c.id, v.render(&kind));
            }
            if let Some(v) = self.by_name.get(&c.name) {
                out.insert(c.id, v.render(&kind));
            }
        }
        for name in self.by_name.keys() {
            if !declared.iter().any(|c| c.name == *name) {
                return invalid(
                    "function_with_constants",
                    format!("the library has no function constant '{name}'"),
                );
            }
        }
        Ok(out)
    }
}

/// A kernel with its constants, not yet compiled for running.
#[derive(Clone)]
pub struct Function {
    pub(crate) library: Library,
    pub(crate) entry: usize,
    pub(crate) values: ConstantValues,
}

impl Function {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.library.inner.unit.entries[self.entry].name
    }

    /// Its arguments. Sizes are known once it is in a pipeline.
    pub fn arguments(&self) -> Vec<Argument> {
        arguments(&self.library.inner.unit.entries[self.entry], None)
    }
}
