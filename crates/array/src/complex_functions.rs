//! More functions of complex numbers: hyperbolic functions, the inverses of all, those that are exact near 0,
//! and rounding. By Kahan's formulas ("Branch cuts for complex elementary functions", 1987), on his branches.
//! Infinite parts and NaN give what the array API standard says, which follows annex G of C99.

use crate::{
    Array, Result,
    complex::{hyperbolic, of, parts, root, size},
};
use bessemer_program::Unary;
use std::f32::consts::FRAC_PI_2;

/// What a function makes of `re + i im`, if it is one of these.
pub(crate) fn function(unary: Unary, re: &Array, im: &Array) -> Option<Result<Array>> {
    let turned = |made: Result<[Array; 2]>| made.and_then(|[p, q]| of(&q, &-p));
    Some(match unary {
        Unary::Exp => exp(re, im).and_then(|[p, q]| of(&p, &q)),
        Unary::Sinh => sinh(re, im).and_then(|[p, q]| of(&p, &q)),
        Unary::Cosh => cosh(re, im),
        Unary::Tanh => tanh(re, im).and_then(|[p, q]| of(&p, &q)),
        // sin z = -i sinh(iz), and so on.
        Unary::Sin => turned(sinh(&-im, re)),
        Unary::Cos => cosh(&-im, re),
        Unary::Tan => turned(tanh(&-im, re)),
        Unary::Asin => asin(re, im).and_then(|[p, q]| of(&p, &q)),
        Unary::Acos => acos(re, im),
        Unary::Atan => turned(atanh(&-im, re)),
        // asinh z = -i asin(iz)
        Unary::Asinh => turned(asin(&-im, re)),
        Unary::Acosh => acosh(re, im),
        Unary::Atanh => atanh(re, im).and_then(|[p, q]| of(&p, &q)),
        Unary::Expm1 => {
            let Angle { cos, lost, .. } = Angle::new(re, im, &re.is_inf());
            let half = Array::where_(&lost, 0, &(im * 0.5).sin());
            let p = re.expm1() * cos - half.square() * 2.0;
            // Zeros are positive.
            exp(re, im).and_then(|[_, q]| of(&Array::where_(&p.eq(0), 0, &p), &q))
        }
        Unary::Log1p => {
            // |1 + z|² less 1
            let more = re * &(re + 2.0) + im.square();
            let near = more.log1p() * 0.5;
            let far = size(&(re + 1.0), im).log();
            let large = re.abs().gt(1e9).logical_or(&im.abs().gt(1e9));
            of(&Array::where_(&large, &far, &near), &im.atan2(&(re + 1.0)))
        }
        Unary::Round => of(&re.round(), &im.round()),
        Unary::Log10 => of(&size(re, im).log10(), &(im.atan2(re) * std::f32::consts::LOG10_E)),
        _ => return None,
    })
}

/// The cosine and the sine of an imaginary part.
struct Angle {
    /// 1 where the angle is not known, but does not matter.
    cos: Array,
    sin: Array,
    /// Where that is.
    lost: Array,
}

impl Angle {
    /// `certain` says for which `re` an unknown angle does not matter.
    fn new(re: &Array, im: &Array, certain: &Array) -> Angle {
        let lost = certain.logical_and(&im.is_finite().logical_not());
        let below = lost.logical_and(&re.lt(0));
        let (cos, sin) = (Array::where_(&lost, 1, &im.cos()), Array::where_(&below, 1, &im.sin()));
        Angle { cos, sin, lost }
    }
}

fn exp(re: &Array, im: &Array) -> Result<[Array; 2]> {
    let (scale, Angle { cos, sin, .. }) = (re.exp(), Angle::new(re, im, &re.is_inf()));
    // Nothing turned is nothing, however large the scale.
    let straight = im.eq(0);
    let (p, q) = (&scale * cos, &scale * sin);
    Ok([Array::where_(&straight, &scale, &p), Array::where_(&straight, im, &q)])
}

fn sinh(re: &Array, im: &Array) -> Result<[Array; 2]> {
    let [sinh, cosh] = hyperbolic(re);
    let certain = re.is_inf().logical_or(&re.eq(0));
    let Angle { cos, .. } = Angle::new(re, im, &certain);
    let q = cosh * im.sin();
    Ok([sinh * cos, Array::where_(&im.eq(0), im, &q)])
}

