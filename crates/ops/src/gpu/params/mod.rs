//! The numbers of a launch, by name. A kernel declares them itself, as its `struct Params`; debug
//! builds and tests read that declaration and compare it with what the launch fills in.

mod declared;
mod preprocess;
#[cfg(test)]
mod tests;

use bessemer_core::gpu::{Kernel, Params};
use std::fmt::{self, Display};

/// Whether launches are compared with their kernels: the text of a release is that of its tests.
const CHECKED: bool = cfg!(any(test, debug_assertions));

/// A type of number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalar {
    Uint,
    Int,
    Float,
}

/// A member of `struct Params`, or of a struct in it (`rows.rank`, `layers[1].outputs`).
#[derive(Clone, Debug, PartialEq, Eq)]
struct Field {
    scalar: Scalar,
    path: String,
    /// Elements, if it is an array; arrays of arrays have those of all.
    array: Option<usize>,
}

impl Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scalar = match self.scalar {
            Scalar::Uint => "uint",
            Scalar::Int => "int",
            Scalar::Float => "float",
        };
        match self.array {
            Some(len) => write!(f, "`{scalar} {}[{len}]`", self.path),
            None => write!(f, "`{scalar} {}`", self.path),
        }
    }
}

/// The members of `struct Params` that a launch has filled in so far, in the order of the struct.
///
/// Names are only looked at where they are checked: an interpolated one is given as
/// `format_args!(…)`, which costs nothing elsewhere.
#[derive(Clone, Default)]
pub(crate) struct Members {
    words: Params,
    fields: Vec<Field>,
}

impl Members {
    /// `uint NAME;`
    pub(crate) fn uint(self, name: impl Display, value: u32) -> Members {
        self.named(Scalar::Uint, name, None).word(value)
    }

    /// `int NAME;`
    pub(crate) fn int(self, name: impl Display, value: i32) -> Members {
        self.named(Scalar::Int, name, None).word(value.cast_unsigned())
    }

    /// `float NAME;`
    pub(crate) fn float(self, name: impl Display, value: f32) -> Members {
        self.named(Scalar::Float, name, None).word(value.to_bits())
    }

    /// `uint NAME[…];`. No values are no member: MSL has no empty arrays.
    pub(crate) fn uints(
        self,
        name: impl Display,
        values: impl ExactSizeIterator<Item = u32>,
    ) -> Members {
        self.array(Scalar::Uint, name, values)
    }

    /// `int NAME[…];`, as [`Members::uints`].
    pub(crate) fn ints(
        self,
        name: impl Display,
        values: impl ExactSizeIterator<Item = i32>,
    ) -> Members {
        self.array(Scalar::Int, name, values.map(i32::cast_unsigned))
    }

    /// These and then those of `others`.
    pub(crate) fn then(mut self, others: Members) -> Members {
        self.fields.extend(others.fields);
        others.words.words().iter().fold(self, |all, &word| all.word(word))
    }

    /// All of them, for a launch of `kernel` with so many buffers.
    ///
    /// # Panics
    ///
    /// In debug builds, if the kernel declares others: it would read garbage.
    pub(crate) fn finish(self, kernel: &Kernel, buffers: usize) -> Params {
        if CHECKED && let Err(why) = self.check(kernel, buffers) {
            panic!("{}: kernel `{}`: {why}", kernel.source.name(), kernel.entry);
        }
        #[cfg(test)]
        tests::CHECKS.set(tests::CHECKS.get() + 1);
        self.words
    }

    fn array(
        self,
        scalar: Scalar,
        name: impl Display,
        values: impl ExactSizeIterator<Item = u32>,
    ) -> Members {
        match values.len() {
            0 => self,
            len => values.fold(self.named(scalar, name, Some(len)), Members::word),
        }
    }

    fn named(mut self, scalar: Scalar, name: impl Display, array: Option<usize>) -> Members {
        if CHECKED {
            self.fields.push(Field { scalar, path: name.to_string(), array });
        }
        self
    }

    fn word(mut self, word: u32) -> Members {
        self.words = self.words.u32(word);
        self
    }

    /// What is wrong with them for a launch of `kernel` with so many buffers.
    fn check(&self, kernel: &Kernel, buffers: usize) -> Result<(), String> {
        let declared = declared::of(kernel)?;
        if declared.buffer != buffers {
            let place = declared.buffer;
            return Err(format!(
                "its numbers are buffer {place}, the launch binds {buffers} buffers"
            ));
        }
        compare(&declared.fields, &self.fields)
    }
}

/// The first difference between what a kernel declares and what a launch fills in.
fn compare(declared: &[Field], filled: &[Field]) -> Result<(), String> {
    let named = |fields: &[Field], path: &str| fields.iter().any(|field| field.path == path);
    let places = declared.len().max(filled.len());
    let mut pairs = (0..places).map(|place| (declared.get(place), filled.get(place)));
    let Some((declared_here, filled_here)) = pairs.find(|(a, b)| a != b) else {
        return Ok(());
    };
    Err(match (declared_here, filled_here) {
        (Some(field), Some(value)) if field.path == value.path => {
            format!("it declares {field}, the launch fills in {value}")
        }
        (_, Some(value)) if !named(declared, &value.path) => {
            format!("the launch fills in {value}, which it does not declare")
        }
        (Some(field), _) if !named(filled, &field.path) => {
            format!("it declares {field}, which the launch does not fill in")
        }
        (Some(field), Some(value)) => {
            format!("the launch fills in {value} in the place of {field}")
        }
        (_, Some(value)) => format!("the launch fills in {value} twice"),
        (Some(field), None) => format!("it declares {field} twice"),
        (None, None) => unreachable!("they differ"),
    })
}
