//! Functions that are `exp` and `log` near 0 and 1, where a sum with 1 would lose digits, and the
//! hyperbolic functions made of them.

use super::{exp, exp::exp_m1, log, log::log_parts};
use crate::Arch;

/// From here on hyperbolic functions are half of an exponential, and their inverses logarithms.
const FAR: f32 = 40.0;
/// From here on the square of a number plus 1 is the square.
const HUGE: f32 = 1e5;

/// `exp(x) - 1`, within 3 ulp.
#[inline(always)]
pub fn expm1<A: Arch>(x: f32) -> f32 {
    let near = exp_m1::<A>(x);
    let y = if x > FAR { exp::<A>(x) } else { near };
    if x.is_nan() { x } else { y.copysign(x) }
}

/// `log(1 + x)`, within 3 ulp.
#[inline(always)]
pub fn log1p<A: Arch>(x: f32) -> f32 {
    let u = 1.0 + x;
    // What rounding took from the sum.
    let lost = (x - (u - 1.0)) / u;
    let y = log::<A>(u);
    let y = if (u > 0.0) & (u < f32::INFINITY) { y + lost } else { y };
    if u.is_nan() {
        u
    } else if x > -1.0 {
        y.copysign(x)
    } else {
        y
    }
}

/// The logarithm to base 10, within 1 ulp.
#[inline(always)]
pub fn log10<A: Arch>(x: f32) -> f32 {
    let (e, high, low) = log_parts::<A>(x);
    let tens = f64::from(high) + f64::from(low);
    let y = f64::from(e) * std::f64::consts::LOG10_2 + tens * std::f64::consts::LOG10_E;
    super::log::special(x, y as f32)
}

/// The hyperbolic sine, within 4 ulp.
#[inline(always)]
pub fn sinh<A: Arch>(x: f32) -> f32 {
    let a = x.abs();
    let t = exp_m1::<A>(a);
    let near = 0.5 * (t + t / (t + 1.0));
    let y = if a > FAR { half_exp::<A>(a) } else { near };
    y.copysign(x)
}

/// The hyperbolic cosine, within 4 ulp.
#[inline(always)]
pub fn cosh<A: Arch>(x: f32) -> f32 {
    let a = x.abs();
    let t = exp::<A>(if a > FAR { FAR } else { a });
    let near = 0.5 * t + 0.5 / t;
    if a > FAR { half_exp::<A>(a) } else { near }
}

/// Half of an exponential that may be too large itself.
#[inline(always)]
fn half_exp<A: Arch>(a: f32) -> f32 {
    let root = exp::<A>(0.5 * a);
    0.5 * root * root
}

/// The inverse of the hyperbolic sine, within 4 ulp.
#[inline(always)]
pub fn asinh<A: Arch>(x: f32) -> f32 {
    let a = x.abs();
    let near = log1p::<A>(a + a * a / (1.0 + (1.0 + a * a).sqrt()));
    let y = if a > HUGE { log::<A>(a) + std::f32::consts::LN_2 } else { near };
    if x.is_nan() { x } else { y.copysign(x) }
}

/// The inverse of the hyperbolic cosine, within 4 ulp; NaN below 1.
#[inline(always)]
pub fn acosh<A: Arch>(x: f32) -> f32 {
    let t = x - 1.0;
    let near = log1p::<A>(t + (2.0 * t + t * t).sqrt());
    let y = if x > HUGE { log::<A>(x) + std::f32::consts::LN_2 } else { near };
    if x >= 1.0 { y } else { f32::NAN }
}

/// The inverse of the hyperbolic tangent, within 4 ulp; NaN beyond 1 either way.
#[inline(always)]
pub fn atanh<A: Arch>(x: f32) -> f32 {
    let a = x.abs();
    let y = 0.5 * log1p::<A>(2.0 * a / (1.0 - a));
    if a <= 1.0 { y.copysign(x) } else { f32::NAN }
}
