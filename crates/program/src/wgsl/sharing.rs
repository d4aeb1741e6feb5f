//! Which operands share a binding. WebGPU accepts written memory in one binding only, so overlapping
//! operands are declared as one variable.

use super::{Access, Use, Words};
use bessemer_core::DType;

/// The number of each operand's binding; several may have the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sharing(Vec<usize>);

/// An operand, as it is declared.
pub(super) struct Memory {
    pub(super) name: String,
    pub(super) dtype: DType,
    pub(super) usage: Use,
}

impl Sharing {
    /// Every operand has a binding of its own, in order.
    pub fn none() -> Sharing {
        Sharing::default()
    }

    /// By operand, the number of its binding.
    pub fn new(bindings: Vec<usize>) -> Sharing {
        Sharing(bindings)
    }

    /// The binding of an operand.
    pub fn binding(&self, operand: usize) -> usize {
        self.0.get(operand).copied().unwrap_or(operand)
    }

    /// The operands in the binding of `operand`, out of so many.
    pub fn with(&self, operand: usize, count: usize) -> impl Iterator<Item = usize> {
        let binding = self.binding(operand);
        (0..count).filter(move |&other| self.binding(other) == binding)
    }

    /// The name of the variable that an operand lies in: that of the first one there.
    pub(super) fn variable(&self, operand: usize, all: &[Memory]) -> String {
        let first = self.with(operand, all.len()).next().unwrap_or(operand);
        format!("{}_memory", all[first].name)
    }

    /// All operands, declared; and the number of the next binding.
    pub(super) fn declare(&self, all: &[Memory]) -> (String, usize) {
        let (mut text, mut next) = (String::new(), 0);
        for (i, Memory { name, dtype, usage }) in all.iter().enumerate() {
            let here = || self.with(i, all.len()).map(|other| &all[other]);
            let words = Words::shared(here().map(|other| (other.dtype, other.usage)));
            let words = words.unwrap_or(Words::of(*dtype, *usage));
            let memory = self.variable(i, all);
            if here().next().is_some_and(|first| first.name == *name) {
                let writes = here().any(|other| other.usage != Use::Read);
                text += &words.variable(&memory, self.binding(i), writes);
            }
            let (dtype, usage) = (*dtype, *usage);
            text += &Access { name, memory: &memory, words, dtype, usage, even: false }.text();
            next = next.max(self.binding(i) + 1);
        }
        (text, next)
    }
}
