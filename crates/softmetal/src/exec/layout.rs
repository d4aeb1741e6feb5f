//! Where the arrays of a threadgroup are in its memory.

use crate::compile::EntryFacts;
use std::ops::Range;

/// Room between arrays of checked kernels, so that what runs over the end of one hits nothing.
const GAP: u32 = 256;

/// One array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Where it is.
    pub(crate) at: Range<usize>,
    /// Where it would begin without room between arrays, for messages.
    pub(crate) plain: usize,
}

impl Span {
    /// Whether some bytes at an offset are all within.
    pub(crate) fn holds(&self, offset: usize, size: usize) -> bool {
        self.at.start <= offset && offset + size <= self.at.end
    }
}

/// All arrays of a threadgroup: variables of the kernel, then arguments.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// Slot of a variable to its offset.
    pub(crate) slots: Vec<u32>,
    /// The offset of each argument that has a length.
    pub(crate) arguments: [Option<u32>; 31],
    pub(crate) spans: Vec<Span>,
    pub(crate) bytes: usize,
}

impl Layout {
    pub(crate) fn new(facts: &EntryFacts, lengths: &[u32; 31], checked: bool) -> Layout {
        let gap = if checked { GAP } else { 0 };
        let mut layout = Layout { slots: vec![0; facts.slots], ..Layout::default() };
        let mut moved = gap;
        for v in &facts.shared {
            let at = v.offset + moved;
            if let Some(slot) = layout.slots.get_mut(v.slot) {
                *slot = at;
            }
            layout.push(at, v.size, v.offset);
            moved += gap;
        }
        let mut plain = facts.static_threadgroup.next_multiple_of(16);
        for (argument, &length) in lengths.iter().enumerate().filter(|(_, n)| **n > 0) {
            layout.arguments[argument] = Some(plain + moved);
            layout.push(plain + moved, length, plain);
            plain += length.next_multiple_of(16);
            moved += gap;
        }
        layout.bytes = (plain + moved) as usize;
        layout
    }

    fn push(&mut self, at: u32, size: u32, plain: u32) {
        let at = at as usize..(at + size) as usize;
        self.spans.push(Span { at, plain: plain as usize });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::SharedVariable;

    #[test]
    fn checked_arrays_have_room_between_them() {
        let shared = vec![
            SharedVariable { slot: 2, offset: 0, size: 40 },
            SharedVariable { slot: 0, offset: 48, size: 16 },
        ];
        let facts = EntryFacts { shared, slots: 3, static_threadgroup: 64, ..Default::default() };
        let mut lengths = [0; 31];
        lengths[1] = 32;
        let plain = Layout::new(&facts, &lengths, false);
        assert_eq!((plain.slots, plain.arguments[1], plain.bytes), (vec![48, 0, 0], Some(64), 96));
        let apart = Layout::new(&facts, &lengths, true);
        let starts: Vec<_> = apart.spans.iter().map(|s| (s.at.start, s.plain)).collect();
        assert_eq!(starts, [(256, 0), (560, 48), (832, 64)]);
        assert!(apart.bytes >= 832 + 32 + 256);
        assert!(apart.spans[0].holds(256 + 36, 4) && !apart.spans[0].holds(256 + 37, 4));
    }
}
