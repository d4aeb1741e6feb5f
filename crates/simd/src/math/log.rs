//! Logarithms.

use super::poly;
use crate::Arch;

/// `(e, f)` with `x = 2^e (1 + f)`, `1 + f` between sqrt(1/2) and sqrt(2); for positive finite x.
#[inline(always)]
fn split(x: f32) -> (f32, f32) {
    // Subnormals are made normal first.
    let small = x < f32::MIN_POSITIVE;
    let bits = if small { x * 8_388_608.0 } else { x }.to_bits() as i32;
    let e = bits.wrapping_sub(std::f32::consts::FRAC_1_SQRT_2.to_bits() as i32) >> 23;
    let f = f32::from_bits(bits.wrapping_sub(e << 23) as u32) - 1.0;
    let e = if small { e - 23 } else { e };
    (e as f32, f)
}

/// `ln(1 + f) - f + f²/2`.
#[inline(always)]
fn tail<A: Arch>(f: f32) -> f32 {
    const C: [f32; 9] = [
        0.333_333_13,
        -0.250_000_1,
        0.200_021_24,
        -0.166_680_05,
        0.142_194_51,
        -0.124_053_426,
        0.118_887_09,
        -0.116_775_05,
        0.067_476_92,
    ];
    f * f * f * poly::<A, 9>(f, C)
}

/// `y`, or what a logarithm is where it is no number: of 0, of negative numbers, of infinity.
#[inline(always)]
pub(super) fn special(x: f32, y: f32) -> f32 {
    let y = if x == f32::INFINITY { x } else { y };
    let y = if x == 0.0 { f32::NEG_INFINITY } else { y };
    // NaN too.
    if x >= 0.0 { y } else { f32::NAN }
}

/// The natural logarithm, within 1 ulp.
#[inline(always)]
pub fn log<A: Arch>(x: f32) -> f32 {
    let (e, f) = split(x);
    let y = A::fma(e, -2.121_944_4e-4, tail::<A>(f));
    let y = A::fma(-0.5 * f, f, y);
    special(x, A::fma(e, 0.693_359_4, f + y))
}

/// `(e, high, low)` with `log(x) = e ln 2 + high + low`, for positive finite x.
#[inline(always)]
pub(super) fn log_parts<A: Arch>(x: f32) -> (f32, f32, f32) {
    let (e, f) = split(x);
    let y = A::fma(-0.5 * f, f, tail::<A>(f));
    (e, f + y, y - ((f + y) - f))
}

/// The logarithm to base 2, within 2 ulp.
#[inline(always)]
pub fn log2<A: Arch>(x: f32) -> f32 {
    const LOG2_E: (f32, f32) = (std::f32::consts::LOG2_E, 1.925_963e-8);
    let (e, high, low) = log_parts::<A>(x);
    let rest = A::fma(low, LOG2_E.0, high * LOG2_E.1);
    special(x, A::fma(high, LOG2_E.0, rest) + e)
}
