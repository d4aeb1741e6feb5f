//! Functions of real numbers that are made of a few instructions, and tests of single numbers.

use crate::{
    Array, Error, Operand, Result, build_map::zip, complex, constant, node::MapOp,
    promote::float_of,
};
use bessemer_core::{DType, Number};
use bessemer_program::Binary;

/// What numbers are like.
impl Array {
    /// Whether it is infinite.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, f32::NAN, f32::NEG_INFINITY])?;
    /// assert_eq!(a.is_inf().to_vec::<bool>()?, [false, false, true]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn is_inf(&self) -> Array {
        self.each_part("is_inf", |x| Ok(x.abs().eq(f64::INFINITY)), |a, b| a.logical_or(&b))
    }

    /// Whether it is neither infinite nor NaN.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, f32::NAN, f32::NEG_INFINITY])?;
    /// assert_eq!(a.is_finite().to_vec::<bool>()?, [true, false, false]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn is_finite(&self) -> Array {
        self.each_part("is_finite", |x| Ok(x.abs().lt(f64::INFINITY)), |a, b| a.logical_and(&b))
    }

    /// A test of floats, and of both parts of complex numbers. Of other numbers none is infinite.
    fn each_part(
        &self,
        op: &'static str,
        test: impl Fn(&Array) -> Result<Array>,
        both: impl Fn(Array, Array) -> Array,
    ) -> Array {
        Array::build(op, &[("array", self)], || {
            if self.dtype().is_complex() {
                return both(test(&self.real())?, test(&self.imag())?).check().cloned();
            }
            if !self.dtype().is_float() {
                let finite = u64::from(op == "is_finite");
                return Ok(self.cast(DType::Bool).filled(*self.shape(), finite));
            }
            test(self)?.check().cloned()
        })
    }

    /// Whether its sign bit is set: it is below zero, -0, or NaN of that sign.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, -0.0, 0.0, -2.0])?;
    /// assert_eq!(a.signbit().to_vec::<bool>()?, [false, true, false, true]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn signbit(&self) -> Array {
        Array::build("signbit", &[("array", self)], || {
            if self.dtype().is_complex() {
                return Err(complex::refused("signbit", &[("array", self)]));
            }
            if !self.dtype().is_float() {
                return self.lt(0).check().cloned();
            }
            let one = constant::nearest(self.dtype(), Number::Integer(1));
            self.filled(*self.shape(), one).copysign(self).lt(0).check().cloned()
        })
    }
}

macro_rules! of_two {
    ($($(#[$doc:meta])* $name:ident = $op:ident,)*) => {
        /// Functions of two floats. Integers and booleans give `f32`.
        impl Array {$(
            $(#[$doc])*
            pub fn $name<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
                self.real_binary(stringify!($name), Binary::$op, other.into())
            }
        )*}
    };
}

of_two! {
    /// The length of the hypotenuse, `sqrt(a² + b²)`, without overflow on the way; infinite if either is.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [3.0f32, 3e38])?;
    /// assert_eq!(a.hypot(4).to_vec::<f32>()?, [5.0, 3e38]);
    /// # Ok::<(), Error>(())
    /// ```
    hypot = Hypot,
    /// With the sign of `other`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [3.0f32, -4.0])?;
    /// assert_eq!(a.copysign(-0.0).to_vec::<f32>()?, [-3.0, -4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    copysign = Copysign,
}

impl Array {
    /// The next number that the dtype has in the direction of `other`, which is of the same dtype. For
    /// `f32` and `f64`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, 0.0])?;
    /// assert_eq!(a.nextafter(2.0).to_vec::<f32>()?, [1.0 + f32::EPSILON, f32::from_bits(1)]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn nextafter<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
        const OP: &str = "nextafter";
        self.with(OP, other.into(), |a, b| {
            if !matches!(a.dtype(), DType::F32 | DType::F64) {
                let rule = format!("numbers are {}, but must be f32 or f64", a.dtype());
                return Err(Error::rule(OP, rule, &[("a", a), ("b", b)]));
            }
            zip(OP, MapOp::Binary(Binary::Nextafter), a, b, a.dtype())
        })
    }

    /// `log(exp(a) + exp(b))`, without overflow on the way.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1000.0f32, f32::NEG_INFINITY])?;
    /// let b = Array::new(&device, [1000.0f32, f32::NEG_INFINITY])?;
    /// assert_eq!(a.logaddexp(&b).to_vec::<f32>()?, [1000.0 + 2f32.ln(), f32::NEG_INFINITY]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn logaddexp<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
        const OP: &str = "logaddexp";
        self.with(OP, other.into(), |a, b| {
            if a.dtype().is_complex() {
                return Err(complex::refused(OP, &[("a", a), ("b", b)]));
            }
            let dtype = float_of(a.dtype());
            let (a, b) = (a.cast(dtype), b.cast(dtype));
            // Two equal infinities have no difference.
            let apart = Array::where_(&a.eq(&b), 0, &(&a - &b).abs());
            (a.maximum(&b) + (-apart).exp().log1p()).check().cloned()
        })
    }

    fn real_binary(&self, op: &'static str, binary: Binary, other: Operand<'_>) -> Array {
        self.with(op, other, |a, b| {
            if a.dtype().is_complex() {
                return Err(complex::refused(op, &[("a", a), ("b", b)]));
            }
            let dtype = float_of(a.dtype());
            zip(op, MapOp::Binary(binary), &a.cast(dtype), &b.cast(dtype), dtype)
        })
    }
}
