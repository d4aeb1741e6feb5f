//! Trigonometric functions.

use super::poly;
use crate::Arch;

/// The largest angle of [`sin`], [`cos`] and [`tan`]: beyond it the quarter turns in it are too
/// many to be counted in double precision.
pub const MAX_ANGLE: f32 = 1_000_000.0;

/// `(quarter turns, angle within an eighth turn)`.
#[inline(always)]
fn reduce(x: f32) -> (u32, f32) {
    // Quarter turns as a whole number in the low bits; pi / 2 in three parts, so that the
    // products are exact but for the last.
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    const QUARTER: [f64; 3] =
        [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];
    let x = f64::from(x);
    let shifted = x * std::f64::consts::FRAC_2_PI + ROUND;
    let n = shifted - ROUND;
    let r = ((x - n * QUARTER[0]) - n * QUARTER[1]) - n * QUARTER[2];
    (shifted.to_bits() as u32, r as f32)
}

#[inline(always)]
fn sin_cos_reduced<A: Arch>(r: f32) -> (f32, f32) {
    const S: [f32; 3] = [-0.166_666_55, 0.008_332_173, -0.000_195_166_56];
    const C: [f32; 3] = [0.041_666_646, -0.001_388_736_2, 2.443_773e-5];
    let square = r * r;
    let sin = A::fma(r * square, poly::<A, 3>(square, S), r);
    let cos = A::fma(square * square, poly::<A, 3>(square, C), A::fma(-0.5, square, 1.0));
    (sin, cos)
}

/// The sine of an angle moved by `quarters` quarter turns.
#[inline(always)]
fn turned<A: Arch>(x: f32, quarters: u32) -> f32 {
    let (n, r) = reduce(x);
    let n = n.wrapping_add(quarters);
    let (sin, cos) = sin_cos_reduced::<A>(r);
    let y = if n & 1 == 0 { sin } else { cos };
    f32::from_bits(y.to_bits() ^ (n & 2) << 30)
}

/// The sine of up to [`MAX_ANGLE`] radians either way, within 2 ulp.
#[inline(always)]
pub fn sin<A: Arch>(x: f32) -> f32 {
    turned::<A>(x, 0)
}

/// The cosine of up to [`MAX_ANGLE`] radians either way, within 2 ulp.
#[inline(always)]
pub fn cos<A: Arch>(x: f32) -> f32 {
    turned::<A>(x, 1)
}

/// The tangent of up to [`MAX_ANGLE`] radians either way, within 4 ulp.
#[inline(always)]
pub fn tan<A: Arch>(x: f32) -> f32 {
    let (n, r) = reduce(x);
    let (sin, cos) = sin_cos_reduced::<A>(r);
    let (above, below) = if n & 1 == 0 { (sin, cos) } else { (-cos, sin) };
    above / below
}

/// The angle whose sine is `x`, within 4 ulp; NaN beyond 1 either way.
#[inline(always)]
pub fn asin<A: Arch>(x: f32) -> f32 {
    atan2::<A>(x, ((1.0 - x) * (1.0 + x)).sqrt())
}

/// The angle whose cosine is `x`, within 4 ulp; NaN beyond 1 either way.
#[inline(always)]
pub fn acos<A: Arch>(x: f32) -> f32 {
    atan2::<A>(((1.0 - x) * (1.0 + x)).sqrt(), x)
}

/// The angle whose tangent is `x`, within 3 ulp.
#[inline(always)]
pub fn atan<A: Arch>(x: f32) -> f32 {
    atan2::<A>(x, 1.0)
}

/// The angle of the point `(x, y)`, within 3 ulp.
#[inline(always)]
pub fn atan2<A: Arch>(y: f32, x: f32) -> f32 {
    const C: [f32; 9] = [
        -0.333_333_02,
        0.199_986_38,
        -0.142_652_45,
        0.109_575_756,
        -0.084_194_58,
        0.058_234_517,
        -0.031_455_662,
        0.011_064_418,
        -0.001_827_207_3,
    ];
    const PI_LOW: f32 = -8.742_278e-8;
    let (ax, ay) = (x.abs(), y.abs());
    let (small, large) = if ax < ay { (ax, ay) } else { (ay, ax) };
    let ratio = small / large;
    let ratio = if large == 0.0 { 0.0 } else { ratio };
    let ratio = if small == f32::INFINITY { 1.0 } else { ratio };
    let square = ratio * ratio;
    let angle = A::fma(ratio * square, poly::<A, 9>(square, C), ratio);
    let angle = if ax < ay { (std::f32::consts::FRAC_PI_2 - angle) + PI_LOW / 2.0 } else { angle };
    let left = (std::f32::consts::PI - angle) + PI_LOW;
    let angle = if x.is_sign_negative() { left } else { angle };
    // NaN of either; the sum of two infinities is not looked at.
    let nan = x.is_nan() | y.is_nan();
    if nan { f32::NAN } else { angle.copysign(y) }
}
