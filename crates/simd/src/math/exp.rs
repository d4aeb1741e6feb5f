//! Exponentials and what is made of them.

use super::poly;
use crate::Arch;

/// Adding this to a small number rounds it to a whole one, in the low bits of the sum.
const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23

/// ln 2 in two parts; products of the first with small whole numbers are exact.
const LN2: (f32, f32) = (0.693_359_4, -2.121_944_4e-4);

/// `(n, r)` with `hi + lo = n ln 2 + r`, `r` at most half of ln 2.
#[inline(always)]
fn reduce<A: Arch>(hi: f32, lo: f32) -> (i32, f32) {
    let shifted = A::fma(hi, std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = A::fma(n, -LN2.0, hi);
    let r = A::fma(n, -LN2.1, r) + lo;
    (whole(shifted), r)
}

/// The whole number in a sum with `ROUND`.
#[inline(always)]
fn whole(shifted: f32) -> i32 {
    (shifted.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32)
}

/// `exp(r) - 1` for a reduced argument.
#[inline(always)]
fn exp_m1_reduced<A: Arch>(r: f32) -> f32 {
    const C: [f32; 6] =
        [0.5, 0.166_666_67, 0.041_666_27, 0.008_333_265, 0.001_394_619, 0.000_199_179_73];
    A::fma(r * r, poly::<A, 6>(r, C), r)
}

/// 2 to the power `n`, which must be that of a normal number.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

/// `x * 2^n`, rounded once: in two steps, as 2^n may be too large or small itself.
#[inline(always)]
fn scale(x: f32, n: i32) -> f32 {
    let half = n >> 1;
    x * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// `x` limited to `low..=high`; NaN stays.
#[inline(always)]
fn limit(x: f32, low: f32, high: f32) -> f32 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// e to the power `hi + lo`, where `lo` is small and `hi` at most 88.
#[inline(always)]
pub(super) fn exp_sum<A: Arch>(hi: f32, lo: f32) -> f32 {
    // What no number is small enough for is not computed: underflow, which is how what is masked in a
    // softmax would end, takes some machines a hundred times as long.
    let nothing = hi < -104.0;
    let (n, r) = reduce::<A>(if nothing { 0.0 } else { limit(hi, -104.0, 89.0) }, lo);
    let power = scale(1.0 + exp_m1_reduced::<A>(r), n);
    if nothing { 0.0 } else { power }
}

/// `exp(x) - 1` up to 60; -1 where it rounds to that. The sign of zero is lost.
#[inline(always)]
pub(super) fn exp_m1<A: Arch>(x: f32) -> f32 {
    let (n, r) = reduce::<A>(limit(x, -20.0, 60.0), 0.0);
    let power = power_of_two(n);
    A::fma(power, exp_m1_reduced::<A>(r), power - 1.0)
}

/// e to the power `x`, within 1 ulp.
#[inline(always)]
pub fn exp<A: Arch>(x: f32) -> f32 {
    exp_sum::<A>(x, 0.0)
}

/// 2 to the power `x`, within 1 ulp.
#[inline(always)]
pub fn exp2<A: Arch>(x: f32) -> f32 {
    let x = limit(x, -151.0, 129.0);
    let shifted = x + ROUND;
    let r = (x - (shifted - ROUND)) * std::f32::consts::LN_2;
    scale(1.0 + exp_m1_reduced::<A>(r), whole(shifted))
}

/// The hyperbolic tangent, within 3 ulp.
#[inline(always)]
pub fn tanh<A: Arch>(x: f32) -> f32 {
    // (exp(2a) - 1) / (exp(2a) + 1), which is 1 from 10 on.
    let (n, r) = reduce::<A>(limit(2.0 * x.abs(), 0.0, 20.0), 0.0);
    let power = power_of_two(n);
    let exp_m1 = A::fma(power, exp_m1_reduced::<A>(r), power - 1.0);
    (exp_m1 / (exp_m1 + 2.0)).copysign(x)
}

/// `1 / (1 + exp(-(hi + lo)))`, where `lo` is small.
#[inline(always)]
fn sigmoid_sum<A: Arch>(hi: f32, lo: f32) -> f32 {
    let below = hi < 0.0;
    let e = exp_sum::<A>(-hi.abs(), if below { lo } else { -lo });
    let above = 1.0 / (1.0 + e);
    if below { e * above } else { above }
}

/// `1 / (1 + exp(-x))`, within 3 ulp.
#[inline(always)]
pub fn sigmoid<A: Arch>(x: f32) -> f32 {
    sigmoid_sum::<A>(x, 0.0)
}

/// `x * sigmoid(x)`, within 4 ulp.
#[inline(always)]
pub fn silu<A: Arch>(x: f32) -> f32 {
    let y = x * sigmoid::<A>(x);
    if x == f32::NEG_INFINITY { -0.0 } else { y }
}

/// `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2`, within 4 ulp.
#[inline(always)]
pub fn gelu_tanh<A: Arch>(x: f32) -> f32 {
    // x * sigmoid(inner), with inner in double precision: the exponential makes relative errors
    // of absolute ones.
    const TWICE: f64 = 1.595_769_121_605_730_7; // 2 sqrt(2 / pi)
    let wide = f64::from(x);
    let inner = TWICE * wide * (1.0 + 0.044_715 * wide * wide);
    let inner = if inner < -200.0 { -200.0 } else { inner };
    let inner = if inner > 200.0 { 200.0 } else { inner };
    let hi = inner as f32;
    let lo = (inner - f64::from(hi)) as f32;
    let y = x * sigmoid_sum::<A>(hi, lo);
    if x == f32::NEG_INFINITY { -0.0 } else { y }
}
