//! Bytes of a buffer as WebGPU binds them: from an aligned offset, in whole vectors.

use super::Binding;
use crate::View;
use std::ops::Range;

/// What one binding of a launch reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The number of the buffer; none for the scratch memory of the op.
    pub buffer: Option<u64>,
    /// Which bytes of it.
    pub range: Range<u64>,
    /// Whether they may be written.
    pub writes: bool,
}

impl Span {
    /// What kernels read at most at once: buffers and bindings are as long as some of those.
    pub const WIDEST: u64 = 16;

    /// Whether both reach the same bytes of one buffer.
    pub fn meets(&self, other: &Span) -> bool {
        self.buffer == other.buffer
            && self.range.start < other.range.end
            && other.range.start < self.range.end
    }

    /// Marks as written what lies in a buffer that is: within one dispatch WebGPU takes a buffer
    /// either for reading alone or for writing, whatever its bytes.
    pub fn widen(spans: &mut [Span]) {
        for i in 0..spans.len() {
            let buffer = spans[i].buffer;
            spans[i].writes = spans.iter().any(|other| other.writes && other.buffer == buffer);
        }
    }

    /// The numbers of two bindings that WebGPU does not take together: they meet, and one of them is
    /// written.
    pub fn aliases(spans: &[Span]) -> Option<(usize, usize)> {
        let pairs = (0..spans.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
        let mut pairs = pairs.map(|(j, i)| ((j, i), &spans[j], &spans[i]));
        let found = pairs.find(|(_, a, b)| (a.writes || b.writes) && a.meets(b));
        found.map(|(numbers, ..)| numbers)
    }
}

impl Binding {
    /// The view it binds, if it is not scratch memory.
    pub fn view(&self) -> Option<&View> {
        match self {
            Binding::Read(view) | Binding::Write(view) => Some(view),
            Binding::Scratch { .. } => None,
        }
    }

    /// What it reaches where bindings start at multiples of `alignment`.
    pub fn span(&self, alignment: u32) -> Span {
        let (view, writes) = match self {
            Binding::Read(view) => (view, false),
            Binding::Write(view) => (view, true),
            Binding::Scratch { range, write } => {
                let range = range.start as u64..range.end as u64;
                return Span { buffer: None, range, writes: *write };
            }
        };
        let align = u64::from(alignment);
        let size = (view.buffer().bytes() as u64).max(1).next_multiple_of(Span::WIDEST);
        let (start, end) = (view.range().start as u64, view.range().end as u64);
        // A view of nothing may lie at the very end; something must be bound for it all the same.
        let start = start.min(size - Span::WIDEST) / align * align;
        let end = end.next_multiple_of(Span::WIDEST).clamp(start + Span::WIDEST, size);
        Span { buffer: Some(view.buffer().id()), range: start..end, writes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(buffer: u64, range: Range<u64>, writes: bool) -> Span {
        Span { buffer: Some(buffer), range, writes }
    }

    #[test]
    fn only_what_is_written_must_lie_apart() {
        let reads = [span(1, 0..32, false), span(1, 16..48, false)];
        assert_eq!(Span::aliases(&reads), None);
        let apart = [span(1, 0..32, true), span(1, 32..48, true), span(2, 0..32, true)];
        assert_eq!(Span::aliases(&apart), None);
        let both = [span(2, 0..16, false), span(1, 0..32, true), span(1, 16..48, true)];
        assert_eq!(Span::aliases(&both), Some((1, 2)));
        let one = [span(1, 0..32, false), span(1, 31..48, true)];
        assert_eq!(Span::aliases(&one), Some((0, 1)));
    }

    #[test]
    fn a_buffer_that_is_written_is_written_everywhere() {
        let mut spans = [span(1, 0..16, false), span(1, 32..48, true), span(2, 0..16, false)];
        Span::widen(&mut spans);
        assert_eq!(spans.map(|span| span.writes), [true, true, false]);
    }
}