fn cosh(re: &Array, im: &Array) -> Result<Array> {
    let [sinh, cosh] = hyperbolic(re);
    let Angle { cos, .. } = Angle::new(re, im, &re.is_inf());
    // 0 times what is not finite is 0 here.
    let straight = im.eq(0).logical_and(&re.is_finite().logical_not());
    let middle = re.eq(0).logical_and(&im.is_finite().logical_not());
    let sided = Array::where_(&re.lt(0), &-im, im);
    let q = Array::where_(&middle, re, &(sinh * im.sin()));
    of(&(cosh * cos), &Array::where_(&straight, &sided, &q))
}

fn tanh(x: &Array, y: &Array) -> Result<[Array; 2]> {
    let (x2, y2) = (x * 2.0, y * 2.0);
    let far = x.abs().gt(15);
    let bounded = Array::where_(&far, 0, &x2);
    let [sinh, cosh] = hyperbolic(&bounded);
    let below = cosh + y2.cos();
    let real = Array::where_(&far, &x.sign(), &(sinh / &below));
    let imaginary =
        Array::where_(&far, &(y2.sin() * (x.abs() * -2.0).exp() * 4.0), &(y2.sin() / &below));
    let lost = y.is_finite().logical_not();
    let unknown = lost.logical_and(&x.is_finite());
    let real = Array::where_(&unknown, &Array::where_(&x.eq(0), x, f32::NAN), &real);
    let imaginary = Array::where_(&lost.logical_and(&x.is_inf()), 0, &imaginary);
    Ok([real, Array::where_(&y.eq(0), y, &imaginary)])
}

/// Where either part is infinite.
fn infinite(re: &Array, im: &Array) -> Array {
    re.is_inf().logical_or(&im.is_inf())
}

/// The roots of `1 - z` and `1 + z`.
fn roots(re: &Array, im: &Array) -> Result<[[Array; 2]; 2]> {
    Ok([parts(&root(&(1.0 - re), &-im)?), parts(&root(&(re + 1.0), im)?)])
}

fn asin(re: &Array, im: &Array) -> Result<[Array; 2]> {
    let [[a, b], [c, d]] = roots(re, im)?;
    // The real part of the product of both, and the imaginary part with the first conjugated.
    let product = &a * &c - &b * &d;
    let far = infinite(re, im);
    let p = Array::where_(&far, &re.atan2(&im.abs()), &re.atan2(&product));
    let endless = im.filled_as(f32::INFINITY).copysign(im);
    let q = Array::where_(&far, &endless, &(&a * &d - &b * &c).asinh());
    Ok([Array::where_(&re.eq(0), re, &p), q])
}

fn acos(re: &Array, im: &Array) -> Result<Array> {
    let [[a, b], [c, d]] = roots(re, im)?;
    let far = infinite(re, im);
    let p = Array::where_(&far, &im.abs().atan2(re), &(a.atan2(&c) * 2.0));
    let middle = re.eq(0).logical_and(&im.is_nan());
    let endless = -im.filled_as(f32::INFINITY).copysign(im);
    let q = Array::where_(&far, &endless, &(&c * &b - &d * &a).asinh());
    of(&Array::where_(&middle, FRAC_PI_2, &p), &q)
}

fn acosh(re: &Array, im: &Array) -> Result<Array> {
    let [a, b] = parts(&root(&(re - 1.0), im)?);
    let [c, d] = parts(&root(&(re + 1.0), im)?);
    let far = infinite(re, im);
    let p = Array::where_(&far, f32::INFINITY, &(&a * &c + &b * &d).asinh());
    let q = Array::where_(&far, &im.atan2(re), &(b.atan2(&c) * 2.0));
    let middle = re.eq(0).logical_and(&im.is_nan());
    of(&p, &Array::where_(&middle, FRAC_PI_2, &q))
}

fn atanh(re: &Array, im: &Array) -> Result<[Array; 2]> {
    let square = im.square();
    let below = (1.0 - re).square() + &square;
    let real = (re * 4.0 / below).log1p() * 0.25;
    let imaginary = (im * 2.0).atan2(&((1.0 - re) * (re + 1.0) - square)) * 0.5;
    let far = infinite(re, im);
    let quarter = im.filled_as(FRAC_PI_2).copysign(im);
    let quarter = Array::where_(&im.is_nan(), im, &quarter);
    let middle = re.eq(0).logical_and(&im.is_nan());
    let real = Array::where_(&far, &re.filled_as(0.0).copysign(re), &real);
    Ok([Array::where_(&middle, re, &real), Array::where_(&far, &quarter, &imaginary)])
}

impl Array {
    /// This number for each element of an array of `f32`.
    fn filled_as(&self, value: f32) -> Array {
        self.filled(*self.shape(), value.to_bits().into())
    }
}
