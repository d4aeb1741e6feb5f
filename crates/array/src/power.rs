//! Powers: of floats by an instruction, of integers by products.

use crate::{Array, Error, Operand, Result, Scalar, complex, node::MapOp, promote::float_of};
use bessemer_core::Number;
use bessemer_program::Binary;

impl Array {
    /// To the power of `other`. Integers to the power of integers are integers, and wrap; where the power is
    /// negative they are what is left of the fraction without its digits. Booleans give `f32`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error, s};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, 2.0, 3.0])?;
    /// assert_eq!(a.pow(2).to_vec::<f32>()?, [1.0, 4.0, 9.0]);
    /// let exponents = Array::new(&device, [[0], [-1]])?;
    /// assert_eq!(a.slice(s![..2]).pow(&exponents).to_vec::<f32>()?, [1.0, 1.0, 1.0, 0.5]);
    /// let whole = Array::new(&device, [1, 2, -3])?;
    /// assert_eq!(whole.pow(3).to_vec::<i32>()?, [1, 8, -27]);
    /// assert!(whole.pow(-1).check().is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn pow<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
        const OP: &str = "pow";
        let other = other.into();
        let known = match other {
            Operand::Scalar(power) => match power.number() {
                Number::Integer(power) => Some(power),
                Number::Float(_) => None,
            },
            Operand::Array(_) => None,
        };
        self.with(OP, other, |a, b| {
            if a.dtype().is_integer() {
                return match known {
                    Some(power) => a.known_power(power),
                    None => a.whole_power(b),
                };
            }
            let dtype = float_of(a.dtype());
            if dtype.is_complex() {
                return complex::arithmetic(OP, Binary::Pow, a, b);
            }
            let (a, b) = (a.cast(dtype), b.cast(dtype));
            crate::build_map::zip(OP, MapOp::Binary(Binary::Pow), &a, &b, dtype)
        })
    }

    /// Integers to a power that is the same for all: as few products as it has bits, or twice as many.
    fn known_power(&self, power: i128) -> Result<Array> {
        if power < 0 {
            let rule = format!("integers to the power of {power} are fractions; use floats");
            return Err(Error::rule("pow", rule, &[("array", self)]));
        }
        let mut made: Option<Array> = None;
        let (mut base, mut left) = (self.clone(), power);
        while left > 0 {
            if left & 1 == 1 {
                made = Some(made.map_or_else(|| base.clone(), |made| made * &base));
            }
            left >>= 1;
            if left > 0 {
                base = &base * &base;
            }
        }
        match made {
            Some(made) => made.check().cloned(),
            None => Ok(self.filled(*self.shape(), 1)),
        }
    }

    /// Integers to powers of the same dtype, one bit of the powers after another.
    fn whole_power(&self, powers: &Array) -> Result<Array> {
        let dtype = self.dtype();
        let bits = 8 * dtype.block_bytes() - usize::from(dtype.is_signed_integer());
        let odd = |bit: usize| powers.bitwise_and(Scalar::from(1u64 << bit)).ne(0);
        let mut made = Array::where_(&odd(0), self, 1);
        let mut base = self.clone();
        for bit in 1..bits {
            base = &base * &base;
            made = Array::where_(&odd(bit), &(&made * &base), &made);
        }
        if dtype.is_signed_integer() {
            let sign = Array::where_(&odd(0), self, 1);
            let unit = self.eq(1).logical_or(&self.eq(-1));
            let fraction = Array::where_(&unit, &sign, 0);
            made = Array::where_(&powers.lt(0), &fraction, &made);
        }
        made.check().cloned()
    }
}
