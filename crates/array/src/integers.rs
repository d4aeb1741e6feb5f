//! Division by the array API standard, whose quotients are rounded down, and operations on bits. The
//! operators `/` and `%` of Rust, which truncate, are in `operators`.

use crate::{Array, Error, Operand, Result, build_map::zip, compare::Logic, node::MapOp};
use bessemer_core::DType;
use bessemer_program::Binary;

/// Division that rounds down, as Python's `//` and `%` do.
impl Array {
    /// The quotient, rounded down. Integers divided by 0 give 0. Infinite floats are divided as others are: by
    /// the array API standard, `inf // 2` is infinite and `1 // -inf` is -0, where NumPy has NaN and -1.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [7, -7])?;
    /// assert_eq!(a.floor_divide(2).to_vec::<i32>()?, [3, -4]);
    /// assert_eq!((&a / 2).to_vec::<i32>()?, [3, -3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn floor_divide<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
        const OP: &str = "floor_divide";
        self.with(OP, other.into(), |a, b| {
            numeric(OP, a, b)?;
            let dtype = a.dtype();
            if dtype.is_unsigned_integer() {
                return zip(OP, MapOp::Binary(Binary::Div), a, b, dtype);
            }
            let rest = zip(OP, MapOp::Binary(Binary::Rem), a, b, dtype)?;
            let differs = rest.ne(0).logical_and(&rest.lt(0).logical_xor(&b.lt(0)));
            if dtype.is_integer() {
                let quotient = zip(OP, MapOp::Binary(Binary::Div), a, b, dtype)?;
                return Ok(&quotient - differs.cast(dtype));
            }
            // What is left over is exact, so the quotient is near a whole number.
            let quotient = (a - &rest) / b - differs.cast(dtype);
            let floor = quotient.floor();
            let nearest = Array::where_(&(&quotient - &floor).gt(0.5), &(&floor + 1), &floor);
            // Zeros have the sign of the true quotient.
            let exact = a / b;
            let signed = Array::where_(&nearest.eq(0), &(&exact * 0.0), &nearest);
            let whole = b.eq(0).logical_or(&a.is_inf()).logical_or(&b.is_inf());
            Ok(Array::where_(&whole, &exact.floor(), &signed))
        })
    }

    /// What [`Array::floor_divide`] leaves: it has the sign of the divisor. Integers by 0 give 0.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [7, -7])?;
    /// assert_eq!(a.remainder(3).to_vec::<i32>()?, [1, 2]);
    /// assert_eq!((&a % 3).to_vec::<i32>()?, [1, -1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn remainder<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
        const OP: &str = "remainder";
        self.with(OP, other.into(), |a, b| {
            numeric(OP, a, b)?;
            let dtype = a.dtype();
            let rest = zip(OP, MapOp::Binary(Binary::Rem), a, b, dtype)?;
            if dtype.is_unsigned_integer() {
                return Ok(rest);
            }
            let differs = rest.ne(0).logical_and(&rest.lt(0).logical_xor(&b.lt(0)));
            let sum = Array::where_(&differs, &(&rest + b), &rest);
            if dtype.is_integer() {
                return Ok(sum);
            }
            // Zeros have the sign of the divisor.
            let zero = Array::where_(&b.lt(0), -0.0, 0.0).cast(dtype);
            Ok(Array::where_(&sum.eq(0), &zero, &sum))
        })
    }
}

/// Operations on the bits of integers, and logic of booleans.
impl Array {
    /// The bits in both; also `&a & &b`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [6u8, 12])?;
    /// assert_eq!(a.bitwise_and(4).to_vec::<u8>()?, [4, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bitwise_and<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
        self.bits(Logic::And, other.into())
    }

    /// The bits in either; also `&a | &b`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [6u8, 12])?;
    /// assert_eq!(a.bitwise_or(1).to_vec::<u8>()?, [7, 13]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bitwise_or<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
        self.bits(Logic::Or, other.into())
    }

    /// The bits in one only; also `&a ^ &b`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [6u8, 12])?;
    /// assert_eq!(a.bitwise_xor(&a).to_vec::<u8>()?, [0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bitwise_xor<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
        self.bits(Logic::Xor, other.into())
    }

    /// All bits turned; also `!&a`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0i8, 5])?;
    /// assert_eq!(a.bitwise_invert().to_vec::<i8>()?, [-1, -6]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bitwise_invert(&self) -> Array {
        self.bits_not()
    }

    /// Bits moved up by `count`; 0 where that is as many as there are, or more. Counts below 0 are
    /// taken for huge ones.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1u8, 255])?;
    /// assert_eq!(a.shl(4).to_vec::<u8>()?, [16, 240]);
    /// assert_eq!(a.shl(8).to_vec::<u8>()?, [0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn shl<'a>(&self, count: impl Into<Operand<'a>>) -> Array {
        self.shift("shl", Binary::Shl, count.into())
    }

    /// Bits moved down by `count`, with the sign of signed integers kept; counts as in
    /// [`Array::shl`].
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [-16i64, 16])?;
    /// assert_eq!(a.shr(2).to_vec::<i64>()?, [-4, 4]);
    /// assert_eq!(a.shr(100).to_vec::<i64>()?, [-1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn shr<'a>(&self, count: impl Into<Operand<'a>>) -> Array {
        self.shift("shr", Binary::Shr, count.into())
    }

    fn shift(&self, op: &'static str, binary: Binary, count: Operand<'_>) -> Array {
        self.with(op, count, |a, count| {
            if !a.dtype().is_integer() {
                let rule = format!("{} has no bits to shift; convert it with `astype`", a.dtype());
                return Err(Error::rule(op, rule, &[("a", a), ("b", count)]));
            }
            let bits = 8 * a.dtype().block_bytes() as i32;
            let all = count.ge(bits).logical_or(&count.lt(0));
            let keeps_sign = binary == Binary::Shr && a.dtype().is_signed_integer();
            let most = Array::where_(&all, bits - 1, count);
            let shifted = zip(op, MapOp::Binary(binary), a, &most, a.dtype())?;
            Ok(if keeps_sign { shifted } else { Array::where_(&all, 0, &shifted) })
        })
    }
}

fn numeric(op: &'static str, a: &Array, b: &Array) -> Result<()> {
    let dtype = a.dtype();
    if dtype == DType::Bool || dtype.is_complex() {
        let rule = format!("{dtype} has no remainder; convert it with `astype`");
        return Err(Error::rule(op, rule, &[("a", a), ("b", b)]));
    }
    Ok(())
}
