//! The operands of a launch as WGSL source: variables, and functions to read and write them. They are
//! declared once all of them are known, since some may have to share one variable.

use super::{Build, held, quads, shared::Shared};
use bessemer_core::{
    DType, Result, View,
    gpu::{Binding, GpuTraits},
};
use bessemer_program::{
    Type,
    wgsl::{Access, Use, Words},
};

/// What a launch binds.
pub(super) enum Operand {
    View(Bound),
    /// Words of the scratch memory, as an array.
    Scratch {
        name: String,
        words: Words,
        binding: Binding,
    },
}

/// A view, and how the kernel gets at it.
pub(super) struct Bound {
    pub(super) name: String,
    pub(super) view: View,
    /// What is bound, if more than it.
    pub(super) whole: Option<View>,
    pub(super) usage: Use,
    pub(super) how: How,
    /// The width of the rows it is read from four elements at a time, if it is.
    pub(super) quads: Option<usize>,
    /// Whether the kernel branches on elements that all threads of a workgroup read.
    pub(super) same: bool,
}

/// How elements are reached.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// One by one.
    Each,
    /// Four at a time and in no other way, so by vectors where it lies so.
    Quads,
    /// Blocks, by reads of 16 bytes.
    Held,
}

/// An operand and the variable it lies in.
pub(super) struct Variable<'a> {
    pub(super) bound: &'a Bound,
    pub(super) memory: String,
    pub(super) words: Words,
    /// The number of the variable's binding, if no other operand lies in it.
    pub(super) alone: Option<usize>,
    /// Whether the launch writes to the buffer.
    pub(super) writes: bool,
}

impl Operand {
    fn binding(&self) -> Binding {
        match self {
            Operand::Scratch { binding, .. } => binding.clone(),
            Operand::View(bound) => {
                let view = bound.whole.as_ref().unwrap_or(&bound.view).clone();
                if bound.usage == Use::Read { Binding::Read(view) } else { Binding::Write(view) }
            }
        }
    }

    fn name(&self) -> &str {
        match self {
            Operand::View(bound) => &bound.name,
            Operand::Scratch { name, .. } => name,
        }
    }

    /// How it is used, as one of several in a variable.
    fn usage(&self) -> (DType, Use) {
        match self {
            Operand::View(bound) => (bound.view.dtype(), bound.usage),
            Operand::Scratch { words: Words::F32, .. } => (DType::F32, Use::Write),
            Operand::Scratch { .. } => (DType::U32, Use::Write),
        }
    }
}

impl Build<'_> {
    /// Declares all operands: what they are bound as.
    pub(super) fn declare(mut self) -> Result<(Self, Vec<Binding>)> {
        let operands = std::mem::take(&mut self.bound);
        let shared = Shared::new(self.gpu, operands.iter().map(Operand::binding).collect())?;
        let writes = shared.writes(self.gpu);
        for (i, operand) in operands.iter().enumerate() {
            let number = shared.number(i);
            let here = || {
                let here = operands.iter().enumerate();
                here.filter(|(other, _)| shared.number(*other) == number).map(|(_, other)| other)
            };
            let bound = match operand {
                Operand::View(bound) => bound,
                Operand::Scratch { name, words, binding } => {
                    let writes = matches!(binding, Binding::Scratch { write: true, .. });
                    self = self.also(&words.variable(name, number, writes));
                    continue;
                }
            };
            let words =
                Words::shared(here().map(Operand::usage)).expect("no atomics are asked for");
            let first = here().next().unwrap_or(operand).name();
            let variable = Variable {
                bound,
                memory: format!("{first}_memory"),
                words,
                alone: shared.is_alone(i).then_some(number),
                writes: writes[number],
            };
            if variable.alone.is_none() && first == bound.name {
                self = self.also(&words.variable(&variable.memory, number, true));
            }
            let text = variable.text(self.gpu);
            let at = shared.at(self.gpu, i, &bound.view);
            self = self.also(&text).i32(&format!("{}_at", bound.name), at);
        }
        Ok((self, shared.bindings))
    }
}

impl Variable<'_> {
    fn text(&self, gpu: &GpuTraits) -> String {
        let Bound { name, view, usage, how, quads, .. } = self.bound;
        match (how, self.alone) {
            (How::Held, _) => return held::text(gpu, self),
            (How::Quads, Some(binding)) if quads::has_whole_quads(gpu, view) => {
                return quads::vectors(name, binding, view.dtype());
            }
            _ => {}
        }
        let variable = match self.alone {
            Some(binding) => self.words.variable(&self.memory, binding, *usage != Use::Read),
            None => String::new(),
        };
        let (dtype, usage, words) = (view.dtype(), *usage, self.words);
        let even = dtype.is_block() && starts_with_words(view);
        let access = Access { name, memory: &self.memory, words, dtype, usage, even }.text();
        let quads = quads.map(|width| quads::text(self, width)).unwrap_or_default();
        let same = if self.bound.same { self.same() } else { String::new() };
        format!("{variable}{access}{quads}{same}")
    }

    /// `same_NAME(i, thread)`: an element that all threads of the workgroup ask for, and that WGSL
    /// knows to be the same for all of them. Of memory that nobody writes it knows by itself.
    fn same(&self) -> String {
        let (name, dtype) = (&self.bound.name, self.bound.view.dtype());
        let ty = super::element_type(dtype);
        let head = format!("fn same_{name}(i: i32, thread: u32) -> {ty}");
        match self.writes {
            false => format!("{head} {{ return load_{name}(i); }}\n"),
            true => format!(
                "var<workgroup> same_of_{name}: {ty};
{head} {{
    if thread == 0u {{ same_of_{name} = load_{name}(i); }}
    return workgroupUniformLoad(&same_of_{name});
}}
"
            ),
        }
    }

    /// Word `index` of the variable, as `u32`.
    pub(super) fn word(&self, index: &str) -> String {
        self.words.load(&self.memory, index, Type::U32)
    }
}

/// Whether all blocks start with a word, and so all that is read of them as words is one.
fn starts_with_words(view: &View) -> bool {
    let (len, bytes) = (view.dtype().block_len(), view.dtype().block_bytes());
    let last = view.shape().rank().saturating_sub(1);
    let steps = view.strides()[..last].iter().map(|step| step.unsigned_abs() / len * bytes);
    steps.chain([bytes, view.offset()]).all(|place| place.is_multiple_of(4))
}
