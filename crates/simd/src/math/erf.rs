//! The error function and the normal distribution.

use super::{exp::exp_sum, poly};
use crate::Arch;

/// The share of a normal distribution beyond `y` deviations, for y from 0 to 14.5, given
/// `-y²/2` in two parts.
#[inline(always)]
fn beyond<A: Arch>(y: f32, (hi, lo): (f32, f32)) -> f32 {
    const C: [f32; 10] = [
        0.119_686_69,
        0.119_571_805,
        0.110_235_5,
        0.078_389_31,
        0.096_157_86,
        -0.079_425_454,
        0.191_786_94,
        -0.228_215_44,
        0.112_436_41,
        -0.020_623_617,
    ];
    let t = 1.0 / A::fma(0.3, y, 1.0);
    t * poly::<A, 10>(t, C) * exp_sum::<A>(hi, lo)
}

/// The error function up to 1 either way.
#[inline(always)]
fn near<A: Arch>(x: f32) -> f32 {
    const C: [f32; 8] = [
        std::f32::consts::FRAC_2_SQRT_PI,
        -0.376_126_38,
        0.112_837_82,
        -0.026_865_4,
        0.005_220_946,
        -0.000_848_283_8,
        0.000_112_570_09,
        -9.641_678e-6,
    ];
    x * poly::<A, 8>(x * x, C)
}

/// The error function, within 3 ulp.
#[inline(always)]
pub fn erf<A: Arch>(x: f32) -> f32 {
    // From 4 on it is 1.
    let a = if x.abs() > 4.0 { 4.0 } else { x.abs() };
    let share = beyond::<A>(a * std::f32::consts::SQRT_2, (-a * a, 0.0));
    let far = A::fma(-2.0, share, 1.0);
    if a < 1.0 { near::<A>(x) } else { far.copysign(x) }
}

/// `x * (1 + erf(x / sqrt(2))) / 2`, within 6 ulp.
#[inline(always)]
pub fn gelu<A: Arch>(x: f32) -> f32 {
    let y = x.abs();
    // The square exactly, in two parts: the exponential makes relative errors of absolute ones.
    let top = f32::from_bits(y.to_bits() & 0xffff_f000);
    let square = (-0.5 * (top * top), -0.5 * ((y - top) * (y + top)));
    let below = x * beyond::<A>(y, square);
    let far = if x > 0.0 { x - below } else { below };
    let half = 0.5 * x;
    let middle = A::fma(half, near::<A>(x * std::f32::consts::FRAC_1_SQRT_2), half);
    let inside = if y < 1.0 { middle } else { far };
    let outside = if x > 0.0 { x } else { -0.0 };
    if y > 14.5 { outside } else { inside }
}
