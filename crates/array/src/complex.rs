//! Complex numbers: their parts, and arithmetic and functions in terms of those. All of it is made of
//! elementwise steps on real numbers, which become one program as others do.

use crate::{
    Array, Error, Result,
    build_map::{broadcast, zip},
    node::{Kind, MapOp},
};
use bessemer_core::DType::{self, Complex64, F32};
use bessemer_program::{Binary, Compare, Unary};
use smallvec::smallvec;

/// Complex numbers and their parts.
impl Array {
    /// Complex numbers of their real and imaginary parts, which are broadcast, and computed as `f32`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let re = Array::new(&device, [3.0f32, 0.0])?;
    /// let z = Array::complex(&re, &Array::new(&device, [4.0f32, -1.0])?);
    /// assert_eq!(z.to_string(), "[3.+4.j 0.-1.j]");
    /// assert_eq!(z.abs().to_vec::<f32>()?, [5.0, 1.0]);
    /// assert_eq!((&z * z.conj()).real().to_vec::<f32>()?, [25.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn complex(re: &Array, im: &Array) -> Array {
        let parts = [("re", re), ("im", im)];
        Array::build("complex", &parts, || {
            if let Some((name, part)) = parts.iter().find(|(_, part)| !part.fits_single()) {
                let rule = format!("{name} is {}, but must be real and no f64", part.dtype());
                return Err(Error::rule("complex", rule, &parts));
            }
            broadcast("complex", &parts)?;
            of(&re.cast(F32), &im.cast(F32))
        })
    }

    /// The real part; of real numbers all of it.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::Complex;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let z = Array::new(&device, [Complex::new(1.0f32, 2.0)])?;
    /// assert_eq!((z.real().item::<f32>()?, z.imag().item::<f32>()?), (1.0, 2.0));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn real(&self) -> Array {
        Array::build("real", &[("array", self)], || match self.dtype().is_complex() {
            true => Ok(parts(self)[0].clone()),
            false => Ok(self.clone()),
        })
    }

    /// The imaginary part; of real numbers zeros.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// assert_eq!(Array::new(&device, [1.5f32])?.imag().item::<f32>()?, 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn imag(&self) -> Array {
        Array::build("imag", &[("array", self)], || match self.dtype().is_complex() {
            true => Ok(parts(self)[1].clone()),
            false => Ok(self.filled(*self.shape(), 0)),
        })
    }

    /// With the imaginary part turned over; real numbers stay as they are.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::Complex;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let z = Array::new(&device, Complex::new(1.0f32, 2.0))?;
    /// assert_eq!(z.conj().item::<Complex<f32>>()?, Complex::new(1.0, -2.0));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn conj(&self) -> Array {
        Array::build("conj", &[("array", self)], || {
            if !self.dtype().is_complex() {
                return Ok(self.clone());
            }
            let [re, im] = parts(self);
            of(&re, &-im)
        })
    }

    /// The angle of complex numbers in radians: 0 or π for real ones.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::Complex;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let i = Array::new(&device, Complex::new(0.0f32, 1.0))?;
    /// assert_eq!(i.angle().item::<f32>()?, std::f32::consts::FRAC_PI_2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn angle(&self) -> Array {
        self.imag().atan2(&self.real())
    }

    fn fits_single(&self) -> bool {
        !self.dtype().is_complex() && self.dtype() != DType::F64
    }
}

/// Complex numbers of two arrays of `f32` that broadcast.
pub(crate) fn of(re: &Array, im: &Array) -> Result<Array> {
    zip("complex", MapOp::Complex, re, im, Complex64)
}

/// Both parts of an array of complex numbers.
pub(crate) fn parts(z: &Array) -> [Array; 2] {
    [MapOp::Real, MapOp::Imag]
        .map(|op| Array::lazy(F32, *z.shape(), Kind::Map(op), smallvec![z.clone()]))
}

/// What has no meaning for complex numbers.
pub(crate) fn refused(op: &'static str, arrays: &[(&str, &Array)]) -> Error {
    let rule =
        "complex numbers have no order and no such function; take `real()`, `imag()` or `abs()`";
    Error::rule(op, rule, arrays)
}

/// Arithmetic of two arrays of complex numbers.
pub(crate) fn arithmetic(op: &'static str, binary: Binary, a: &Array, b: &Array) -> Result<Array> {
    broadcast(op, &[("a", a), ("b", b)])?;
    let ([a_re, a_im], [b_re, b_im]) = (&parts(a), &parts(b));
    match binary {
        Binary::Add => of(&(a_re + b_re), &(a_im + b_im)),
        Binary::Sub => of(&(a_re - b_re), &(a_im - b_im)),
        Binary::Mul => of(&(a_re * b_re - a_im * b_im), &(a_re * b_im + a_im * b_re)),
        Binary::Div => quotient([a_re, a_im], [b_re, b_im]),
        Binary::Pow => power(op, a, b),
        _ => Err(refused(op, &[("a", a), ("b", b)])),
    }
}

