//! The operands of an op as slices.

use super::CpuContext;
use crate::{Element, View, host::contains};
use std::marker::PhantomData;

impl CpuContext<'_> {
    /// The bytes of an input, from its first to its last (gaps included).
    ///
    /// # Panics
    /// If the op's `access` does not name it as read, or it is an output too (in-place ops read
    /// by [`CpuContext::rows`]): mistakes in the op.
    pub fn bytes(&self, view: &View) -> &[u8] {
        let reads = &self.access.reads;
        assert!(
            reads.iter().any(|read| contains(read, view)),
            "reads {view:?}, which its access does not name"
        );
        assert!(
            !self.access.writes.iter().any(|write| write.overlaps(view)),
            "reads {view:?} as a slice while it is written"
        );
        let range = view.range();
        // SAFETY: the view lies within its buffer, which nobody writes to while this context
        // lives (`CpuContext::new`, and the assertion above for this op itself).
        unsafe { std::slice::from_raw_parts(host(view).add(range.start), range.len()) }
    }

    /// The elements of an input, from its first to its last (gaps included).
    ///
    /// # Panics
    /// If `T` is not of the view's dtype (`u8` may read anything), or as [`CpuContext::bytes`].
    pub fn slice<T: Element>(&self, view: &View) -> &[T] {
        let bytes = self.bytes(view);
        assert_eq!(T::DTYPE.block_bytes(), view.dtype().block_bytes(), "{view:?}");
        assert!(bytes.is_empty() || bytes.as_ptr().cast::<T>().is_aligned(), "{view:?}");
        if bytes.is_empty() {
            return &[];
        }
        // SAFETY: aligned, as just checked; every bit pattern is a value.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<T>()) }
    }

    /// An output, to be written by several threads at once.
    ///
    /// # Panics
    /// If `T` is not of the view's dtype or the op's `access` does not name it as written.
    pub fn output<T: Element>(&self, view: &View) -> Output<'_, T> {
        let named = self.access.writes.iter().any(|write| contains(write, view));
        assert!(named, "writes {view:?}, which its access does not name");
        assert_eq!(T::DTYPE.block_bytes(), view.dtype().block_bytes(), "{view:?}");
        let range = view.range();
        // SAFETY: the view lies within its buffer.
        let first = unsafe { host(view).add(range.start) }.cast::<T>();
        assert!(range.is_empty() || first.is_aligned(), "{view:?}");
        Output { first, len: range.len() / size_of::<T>(), context: PhantomData }
    }

    /// Splits a gapless output into pieces of `len` elements (the last may be shorter) and calls
    /// `work` with each, on all threads.
    ///
    /// # Panics
    /// If the view has gaps, or as [`CpuContext::output`].
    pub fn for_each_chunk<T: Element>(
        &self,
        view: &View,
        len: usize,
        work: impl Fn(usize, &mut [T]) + Sync,
    ) {
        assert!(view.is_contiguous(), "{view:?} has gaps");
        let output = self.output::<T>(view);
        self.run(output.len().div_ceil(len.max(1)), |i| {
            let range = i * len..output.len().min((i + 1) * len);
            // SAFETY: each piece is given to one task only.
            work(i, unsafe { output.range(range) });
        });
    }
}

/// The elements of an output, from its first to its last (gaps included).
pub struct Output<'a, T> {
    first: *mut T,
    len: usize,
    context: PhantomData<&'a mut [T]>,
}

// SAFETY: it is a mutable slice whose parts threads take by `range`, which is unsafe for that
// very reason.
unsafe impl<T: Send> Sync for Output<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Output<'_, T> {}

impl<'a, T> Output<'a, T> {
    /// All of a slice, to be written by several threads at once.
    pub fn of(slice: &'a mut [T]) -> Output<'a, T> {
        Output { first: slice.as_mut_ptr(), len: slice.len(), context: PhantomData }
    }

    /// How many elements there are, gaps included.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The address of the first.
    pub fn as_ptr(&self) -> *mut T {
        self.first
    }

    /// Some of the elements.
    ///
    /// # Safety
    /// No other range given out and still in use may overlap.
    ///
    /// # Panics
    /// If the range is not within the output.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn range(&self, range: std::ops::Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "{range:?} of {}", self.len);
        if range.is_empty() {
            return &mut [];
        }
        // SAFETY: within the output; that it is the only one is the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) }
    }
}

pub(super) fn host(view: &View) -> *mut u8 {
    view.buffer().host().expect("buffers of a CPU device are on the host").as_ptr()
}
