//! Powers, by way of double precision.

/// `x` to the power `y`, within 1 ulp; special cases as in IEEE 754.
#[inline(always)]
pub fn pow(x: f32, y: f32) -> f32 {
    let (base, power) = (x.abs(), f64::from(y));
    let size = exp2(power * log2(f64::from(base))) as f32;
    // Where the product above has no limit.
    let zero_or_inf = (base == 0.0) | (base == f32::INFINITY);
    let grows = (base == 0.0) == (y < 0.0);
    let size = if zero_or_inf { if grows { f32::INFINITY } else { 0.0 } } else { size };
    let nan = x.is_nan() | y.is_nan();
    let size = if nan { f32::NAN } else { size };
    let one = (y == 0.0) | (x == 1.0) | ((base == 1.0) & (y.abs() == f32::INFINITY));
    let size = if one { 1.0 } else { size };
    // Negative bases need whole powers, and odd ones keep the sign. Large floats are even.
    let whole = y == y.trunc();
    let odd = whole & (y.abs() < 16_777_216.0) & (y * 0.5 != (y * 0.5).trunc());
    let size = if (x < 0.0) & !whole & (base != f32::INFINITY) & !nan { f32::NAN } else { size };
    if x.is_sign_negative() & odd { -size } else { size }
}

/// The logarithm to base 2 of a normal number.
#[inline(always)]
fn log2(x: f64) -> f64 {
    let bits = x.to_bits() as i64;
    let e = bits.wrapping_sub(std::f64::consts::FRAC_1_SQRT_2.to_bits() as i64) >> 52;
    let m = f64::from_bits(bits.wrapping_sub(e << 52) as u64);
    // 2 artanh(s): its series, which is short as s is at most 0.172.
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let series = 1.0 / 15.0;
    let series = series * z + 1.0 / 13.0;
    let series = series * z + 1.0 / 11.0;
    let series = series * z + 1.0 / 9.0;
    let series = series * z + 1.0 / 7.0;
    let series = series * z + 1.0 / 5.0;
    let series = series * z + 1.0 / 3.0;
    let series = series * z + 1.0;
    e as i32 as f64 + 2.0 * std::f64::consts::LOG2_E * s * series
}

/// 2 to the power `x`; beyond what singles hold, any number that is as far beyond.
#[inline(always)]
fn exp2(x: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    let x = if x < -200.0 { -200.0 } else { x };
    let x = if x > 200.0 { 200.0 } else { x };
    let shifted = x + ROUND;
    let r = (x - (shifted - ROUND)) * std::f64::consts::LN_2;
    // The exponential series: r is at most 0.347.
    let series = 1.0 / 3_628_800.0;
    let series = series * r + 1.0 / 362_880.0;
    let series = series * r + 1.0 / 40_320.0;
    let series = series * r + 1.0 / 5_040.0;
    let series = series * r + 1.0 / 720.0;
    let series = series * r + 1.0 / 120.0;
    let series = series * r + 1.0 / 24.0;
    let series = series * r + 1.0 / 6.0;
    let series = series * r + 0.5;
    let series = series * r + 1.0;
    let series = series * r + 1.0;
    let power = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(1023) << 52;
    series * f64::from_bits(power)
}
