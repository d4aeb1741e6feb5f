//! Functions of each element. The operators of Rust are in `operators`, comparisons in `compare`;
//! `build_map` turns all of them into nodes.

use crate::{Array, Error, Operand};
use bessemer_core::DType;
use bessemer_program::{Binary, Unary};

macro_rules! real_functions {
    ($($(#[$doc:meta])* $name:ident = $op:ident,)*) => {
        /// Functions of numbers. Floats keep their dtype; integers and booleans give `f32`. Those that have a
        /// meaning for complex numbers take them too.
        impl Array {$(
            $(#[$doc])*
            pub fn $name(&self) -> Array {
                self.function(stringify!($name), Unary::$op)
            }
        )*}
    };
}

real_functions! {
    /// The square root; NaN below 0.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0, 4, 9])?;
    /// assert_eq!(a.sqrt().to_vec::<f32>()?, [0.0, 2.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    sqrt = Sqrt,
    /// `1 / sqrt(x)`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, 4.0, 16.0])?;
    /// assert_eq!(a.rsqrt().to_vec::<f32>()?, [1.0, 0.5, 0.25]);
    /// # Ok::<(), Error>(())
    /// ```
    rsqrt = Rsqrt,
    /// `1 / x`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [2.0f32, -4.0, 0.0])?;
    /// assert_eq!(a.recip().to_vec::<f32>()?, [0.5, -0.25, f32::INFINITY]);
    /// # Ok::<(), Error>(())
    /// ```
    recip = Recip,
    /// e to the power x.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.0f32, 1.0, f32::NEG_INFINITY])?;
    /// assert_eq!(a.exp().to_vec::<f32>()?, [1.0, std::f32::consts::E, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    exp = Exp,
    /// 2 to the power x.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [-1, 0, 10])?;
    /// assert_eq!(a.exp2().to_vec::<f32>()?, [0.5, 1.0, 1024.0]);
    /// # Ok::<(), Error>(())
    /// ```
    exp2 = Exp2,
    /// The natural logarithm; NaN below 0, -inf at 0.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, 0.0, -1.0])?;
    /// assert_eq!(a.log().to_string(), "[  0. -inf  nan]");
    /// # Ok::<(), Error>(())
    /// ```
    log = Log,
    /// The logarithm to base 2.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, 8.0, 0.25])?;
    /// assert_eq!(a.log2().to_vec::<f32>()?, [0.0, 3.0, -2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    log2 = Log2,
    /// The sine of radians.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// use std::f32::consts::FRAC_PI_2;
    ///
    /// let a = Array::new(&device, [0.0f32, FRAC_PI_2, -FRAC_PI_2])?;
    /// assert_eq!(a.sin().to_vec::<f32>()?, [0.0, 1.0, -1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    sin = Sin,
    /// The cosine of radians.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.0f32, std::f32::consts::PI])?;
    /// assert_eq!(a.cos().to_vec::<f32>()?, [1.0, -1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    cos = Cos,
    /// The tangent of radians.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::linspace(&device, -1, 1, 9);
    /// let error = (a.tan() - a.sin() / a.cos()).abs().max_all();
    /// assert!(error.item::<f32>()? < 1e-6);
    /// # Ok::<(), Error>(())
    /// ```
    tan = Tan,
    /// The hyperbolic tangent.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.0f32, 100.0, -100.0])?;
    /// assert_eq!(a.tanh().to_vec::<f32>()?, [0.0, 1.0, -1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    tanh = Tanh,
    /// The angle whose sine it is, in radians; NaN beyond 1 either way.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.0f32, 1.0, 2.0])?;
    /// assert_eq!(a.asin().to_string(), "[0.        1.5707964       nan]");
    /// # Ok::<(), Error>(())
    /// ```
    asin = Asin,
    /// The angle whose cosine it is, in radians; NaN beyond 1 either way.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, 0.0])?;
    /// assert_eq!(a.acos().to_vec::<f32>()?, [0.0, std::f32::consts::FRAC_PI_2]);
    /// # Ok::<(), Error>(())
    /// ```
    acos = Acos,
    /// The angle whose tangent it is, in radians.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.0f32, f32::INFINITY])?;
    /// assert_eq!(a.atan().to_vec::<f32>()?, [0.0, std::f32::consts::FRAC_PI_2]);
    /// # Ok::<(), Error>(())
    /// ```
    atan = Atan,
    /// The hyperbolic sine.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.0f32, -1e-20, f32::INFINITY])?;
    /// assert_eq!(a.sinh().to_vec::<f32>()?, [0.0, -1e-20, f32::INFINITY]);
    /// # Ok::<(), Error>(())
    /// ```
    sinh = Sinh,
    /// The hyperbolic cosine.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.0f32, f32::NEG_INFINITY])?;
    /// assert_eq!(a.cosh().to_vec::<f32>()?, [1.0, f32::INFINITY]);
    /// # Ok::<(), Error>(())
    /// ```
    cosh = Cosh,
    /// The inverse of the hyperbolic sine.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.0f32, 1e-20])?;
    /// assert_eq!(a.asinh().to_vec::<f32>()?, [0.0, 1e-20]);
    /// # Ok::<(), Error>(())
    /// ```
    asinh = Asinh,
    /// The inverse of the hyperbolic cosine; NaN below 1.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, 0.5])?;
    /// assert_eq!(a.acosh().to_string(), "[ 0. nan]");
    /// # Ok::<(), Error>(())
    /// ```
    acosh = Acosh,
    /// The inverse of the hyperbolic tangent; infinite at 1, NaN beyond.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.0f32, -1.0, 2.0])?;
    /// assert_eq!(a.atanh().to_string(), "[  0. -inf  nan]");
    /// # Ok::<(), Error>(())
    /// ```
    atanh = Atanh,
    /// `exp(x) - 1`, exact near 0.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.0f32, 1e-10, f32::NEG_INFINITY])?;
    /// assert_eq!(a.expm1().to_vec::<f32>()?, [0.0, 1e-10, -1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    expm1 = Expm1,
    /// `log(1 + x)`, exact near 0; -inf at -1, NaN below.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.0f32, 1e-10, -1.0])?;
    /// assert_eq!(a.log1p().to_vec::<f32>()?, [0.0, 1e-10, f32::NEG_INFINITY]);
    /// # Ok::<(), Error>(())
    /// ```
    log1p = Log1p,
    /// The logarithm to base 10.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1, 10, 1000])?;
    /// assert_eq!(a.log10().to_vec::<f32>()?, [0.0, 1.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    log10 = Log10,
    /// `1 / (1 + exp(-x))`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.0f32, 100.0, f32::NEG_INFINITY])?;
    /// assert_eq!(a.sigmoid().to_vec::<f32>()?, [0.5, 1.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    sigmoid = Sigmoid,
    /// `x * sigmoid(x)`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.0f32, 100.0])?;
    /// assert_eq!(a.silu().to_vec::<f32>()?, [0.0, 100.0]);
    /// assert_eq!(a.silu().to_vec::<f32>()?, (&a * a.sigmoid()).to_vec::<f32>()?);
    /// # Ok::<(), Error>(())
    /// ```
    silu = Silu,
    /// `x * (1 + erf(x / sqrt(2))) / 2`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [-100.0f32, 0.0, 100.0])?;
    /// assert_eq!(a.gelu().abs().to_vec::<f32>()?, [0.0, 0.0, 100.0]);
    /// # Ok::<(), Error>(())
    /// ```
    gelu = Gelu,
    /// `gelu` by its usual approximation with `tanh`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::linspace(&device, -4, 4, 33);
    /// let error = (a.gelu_tanh() - a.gelu()).abs().max_all();
    /// assert!(error.item::<f32>()? < 1e-3);
    /// # Ok::<(), Error>(())
    /// ```
    gelu_tanh = GeluTanh,
    /// The error function.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.0f32, 10.0, -10.0])?;
    /// assert_eq!(a.erf().to_vec::<f32>()?, [0.0, 1.0, -1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    erf = Erf,
}

/// Functions that keep the dtype.
impl Array {
    /// Without its sign. The least signed integer stays as it is. Of complex numbers the distance from
    /// zero, as `f32`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [-2, 0, 3])?;
    /// assert_eq!(a.abs().to_vec::<i32>()?, [2, 0, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn abs(&self) -> Array {
        match self.dtype() {
            dtype if dtype.is_unsigned_integer() || dtype == DType::Bool => self.clone(),
            _ => self.same("abs", Unary::Abs),
        }
    }

    /// -1, 0 or 1; NaN stays NaN. Of complex numbers `z / abs(z)`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [-2.5f32, 0.0, 3.0])?;
    /// assert_eq!(a.sign().to_vec::<f32>()?, [-1.0, 0.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn sign(&self) -> Array {
        match self.dtype() {
            dtype if dtype.is_unsigned_integer() => self.minimum(1),
            DType::Bool => self.clone(),
            // By the standard the sign of -0 is 0, not -0.
            dtype if dtype.is_float() => {
                Array::where_(&self.eq(0), 0, &self.same("sign", Unary::Sign))
            }
            _ => self.same("sign", Unary::Sign),
        }
    }

    /// The nearest whole number below.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.7f32, -1.2])?;
    /// assert_eq!(a.floor().to_vec::<f32>()?, [1.0, -2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn floor(&self) -> Array {
        self.whole_number("floor", Unary::Floor)
    }

    /// The nearest whole number above.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.2f32, -1.7])?;
    /// assert_eq!(a.ceil().to_vec::<f32>()?, [2.0, -1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn ceil(&self) -> Array {
        self.whole_number("ceil", Unary::Ceil)
    }

    /// The nearest whole number, the even one of two.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.5f32, 1.5, 2.5, -1.7])?;
    /// assert_eq!(a.round().to_vec::<f32>()?, [0.0, 2.0, 2.0, -2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn round(&self) -> Array {
        self.whole_number("round", Unary::Round)
    }

    /// The nearest whole number towards zero.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.7f32, -1.7])?;
    /// assert_eq!(a.trunc().to_vec::<f32>()?, [1.0, -1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn trunc(&self) -> Array {
        self.whole_number("trunc", Unary::Trunc)
    }

    /// `max(x, 0)`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [-1.5f32, 0.0, 2.0])?;
    /// assert_eq!(a.relu().to_vec::<f32>()?, [0.0, 0.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn relu(&self) -> Array {
        self.maximum(0)
    }

    /// `x * x`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [3.0f32, 4.0])?;
    /// assert_eq!(a.square().sum_all().sqrt().item::<f32>()?, 5.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn square(&self) -> Array {
        self.binary("square", Binary::Mul, self)
    }

    /// Whether it is NaN.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, f32::NAN, f32::INFINITY])?;
    /// assert_eq!(a.is_nan().to_vec::<bool>()?, [false, true, false]);
    /// assert_eq!(Array::where_(&a.is_nan(), 0, &a).to_string(), "[ 1.  0. inf]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn is_nan(&self) -> Array {
        self.ne(self)
    }
}

