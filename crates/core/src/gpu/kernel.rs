//! A kernel to compile.

use std::{
    borrow::Cow,
    hash::{Hash, Hasher},
    ptr,
    sync::Arc,
};

/// One kernel, specialised: kernels that compare equal are compiled once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// The text it is in.
    pub source: Source,
    /// The name of its function.
    pub entry: Cow<'static, str>,
    /// Names the text is compiled with: types, mostly. In MSL they are macros ([`Kernel::msl`]); in
    /// WGSL whole words are replaced.
    pub defines: Vec<(&'static str, Cow<'static, str>)>,
    /// Numbers it is specialised by: function constants of MSL, overrides of WGSL, by their ids.
    pub constants: Vec<(u16, Constant)>,
}

impl Kernel {
    /// The function `entry` of `source`, as it is.
    pub fn new(source: Source, entry: impl Into<Cow<'static, str>>) -> Kernel {
        Kernel { source, entry: entry.into(), defines: Vec::new(), constants: Vec::new() }
    }

    /// The same with a name defined.
    pub fn define(mut self, name: &'static str, text: impl Into<Cow<'static, str>>) -> Kernel {
        self.defines.push((name, text.into()));
        self
    }

    /// The same with a constant set.
    pub fn constant(mut self, id: u16, value: impl Into<Constant>) -> Kernel {
        self.constants.push((id, value.into()));
        self
    }
}

/// Text in the language of the device.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file beside its op.
    File {
        /// Its name, for messages.
        name: &'static str,
        /// What is in it.
        text: &'static str,
    },
    /// Made from a program.
    Made {
        /// A name for messages.
        name: Arc<str>,
        /// What was made.
        text: Arc<str>,
    },
}

impl Source {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Source::File { name, .. } => name,
            Source::Made { name, .. } => name,
        }
    }

    /// Its text.
    pub fn text(&self) -> &str {
        match self {
            Source::File { text, .. } => text,
            Source::Made { text, .. } => text,
        }
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        // Mostly it is the very same text.
        ptr::eq(self.text(), other.text()) || self.text() == other.text()
    }
}

impl Eq for Source {}

impl Hash for Source {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Enough to tell texts apart, nearly always; hashing all of one would cost more than the
        // rest of a submission.
        self.text().len().hash(state);
        self.name().hash(state);
    }
}

/// The value of a constant, of the type the kernel declares. Floats are kept by their bits, so that
/// kernels can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// `bool`
    Bool(bool),
    /// `int` or `i32`
    I32(i32),
    /// `uint` or `u32`
    U32(u32),
    /// `float` or `f32`, by its bits
    F32(u32),
}

impl From<bool> for Constant {
    fn from(value: bool) -> Constant {
        Constant::Bool(value)
    }
}

impl From<i32> for Constant {
    fn from(value: i32) -> Constant {
        Constant::I32(value)
    }
}

impl From<u32> for Constant {
    fn from(value: u32) -> Constant {
        Constant::U32(value)
    }
}

impl From<f32> for Constant {
    fn from(value: f32) -> Constant {
        Constant::F32(value.to_bits())
    }
}
