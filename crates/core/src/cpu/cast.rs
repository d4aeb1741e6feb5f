//! Runs of numbers moved from one place and dtype to another.

use crate::{Complex, DType, Number, Real};
use bessemer_formats::{Decode, Encode};
use bessemer_simd::{Isa, convert};
use half::{bf16, f16};
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// Numbers at even steps in memory.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) dtype: DType,
    pub(super) first: *mut u8,
    /// From one to the next, in elements.
    pub(super) step: isize,
}

impl Run {
    /// Any number of times `value`.
    pub(super) fn constant(value: &f32) -> Run {
        Run { dtype: DType::F32, first: std::ptr::from_ref(value).cast_mut().cast(), step: 0 }
    }

    /// From element `index` on. Not for block formats.
    fn at(self, index: isize) -> Run {
        let bytes = index * self.step * self.dtype.block_bytes() as isize;
        Run { first: self.first.wrapping_offset(bytes), ..self }
    }
}

/// Copies `len` numbers, rounded as [`Real::from_f64`] says; to and from `Bool`, what is not 0
/// is 1. Neither run is of a block format.
///
/// # Safety
/// All of `from` can be read and all of `to` written, by this thread alone; the two are the very
/// same place or do not overlap.
pub(super) unsafe fn cast(isa: Isa, from: Run, to: Run, len: usize) {
    if from.dtype == to.dtype {
        // SAFETY: as the caller promises, for numbers of this size.
        return unsafe {
            match from.dtype.block_bytes() {
                1 => relocate::<u8>(from, to, len),
                2 => relocate::<f16>(from, to, len),
                4 => relocate::<u32>(from, to, len),
                _ => relocate::<u64>(from, to, len),
            }
        };
    }
    if from.step == 1 && to.step == 1 {
        // SAFETY: gapless runs of different sizes, so not the same place but apart.
        unsafe {
            match (from.dtype, to.dtype) {
                (DType::F32, DType::F16) => {
                    return convert::f32_to_f16(isa, get(from, len), put(to, len));
                }
                (DType::F16, DType::F32) => {
                    return convert::f16_to_f32(isa, get(from, len), put(to, len));
                }
                (DType::F32, DType::BF16) => {
                    return convert::f32_to_bf16(isa, get(from, len), put(to, len));
                }
                (DType::BF16, DType::F32) => {
                    return convert::bf16_to_f32(isa, get(from, len), put(to, len));
                }
                _ => {}
            }
        }
    }
    // SAFETY: as the caller promises, for numbers of the type that belongs to the dtype.
    unsafe {
        match from.dtype {
            DType::F32 => cast_from::<f32>(from, to, len),
            DType::F16 => cast_from::<f16>(from, to, len),
            DType::BF16 => cast_from::<bf16>(from, to, len),
            DType::I32 => cast_from::<i32>(from, to, len),
            DType::U32 => cast_from::<u32>(from, to, len),
            DType::U8 => cast_from::<u8>(from, to, len),
            DType::F64 => cast_from::<f64>(from, to, len),
            DType::I8 => cast_from::<i8>(from, to, len),
            DType::I16 => cast_from::<i16>(from, to, len),
            DType::I64 => cast_from::<i64>(from, to, len),
            DType::U16 => cast_from::<u16>(from, to, len),
            DType::U64 => cast_from::<u64>(from, to, len),
            _ => cast_from::<Flag>(from, to, len),
        }
    }
}

/// Copies elements `indices` of a run of `len` to the following places of `to`; those outside of
/// the run become `outside`.
///
/// # Safety
/// As [`cast`], for the whole run and as many places as indices.
pub(super) unsafe fn pick(from: Run, to: Run, len: usize, indices: &[u32], outside: f32) {
    for (i, &index) in indices.iter().enumerate() {
        let inside = (index as usize) < len;
        let source = if inside { from.at(index as isize) } else { Run::constant(&outside) };
        // SAFETY: elements of the runs, or a constant.
        unsafe { cast(Isa::Portable, source, to.at(i as isize), 1) };
    }
}

/// Copies the elements of `from` to elements `indices` of a run of `len`, in order; those outside
/// of the run go nowhere.
///
/// # Safety
/// As [`cast`], for the whole run and as many elements as indices.
pub(super) unsafe fn spread(from: Run, to: Run, len: usize, indices: &[u32]) {
    for (i, &index) in indices.iter().enumerate() {
        if (index as usize) < len {
            // SAFETY: elements of the runs.
            unsafe { cast(Isa::Portable, from.at(i as isize), to.at(index as isize), 1) };
        }
    }
}

