//! Memory hazards between dispatches: finds where a barrier is needed.

use bessemer_core::View;
use std::ops::Range;

/// A piece of memory that a dispatch touches.
#[derive(Clone, Debug)]
pub(crate) struct Touch<'a> {
    /// The number of the buffer.
    pub(crate) buffer: u64,
    /// The bytes, from the first to the last.
    pub(crate) range: Range<usize>,
    /// Whether it is written.
    pub(crate) write: bool,
    /// The view it is, for those that lie side by side without meeting.
    pub(crate) view: Option<&'a View>,
}

impl Touch<'_> {
    fn conflicts(&self, other: &Touch<'_>) -> bool {
        if !(self.write || other.write) || self.buffer != other.buffer {
            return false;
        }
        let (a, b) = (&self.range, &other.range);
        if a.start >= b.end || b.start >= a.end {
            return false;
        }
        !matches!((self.view, other.view), (Some(one), Some(two)) if one.is_beside(two))
    }
}

/// All that was touched since the last barrier.
#[derive(Default)]
pub(crate) struct Hazards<'a> {
    touched: Vec<Touch<'a>>,
}

impl<'a> Hazards<'a> {
    /// Adds a dispatch; true if a barrier is needed before it.
    pub(crate) fn dispatch(&mut self, touches: impl IntoIterator<Item = Touch<'a>>) -> bool {
        let earlier = self.touched.len();
        let mut barrier = false;
        for touch in touches {
            barrier |= self.touched[..earlier].iter().any(|before| before.conflicts(&touch));
            self.touched.push(touch);
        }
        if barrier {
            self.touched.drain(..earlier);
        }
        barrier
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bessemer_core::{Buffer, DType, DeviceId, HostMemory, Shape, Strides};
    use std::sync::Arc;

    fn touch(buffer: u64, range: Range<usize>, write: bool) -> Touch<'static> {
        Touch { buffer, range, write, view: None }
    }

    #[test]
    fn only_what_meets_and_is_written_needs_a_barrier() {
        let mut hazards = Hazards::default();
        assert!(!hazards.dispatch([touch(1, 0..16, false), touch(2, 0..16, true)]));
        assert!(!hazards.dispatch([touch(1, 0..16, false), touch(2, 16..32, true)]));
        assert!(!hazards.dispatch([touch(3, 0..16, true)]));
        assert!(hazards.dispatch([touch(2, 15..16, false)]), "written, then read");
        assert!(!hazards.dispatch([touch(3, 0..16, false)]), "ordered by the barrier before");
        assert!(hazards.dispatch([touch(2, 0..99, true)]), "read, then written");
        assert!(hazards.dispatch([touch(2, 98..99, true)]), "written twice");
    }

    #[test]
    fn a_dispatch_does_not_meet_itself() {
        let mut hazards = Hazards::default();
        assert!(!hazards.dispatch([touch(1, 0..8, false), touch(1, 0..8, true)]));
    }

    #[test]
    fn columns_side_by_side_do_not_meet() {
        let memory = HostMemory::new(Arc::new(vec![0u8; 64]));
        let buffer = Buffer::new(DeviceId::new(), Box::new(memory), 64, true);
        let column = |offset| {
            let (shape, strides) = (Shape::new(&[4, 2]).unwrap(), Strides::new(&[4, 1]).unwrap());
            View::at(&buffer, DType::F32, shape, strides, offset).unwrap()
        };
        let (left, right) = (column(0), column(8));
        fn write(view: &View) -> Touch<'_> {
            let (buffer, range) = (view.buffer().id(), view.range());
            Touch { buffer, range, write: true, view: Some(view) }
        }
        let mut hazards = Hazards::default();
        assert!(!hazards.dispatch([write(&left)]));
        assert!(!hazards.dispatch([write(&right)]));
        assert!(hazards.dispatch([write(&left)]));
    }
}
