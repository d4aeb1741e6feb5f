//! More functions of complex numbers: hyperbolic functions, the inverses of all, those that are exact near 0,
//! and rounding. By Kahan's formulas ("Branch cuts for complex elementary functions", 1987), on his branches.

use crate::{
    Array, Result,
    complex::{hyperbolic, of, parts, root, size},
};
use bessemer_program::Unary;

/// What a function makes of `re + i im`, if it is one of these.
pub(crate) fn function(unary: Unary, re: &Array, im: &Array) -> Option<Result<Array>> {
    let turned = |made: Result<[Array; 2]>| made.and_then(|[p, q]| of(&q, &-p));
    Some(match unary {
        Unary::Sinh => {
            let [sinh, cosh] = hyperbolic(re);
            of(&(sinh * im.cos()), &(cosh * im.sin()))
        }
        Unary::Cosh => {
            let [sinh, cosh] = hyperbolic(re);
            of(&(cosh * im.cos()), &(sinh * im.sin()))
        }
        Unary::Asin => asin(re, im).and_then(|[p, q]| of(&p, &q)),
        Unary::Acos => acos(re, im),
        Unary::Atan => turned(atanh(&-im, re)),
        // asinh z = -i asin(iz)
        Unary::Asinh => turned(asin(&-im, re)),
        Unary::Acosh => acosh(re, im),
        Unary::Atanh => atanh(re, im).and_then(|[p, q]| of(&p, &q)),
        Unary::Expm1 => {
            let half = (im * 0.5).sin();
            of(&(re.expm1() * im.cos() - half.square() * 2.0), &(re.exp() * im.sin()))
        }
        Unary::Log1p => {
            // |1 + z|² less 1
            let more = re * &(re + 2.0) + im.square();
            let near = more.log1p() * 0.5;
            let far = size(&(re + 1.0), im).log();
            let large = re.abs().maximum(&im.abs()).gt(1e9);
            of(&Array::where_(&large, &far, &near), &im.atan2(&(re + 1.0)))
        }
        Unary::Round => of(&re.round(), &im.round()),
        Unary::Log10 => of(&size(re, im).log10(), &(im.atan2(re) * std::f32::consts::LOG10_E)),
        _ => return None,
    })
}

/// The roots of `1 - z` and `1 + z`.
fn roots(re: &Array, im: &Array) -> Result<[[Array; 2]; 2]> {
    Ok([parts(&root(&(1.0 - re), &-im)?), parts(&root(&(re + 1.0), im)?)])
}

fn asin(re: &Array, im: &Array) -> Result<[Array; 2]> {
    let [[a, b], [c, d]] = roots(re, im)?;
    // The real part of the product of both, and the imaginary part with the first conjugated.
    let product = &a * &c - &b * &d;
    Ok([re.atan2(&product), (&a * &d - &b * &c).asinh()])
}

fn acos(re: &Array, im: &Array) -> Result<Array> {
    let [[a, b], [c, d]] = roots(re, im)?;
    of(&(a.atan2(&c) * 2.0), &(&c * &b - &d * &a).asinh())
}

fn acosh(re: &Array, im: &Array) -> Result<Array> {
    let [a, b] = parts(&root(&(re - 1.0), im)?);
    let [c, d] = parts(&root(&(re + 1.0), im)?);
    of(&(&a * &c + &b * &d).asinh(), &(b.atan2(&c) * 2.0))
}

fn atanh(re: &Array, im: &Array) -> Result<[Array; 2]> {
    let square = im.square();
    let below = (1.0 - re).square() + &square;
    let real = (re * 4.0 / below).log1p() * 0.25;
    let imaginary = (im * 2.0).atan2(&((1.0 - re) * (re + 1.0) - square)) * 0.5;
    Ok([real, imaginary])
}