/// Decodes `out.len()` elements of whole blocks.
///
/// # Safety
/// They can be read, and nobody writes to them.
pub(super) unsafe fn decode(isa: Isa, from: Run, out: &mut [f32]) {
    let bytes = out.len() / from.dtype.block_len() * from.dtype.block_bytes();
    // SAFETY: as the caller promises.
    let bytes = unsafe { from_raw_parts(from.first, bytes) };
    isa.run(Decode { dtype: from.dtype, bytes, values: out });
}

/// Encodes all values in whole blocks.
///
/// # Safety
/// They can be written, by this thread alone.
pub(super) unsafe fn encode(isa: Isa, values: &[f32], to: Run) {
    let bytes = values.len() / to.dtype.block_len() * to.dtype.block_bytes();
    // SAFETY: as the caller promises.
    let bytes = unsafe { from_raw_parts_mut(to.first, bytes) };
    isa.run(Encode { dtype: to.dtype, values, bytes });
}

/// # Safety
/// As [`cast`].
unsafe fn cast_from<F: Source>(from: Run, to: Run, len: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        match to.dtype {
            DType::F32 => each::<F, f32>(from, to, len),
            DType::F16 => each::<F, f16>(from, to, len),
            DType::BF16 => each::<F, bf16>(from, to, len),
            DType::I32 => each::<F, i32>(from, to, len),
            DType::U32 => each::<F, u32>(from, to, len),
            DType::U8 => each::<F, u8>(from, to, len),
            DType::F64 => each::<F, f64>(from, to, len),
            DType::I8 => each::<F, i8>(from, to, len),
            DType::I16 => each::<F, i16>(from, to, len),
            DType::I64 => each::<F, i64>(from, to, len),
            DType::U16 => each::<F, u16>(from, to, len),
            DType::U64 => each::<F, u64>(from, to, len),
            DType::Complex64 => each::<F, Complex<f32>>(from, to, len),
            _ => each::<F, Flag>(from, to, len),
        }
    }
}

/// # Safety
/// As [`cast`], for numbers of these types.
unsafe fn each<F: Source, T: Target>(from: Run, to: Run, len: usize) {
    let (source, target) = (from.first.cast::<F>(), to.first.cast::<T>());
    for i in 0..len as isize {
        // SAFETY: elements of the runs.
        unsafe {
            let value = source.offset(i * from.step).read();
            target.offset(i * to.step).write(T::from_number(value.number()));
        }
    }
}

/// # Safety
/// As [`cast`], for runs of one dtype of the size of `T`.
unsafe fn relocate<T: Copy>(from: Run, to: Run, len: usize) {
    let (source, target) = (from.first.cast::<T>(), to.first.cast::<T>());
    // SAFETY: elements of the runs; `copy` may meet the very same place.
    unsafe {
        if from.step == 1 && to.step == 1 {
            return source.copy_to(target, len);
        }
        for i in 0..len as isize {
            target.offset(i * to.step).write(source.offset(i * from.step).read());
        }
    }
}

/// # Safety
/// A gapless run of `T` that nobody writes to.
unsafe fn get<'a, T>(run: Run, len: usize) -> &'a [T] {
    // SAFETY: as the caller promises.
    unsafe { from_raw_parts(run.first.cast(), len) }
}

/// # Safety
/// A gapless run of `T` that nobody else uses.
unsafe fn put<'a, T>(run: Run, len: usize) -> &'a mut [T] {
    // SAFETY: as the caller promises.
    unsafe { from_raw_parts_mut(run.first.cast(), len) }
}

/// What a number in memory is worth. What doubles hold comes as a double, which takes less time than
/// integers of 128 bits.
trait Source: Copy {
    fn number(self) -> Number;
}

/// How a number is kept in memory.
trait Target: Copy {
    fn from_number(number: Number) -> Self;
}

macro_rules! numbers {
    ($through:ident: $($type:ty)*) => {$(
        impl Source for $type {
            #[inline(always)]
            fn number(self) -> Number {
                numbers!(@ $through self)
            }
        }

        impl Target for $type {
            #[inline(always)]
            fn from_number(number: Number) -> $type {
                Real::from_number(number)
            }
        }
    )*};
    (@ double $x:ident) => { Number::Float(Real::to_f64($x)) };
    (@ exact $x:ident) => { Real::to_number($x) };
}

numbers!(double: f64 f32 f16 bf16 i8 i16 i32 u8 u16 u32);
numbers!(exact: i64 u64);

/// A real number has no imaginary part. Complex numbers become nothing else: they are only moved.
impl Target for Complex<f32> {
    fn from_number(number: Number) -> Complex<f32> {
        Complex::new(Real::from_number(number), 0.0)
    }
}

/// A `Bool`.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Flag(u8);

impl Source for Flag {
    fn number(self) -> Number {
        Number::Float(u8::from(self.0 != 0).into())
    }
}

impl Target for Flag {
    fn from_number(number: Number) -> Flag {
        Flag(u8::from(number.to_f64() != 0.0))
    }
}