/// By the larger part of the divisor first, as Smith does: no square of it overflows.
fn quotient([a, b]: [&Array; 2], [c, d]: [&Array; 2]) -> Result<Array> {
    let wide = c.abs().ge(&d.abs());
    let (large, small) = (Array::where_(&wide, c, d), Array::where_(&wide, d, c));
    // 0 / 0 is no number; but by 0 itself the quotient is infinite.
    let ratio = Array::where_(&large.eq(0), 0, &(&small / &large));
    let divisor = &large + &(&small * &ratio);
    let (first, second) = (Array::where_(&wide, a, b), Array::where_(&wide, b, a));
    let re = (&first + &second * &ratio) / &divisor;
    let im = (&second - &first * &ratio) / &divisor;
    of(&re, &Array::where_(&wide, &im, &-&im))
}

fn power(op: &'static str, a: &Array, b: &Array) -> Result<Array> {
    let log = function(op, Unary::Log, a)?;
    let power = function(op, Unary::Exp, &arithmetic(op, Binary::Mul, b, &log)?)?;
    let zero = Array::where_(&b.eq(0), 1, 0).cast(Complex64);
    Ok(Array::where_(&a.eq(0), &zero, &power))
}

/// Equality of two arrays of complex numbers.
pub(crate) fn compare(op: &'static str, compare: Compare, a: &Array, b: &Array) -> Result<Array> {
    broadcast(op, &[("a", a), ("b", b)])?;
    let ([a_re, a_im], [b_re, b_im]) = (&parts(a), &parts(b));
    match compare {
        Compare::Eq => Ok(a_re.eq(b_re).logical_and(&a_im.eq(b_im))),
        Compare::Ne => Ok(a_re.ne(b_re).logical_or(&a_im.ne(b_im))),
        _ => Err(refused(op, &[("a", a), ("b", b)])),
    }
}

/// Functions of complex numbers, on the usual branches.
pub(crate) fn function(op: &'static str, unary: Unary, z: &Array) -> Result<Array> {
    let [re, im] = &parts(z);
    match unary {
        Unary::Neg => of(&-re, &-im),
        Unary::Abs => Ok(size(re, im)),
        Unary::Sign => {
            let size = size(re, im);
            let zero = size.eq(0);
            let part = |x: &Array| Array::where_(&zero, 0, &(x / &size));
            of(&part(re), &part(im))
        }
        Unary::Recip => {
            let one = z.filled(*z.shape(), u64::from(1f32.to_bits()));
            arithmetic(op, Binary::Div, &one, z)
        }
        Unary::Log => of(&size(re, im).log(), &im.atan2(re)),
        Unary::Log2 => {
            const PER_E: f32 = std::f32::consts::LOG2_E;
            of(&size(re, im).log2(), &(im.atan2(re) * PER_E))
        }
        Unary::Sqrt => root(re, im),
        _ => match crate::complex_functions::function(unary, re, im) {
            Some(made) => made,
            None => Err(refused(op, &[("x", z)])),
        },
    }
}

/// The distance from zero, without squares that overflow.
pub(crate) fn size(re: &Array, im: &Array) -> Array {
    let (re, im) = (re.abs(), im.abs());
    let (large, small) = (re.maximum(&im), re.minimum(&im));
    let ratio = Array::where_(&large.eq(0), 0, &(&small / &large));
    let size = &large * (ratio.square() + 1.0).sqrt();
    // An infinite part is more than one that is no number.
    let infinite = re.eq(f32::INFINITY).logical_or(&im.eq(f32::INFINITY));
    Array::where_(&infinite, f32::INFINITY, &size)
}

/// The root in the right half of the plane.
pub(crate) fn root(re: &Array, im: &Array) -> Result<Array> {
    // Of half the size, so that the sum cannot overflow.
    let whole = (size(&(re * 0.5), &(im * 0.5)) + re.abs() * 0.5).sqrt();
    let zero = whole.eq(0);
    let other = im.abs() / (Array::where_(&zero, 1, &whole) * 2.0);
    let right = re.ge(0);
    let real = Array::where_(&right, &whole, &other);
    let imaginary = Array::where_(&right, &other, &whole);
    // Also below is what is no more than a sign.
    let below = im.lt(0).logical_or(&im.recip().eq(f32::NEG_INFINITY));
    of(&real, &Array::where_(&below, &-&imaginary, &imaginary))
}

/// The hyperbolic sine and cosine.
pub(crate) fn hyperbolic(x: &Array) -> [Array; 2] {
    let (up, down) = (x.exp(), (-x).exp());
    let square = x.square();
    // Near 0 the exponentials cancel.
    let near = x
        * ((&square * (1.0 / 5040.0) + 1.0 / 120.0) * &square * &square
            + &square * (1.0 / 6.0)
            + 1.0);
    let far = (&up - &down) * 0.5;
    [Array::where_(&x.abs().lt(0.5), &near, &far), (&up + &down) * 0.5]
}
