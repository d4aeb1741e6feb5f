//! How the reference code of an op reaches its operands: as plain lists, of doubles unless the op asks
//! for exact numbers or bits.

use crate::{Access, Complex, DType, Deadline, Element, Number, Real, View, walk::Walk};
use bessemer_formats as formats;
use half::{bf16, f16};

/// Evaluates an expression with the type of the real numbers that a dtype stores.
macro_rules! of_real {
    ($dtype:expr, $type:ident => $value:expr) => {
        of_real!(@ $dtype, $type, $value, F32 f32, F16 f16, BF16 bf16, I32 i32, U32 u32, U8 u8,
            F64 f64, I8 i8, I16 i16, I64 i64, U16 u16, U64 u64)
    };
    (@ $dtype:expr, $name:ident, $value:expr, $($variant:ident $type:ty),*) => {
        match $dtype {
            $(DType::$variant => {
                type $name = $type;
                $value
            })*
            dtype => unreachable!("{dtype} is not a real number"),
        }
    };
}

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

    /// All elements of a view. Integers of 64 bits become the nearest doubles; a complex number is
    /// two of them, the real part first.
    ///
    /// # Panics
    /// If the op's `access` does not name it: a mistake in the op.
    pub fn read(&self, view: &View) -> Vec<f64> {
        self.expect_read(view);
        match view.dtype() {
            dtype if dtype.is_block() => self.read_blocks(view),
            DType::Complex64 => {
                let each = |x: Complex<f32>| [x.re.into(), x.im.into()];
                self.elements(view).flat_map(each).collect()
            }
            DType::Bool => self.elements::<u8>(view).map(|x| f64::from(x != 0)).collect(),
            dtype => of_real!(dtype, T => self.elements::<T>(view).map(Real::to_f64).collect()),
        }
    }

    /// Replaces all elements of a view, by as many numbers as [`Host::read`] gives.
    ///
    /// # Panics
    /// If the op's `access` does not name it as written, or the number of values is another.
    pub fn write(&mut self, view: &View, values: &[f64]) {
        self.expect_written(view);
        let parts = if view.dtype().is_complex() { 2 } else { 1 };
        assert_eq!(values.len(), view.elements() * parts, "as many values as elements");
        match view.dtype() {
            dtype if dtype.is_block() => self.write_blocks(view, values),
            DType::Complex64 => {
                let (pairs, _) = values.as_chunks();
                let each = |&[re, im]: &[f64; 2]| Complex::new(re as f32, im as f32);
                self.replace(view, pairs.iter().map(each));
            }
            DType::Bool => self.replace(view, values.iter().map(|&x| u8::from(x != 0.0))),
            dtype => {
                of_real!(dtype, T => self.replace(view, values.iter().map(|&x| <T as Real>::from_f64(x))));
            }
        }
    }

    /// All elements of a view that is neither complex nor of blocks, exactly.
    ///
    /// # Panics
    /// As [`Host::read`].
    pub fn read_numbers(&self, view: &View) -> Vec<Number> {
        self.expect_read(view);
        match view.dtype() {
            DType::Bool => {
                let each = |x| Number::Integer((x != 0).into());
                self.elements::<u8>(view).map(each).collect()
            }
            dtype => of_real!(dtype, T => self.elements::<T>(view).map(Real::to_number).collect()),
        }
    }

    /// Replaces all elements of a view that is neither complex nor of blocks, rounded once.
    ///
    /// # Panics
    /// As [`Host::write`].
    pub fn write_numbers(&mut self, view: &View, numbers: &[Number]) {
        self.expect_written(view);
        assert_eq!(numbers.len(), view.elements(), "as many numbers as elements");
        match view.dtype() {
            DType::Bool => {
                self.replace(view, numbers.iter().map(|x| u8::from(x.to_f64() != 0.0)));
            }
            dtype => {
                of_real!(dtype, T => self.replace(view, numbers.iter().map(|&x| T::from_number(x))));
            }
        }
    }

    /// All elements of a view as the bits they are stored as, with zeros before them; a true
    /// boolean is 1. Not for blocks.
    ///
    /// # Panics
    /// As [`Host::read`].
    pub fn read_bits(&self, view: &View) -> Vec<u64> {
        self.expect_read(view);
        match (view.dtype(), view.dtype().block_bytes()) {
            (DType::Bool, _) => self.elements::<u8>(view).map(|x| (x != 0).into()).collect(),
            (_, 1) => self.elements::<u8>(view).map(u64::from).collect(),
            (_, 2) => self.elements::<u16>(view).map(u64::from).collect(),
            (_, 4) => self.elements::<u32>(view).map(u64::from).collect(),
            _ => self.elements::<u64>(view).collect(),
        }
    }

    /// Replaces all elements of a view by those with these bits. Not for blocks.
    ///
    /// # Panics
    /// As [`Host::write`].
    pub fn write_bits(&mut self, view: &View, bits: &[u64]) {
        self.expect_written(view);
        assert_eq!(bits.len(), view.elements(), "the bits of as many elements");
        match view.dtype().block_bytes() {
            1 => self.replace(view, bits.iter().map(|&x| x as u8)),
            2 => self.replace(view, bits.iter().map(|&x| x as u16)),
            4 => self.replace(view, bits.iter().map(|&x| x as u32)),
            _ => self.replace(view, bits.iter().copied()),
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
            // SAFETY: as in `elements`; the two are equally long.
            unsafe { from.cast::<u8>().copy_to(to.cast(), from.len()) };
        }
    }

    fn expect_read(&self, view: &View) {
        let named = self.access.views().any(|v| contains(v, view));
        assert!(named, "reads {view:?}, which its access does not name");
    }

    fn expect_written(&self, view: &View) {
        let named = self.access.writes.iter().any(|v| contains(v, view));
        assert!(named, "writes {view:?}, which its access does not name");
    }

    fn elements<T: Element>(&self, view: &View) -> impl Iterator<Item = T> {
        let first = first_element(view).cast::<T>();
        let walk = Walk::new(view.shape(), view.strides());
        // SAFETY: views lie within their buffers; the rest is what `Host::new` asks for.
        walk.map(move |offset| unsafe { first.offset(offset).read_unaligned() })
    }

    fn replace<T: Element>(&mut self, view: &View, values: impl Iterator<Item = T>) {
        let first = first_element(view).cast::<T>();
        for (offset, value) in Walk::new(view.shape(), view.strides()).zip(values) {
            // SAFETY: as in `elements`.
            unsafe { first.offset(offset).write_unaligned(value) };
        }
    }

    fn read_blocks(&self, view: &View) -> Vec<f64> {
        let mut row = vec![0.0; view.shape().width()];
        let mut values = Vec::with_capacity(view.elements());
        for bytes in block_rows(view) {
            // SAFETY: as in `elements`.
            formats::decode(view.dtype(), unsafe { &*bytes }, &mut row);
            values.extend(row.iter().copied().map(f64::from));
        }
        values
    }

    fn write_blocks(&mut self, view: &View, values: &[f64]) {
        let width = view.shape().width().max(1);
        for (bytes, values) in block_rows(view).zip(values.chunks(width)) {
            let row: Vec<f32> = values.iter().map(|&x| x as f32).collect();
            // SAFETY: as in `elements`.
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
