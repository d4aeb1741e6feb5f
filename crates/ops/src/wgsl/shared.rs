//! Operands that WebGPU cannot bind separately: those of one buffer whose bytes overlap, if one of them
//! is written. They share one binding. Bindings start at multiples of an alignment, so
//! that neighbours may overlap too.

use super::at_in;
use bessemer_core::{
    DType, Result, Shape, Strides, View,
    gpu::{Binding, GpuTraits, Span},
};
use bessemer_program::wgsl::Sharing;

/// What the operands of a launch are bound as.
pub(crate) struct Shared {
    pub(crate) bindings: Vec<Binding>,
    /// By operand, the number of its binding.
    numbers: Vec<usize>,
}

impl Shared {
    /// As few operands in one binding as can be.
    pub(crate) fn new(gpu: &GpuTraits, operands: Vec<Binding>) -> Result<Shared> {
        let mut shared = Shared { numbers: (0..operands.len()).collect(), bindings: operands };
        while let Some((a, b)) = shared.alias(gpu) {
            shared.join(a, b)?;
        }
        Ok(shared)
    }

    fn alias(&self, gpu: &GpuTraits) -> Option<(usize, usize)> {
        Span::aliases(&self.spans(gpu))
    }

    fn spans(&self, gpu: &GpuTraits) -> Vec<Span> {
        let span = |binding: &Binding| binding.span(gpu.offset_alignment);
        let mut spans: Vec<Span> = self.bindings.iter().map(span).collect();
        Span::widen(&mut spans);
        spans
    }

    /// By binding, whether the launch writes to its buffer.
    pub(crate) fn writes(&self, gpu: &GpuTraits) -> Vec<bool> {
        self.spans(gpu).iter().map(|span| span.writes).collect()
    }

    /// Binds as `a` what is bound as `b`, which comes later.
    fn join(&mut self, a: usize, b: usize) -> Result<()> {
        let other = self.bindings.remove(b);
        self.bindings[a] = both(&self.bindings[a], &other)?;
        for number in &mut self.numbers {
            *number = match *number {
                number if number == b => a,
                number if number > b => number - 1,
                number => number,
            };
        }
        Ok(())
    }

    /// Whether an operand has its binding for itself.
    pub(crate) fn is_alone(&self, operand: usize) -> bool {
        self.numbers.iter().filter(|&&number| number == self.numbers[operand]).count() == 1
    }

    /// The binding of an operand.
    pub(crate) fn number(&self, operand: usize) -> usize {
        self.numbers[operand]
    }

    /// Where the first element of an operand lies from where its binding starts, in elements; for
    /// blocks in halves of words.
    pub(crate) fn at(&self, gpu: &GpuTraits, operand: usize, view: &View) -> i32 {
        match self.bindings[self.numbers[operand]].view() {
            Some(whole) => at_in(gpu, view, whole),
            None => 0,
        }
    }

    /// The same for the text of a program.
    pub(crate) fn sharing(&self) -> Sharing {
        Sharing::new(self.numbers.clone())
    }
}

/// All bytes from the first of two bindings of one buffer to the last.
fn both(a: &Binding, b: &Binding) -> Result<Binding> {
    let (Some(a), Some(b)) = (a.view(), b.view()) else {
        // Scratch memory: a range of bytes.
        let (a, b) = (a.span(1).range, b.span(1).range);
        let range = a.start.min(b.start) as usize..a.end.max(b.end) as usize;
        return Ok(Binding::Scratch { range, write: true });
    };
    let (one, other) = (a.range(), b.range());
    let (start, end) = (one.start.min(other.start), one.end.max(other.end));
    let (shape, strides) = (Shape::new(&[end - start])?, Strides::new(&[1])?);
    Ok(Binding::Write(View::at(a.buffer(), DType::U8, shape, strides, start)?))
}
