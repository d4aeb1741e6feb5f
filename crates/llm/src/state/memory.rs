//! The memory of one layer: a few tensors, of two kinds.

use crate::Result;
use bessemer_core::{DType, Device, Element, Shape, View, estimate};

/// One tensor of a layer's memory, as its mixer declares it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slot {
    pub(super) name: &'static str,
    pub(super) dtype: DType,
    pub(super) extent: Extent,
    /// What an empty text has there, if not zeros: a number for each equal part of the slot.
    start: Option<&'static [f32]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// An entry per token, `[outer, tokens, inner]`. Forgetting a token is not reading its entry.
    PerToken { outer: usize, inner: usize },
    /// One tensor that every token changes. What it was before is gone.
    Fixed(Shape),
}

impl Slot {
    /// A slot of shape `[outer, tokens, inner]`: a KV cache, for instance.
    pub(crate) fn per_token(name: &'static str, dtype: DType, outer: usize, inner: usize) -> Slot {
        Slot { name, dtype, extent: Extent::PerToken { outer, inner }, start: None }
    }

    /// A slot of a fixed shape that every token changes. An empty text has zeros there.
    pub(crate) fn fixed(name: &'static str, dtype: DType, shape: Shape) -> Slot {
        Slot { name, dtype, extent: Extent::Fixed(shape), start: None }
    }

    /// The same of `f32`, in equal parts which an empty text has these numbers in.
    pub(crate) fn starting_with(self, start: &'static [f32]) -> Slot {
        Slot { start: Some(start), ..self }
    }

    /// The bytes of an empty text in a fixed slot.
    pub(super) fn start_bytes(&self, view: &View) -> Vec<u8> {
        let Some(start) = self.start else { return vec![0; view.stored_bytes()] };
        let part = view.elements() / start.len();
        let parts = start.iter().flat_map(|&number| std::iter::repeat_n(number, part));
        f32::as_bytes(&parts.collect::<Vec<f32>>()).to_vec()
    }

    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self.extent, Extent::Fixed(_))
    }

    /// Its shape with room for, or filled with, so many tokens.
    pub(super) fn shape(&self, tokens: usize) -> Result<Shape> {
        match self.extent {
            Extent::PerToken { outer, inner } => Ok(Shape::new(&[outer, tokens, inner])?),
            Extent::Fixed(shape) => Ok(shape),
        }
    }

    /// The bytes it takes with room for so many tokens.
    pub(crate) fn bytes(&self, tokens: usize) -> Result<usize> {
        let (rows, width) = match self.extent {
            Extent::PerToken { outer, inner } => (outer.saturating_mul(tokens), inner),
            Extent::Fixed(shape) => (shape.rows(), shape.width()),
        };
        Ok(estimate::tensor(self.dtype, rows, width)?)
    }

    pub(super) fn alloc(&self, device: &dyn Device, tokens: usize) -> Result<View> {
        let buffer = device.alloc(self.bytes(tokens)?)?;
        Ok(View::new(&buffer, self.dtype, self.shape(tokens)?)?)
    }
}

/// What one layer remembers of a text.
#[derive(Debug)]
pub(crate) struct Memory {
    capacity: usize,
    slots: Vec<(Slot, View)>,
}

impl Memory {
    pub(super) fn new(device: &dyn Device, slots: &[Slot], capacity: usize) -> Result<Memory> {
        let slots = slots.iter().map(|slot| Ok((*slot, slot.alloc(device, capacity)?)));
        Ok(Memory { capacity, slots: slots.collect::<Result<_>>()? })
    }

    /// Room for `tokens` of several texts, each of up to `context`.
    pub(crate) fn shared(
        device: &dyn Device,
        slots: &[Slot],
        tokens: usize,
        context: usize,
    ) -> Result<Memory> {
        Ok(Memory { capacity: context, ..Memory::new(device, slots, tokens)? })
    }

    /// Tokens of a text there is room for.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The tensor that the layer's mixer has declared under this name.
    pub(crate) fn slot(&self, name: &str) -> &View {
        let found = self.slots.iter().find(|(slot, _)| slot.name == name);
        &found.expect("mixers use the slots they have declared").1
    }

    pub(super) fn slots(&self) -> &[(Slot, View)] {
        &self.slots
    }

    /// The slots that every token changes.
    pub(super) fn fixed(&self) -> impl Iterator<Item = &(Slot, View)> {
        self.slots.iter().filter(|(slot, _)| slot.is_fixed())
    }
}