/// Functions of two arrays, or of an array and a number.
impl Array {
    /// The smaller of both; NaN if either is.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1, 5, 3])?;
    /// let b = Array::new(&device, [4, 2, 3])?;
    /// assert_eq!(a.minimum(&b).to_vec::<i32>()?, [1, 2, 3]);
    /// assert_eq!(a.minimum(2).to_vec::<i32>()?, [1, 2, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn minimum<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
        self.binary("minimum", Binary::Min, other)
    }

    /// The larger of both; NaN if either is.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, f32::NAN, 3.0])?;
    /// assert_eq!(a.maximum(2).to_string(), "[ 2. nan  3.]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn maximum<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
        self.binary("maximum", Binary::Max, other)
    }

    /// The angle of the point (`other`, `self`) in radians. Integers and booleans give `f32`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// use std::f32::consts::{FRAC_PI_2, PI};
    ///
    /// let y = Array::new(&device, [0.0f32, 1.0, 0.0])?;
    /// let x = Array::new(&device, [1.0f32, 0.0, -1.0])?;
    /// assert_eq!(y.atan2(&x).to_vec::<f32>()?, [0.0, FRAC_PI_2, PI]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn atan2<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
        self.float_binary("atan2", Binary::Atan2, other)
    }

    /// At least `low` and at most `high`; `high` where they cross.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// assert_eq!(Array::arange(&device, 0, 6, 1).clamp(1, 4).to_string(), "[1 1 2 3 4 4]");
    /// ```
    pub fn clamp<'a, 'b>(
        &self,
        low: impl Into<Operand<'a>>,
        high: impl Into<Operand<'b>>,
    ) -> Array {
        self.maximum(low).minimum(high)
    }

    /// The nearest value of another dtype.
    ///
    /// * float to float rounds to even; too large becomes infinite;
    /// * float to integer truncates towards zero and saturates; NaN becomes 0;
    /// * integer to integer keeps the lowest bits;
    /// * to bool: whether it is not 0 (NaN is true); from bool: 0 or 1.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [-1.5f32, 2.7, 300.0, f32::NAN])?;
    /// assert_eq!(a.astype(DType::U8).to_vec::<u8>()?, [0, 2, 255, 0]);
    /// assert_eq!(a.astype(DType::I32).astype(DType::U8).to_vec::<u8>()?, [255, 2, 44, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn astype(&self, dtype: DType) -> Array {
        Array::build("astype", &[("array", self)], || {
            if dtype.is_block() {
                let rule = format!("arrays cannot be {dtype}, a quantised format; use `quantize`");
                return Err(Error::rule("astype", rule, &[("array", self)]));
            }
            if self.dtype().is_complex() && !dtype.is_complex() && dtype != DType::Bool {
                let rule = format!("complex numbers are not {dtype}; take `real()` or `abs()`");
                return Err(Error::rule("astype", rule, &[("array", self)]));
            }
            Ok(self.cast(dtype))
        })
    }
}
