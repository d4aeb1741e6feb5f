//! How the reference code of an op reaches its operands: as plain lists of doubles.

use crate::{Access, DType, Deadline, Element, View, walk::Walk};
use bessemer_formats as formats;
use half::{bf16, f16};

/// The operands of one op, on the host.
///
/// Numbers are read exactly and written rounded to the dtype, in row-major order whatever the
/// strides: reference code never sees a layout.
pub struct Host<'a> {
    access: &'a Access,
    deadline: &'a Deadline,
}

impl<'a> Host<'a> {
    /// The operands that `access` names.
    ///
    /// # Safety
    /// For as long as this lives, nobody else may write to what `access` reads, nor touch what it
    /// writes, and all of it must be memory the host can reach.
    pub unsafe fn new(access: &'a Access) -> Host<'a> {
        Host { access, deadline: Deadline::none() }
    }

    /// The same for an op that has to end by `deadline`.
    #[must_use]
    pub fn until(self, deadline: &'a Deadline) -> Host<'a> {
        Host { deadline, ..self }
    }

    /// When the op has to end, for those that may run for long.
    pub fn deadline(&self) -> &'a Deadline {
        self.deadline
    }

    /// All elements of a view.
    ///
    /// # Panics
    /// If the op's `access` does not name it: a mistake in the op.
    pub fn read(&self, view: &View) -> Vec<f64> {
        let named = self.access.views().any(|v| contains(v, view));
        assert!(named, "reads {view:?}, which its access does not name");
        if view.dtype().is_block() {
            return self.read_blocks(view);
        }
        match view.dtype() {
            DType::F32 => self.read_as::<f32>(view),
            DType::F16 => self.read_as::<f16>(view),
            DType::BF16 => self.read_as::<bf16>(view),
            DType::I32 => self.read_as::<i32>(view),
            DType::U32 => self.read_as::<u32>(view),
            DType::Bool => self.read_as::<u8>(view).iter().map(|&x| (x != 0.0).into()).collect(),
            _ => self.read_as::<u8>(view),
        }
    }

    /// Replaces all elements of a view.
    ///
    /// # Panics
    /// If the op's `access` does not name it as written, or the number of values is another.
    pub fn write(&mut self, view: &View, values: &[f64]) {
        let named = self.access.writes.iter().any(|v| contains(v, view));
        assert!(named, "writes {view:?}, which its access does not name");
        assert_eq!(values.len(), view.elements(), "as many values as elements");
        match view.dtype() {
            DType::F32 => self.write_as::<f32>(view, values),
            DType::F16 => self.write_as::<f16>(view, values),
            DType::BF16 => self.write_as::<bf16>(view, values),
            DType::I32 => self.write_as::<i32>(view, values),
            DType::U32 => self.write_as::<u32>(view, values),
            DType::U8 => self.write_as::<u8>(view, values),
            DType::Bool => {
                let values: Vec<f64> = values.iter().map(|&x| (x != 0.0).into()).collect();
                self.write_as::<u8>(view, &values);
            }
            _ => self.write_blocks(view, values),
        }
    }

    /// Copies the blocks of a view to another of the same dtype and shape as they are: encoding
    /// numbers again need not give the blocks they came from.
    ///
    /// # Panics
    /// If the op's `access` does not name both, or they are not of one block format and shape.
    pub fn copy_blocks(&mut self, from: &View, to: &View) {
        let named = self.access.views().any(|v| contains(v, from))
            && self.access.writes.iter().any(|v| contains(v, to));
        assert!(named, "copies {from:?} to {to:?}, which its access does not name");
        assert!(
            from.dtype().is_block() && from.dtype() == to.dtype() && from.shape() == to.shape()
        );
        for (from, to) in block_rows(from).zip(block_rows(to)) {
            // SAFETY: as in `read_as`; the two are equally long.
            unsafe { from.cast::<u8>().copy_to(to.cast(), from.len()) };
        }
    }

    fn read_as<T: Element>(&self, view: &View) -> Vec<f64> {
        let first = first_element(view).cast::<T>();
        let walk = Walk::new(view.shape(), view.strides());
        // SAFETY: views lie within their buffers; the rest is what `Host::new` asks for.
        walk.map(|offset| unsafe { first.offset(offset).read_unaligned() }.to_f64()).collect()
    }

    fn write_as<T: Element>(&mut self, view: &View, values: &[f64]) {
        let first = first_element(view).cast::<T>();
        for (offset, &value) in Walk::new(view.shape(), view.strides()).zip(values) {
            // SAFETY: as in `read_as`.
            unsafe { first.offset(offset).write_unaligned(T::from_f64(value)) };
        }
    }

    fn read_blocks(&self, view: &View) -> Vec<f64> {
        let mut row = vec![0.0; view.shape().width()];
        let mut values = Vec::with_capacity(view.elements());
        for bytes in block_rows(view) {
            // SAFETY: as in `read_as`.
            formats::decode(view.dtype(), unsafe { &*bytes }, &mut row);
            values.extend(row.iter().copied().map(f64::from));
        }
        values
    }

    fn write_blocks(&mut self, view: &View, values: &[f64]) {
        let width = view.shape().width().max(1);
        for (bytes, values) in block_rows(view).zip(values.chunks(width)) {
            let row: Vec<f32> = values.iter().map(|&x| x as f32).collect();
            // SAFETY: as in `read_as`.
            formats::encode(view.dtype(), &row, unsafe { &mut *bytes });
        }
    }
}

/// Whether `part` is made of bytes of `whole`.
pub(crate) fn contains(whole: &View, part: &View) -> bool {
    // Ops ask this of all their operands, over and over: ranges are only looked at where they count.
    whole.buffer().is(part.buffer()) && {
        let (outer, inner) = (whole.range(), part.range());
        outer.start <= inner.start && inner.end <= outer.end
    }
}

fn first_element(view: &View) -> *mut u8 {
    let host = view.buffer().host().expect("buffers of this device are on the host");
    // SAFETY: the offset of a view lies within its buffer.
    unsafe { host.as_ptr().add(view.offset()) }
}

/// The bytes of each row of a view of blocks.
fn block_rows(view: &View) -> impl Iterator<Item = *mut [u8]> {
    let (dtype, shape, strides) = (view.dtype(), *view.shape(), *view.strides());
    let first = first_element(view);
    let bytes = shape.width() / dtype.block_len() * dtype.block_bytes();
    let rows = if shape.width() == 0 { 0 } else { shape.rows() };
    (0..rows).map(move |row| {
        let blocks = crate::walk::row_offset(&shape, &strides, row) / dtype.block_len() as isize;
        let row = first.wrapping_offset(blocks * dtype.block_bytes() as isize);
        std::ptr::slice_from_raw_parts_mut(row, bytes)
    })
}
