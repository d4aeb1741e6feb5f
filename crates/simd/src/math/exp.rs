//! The exponential.

use crate::Arch;

/// `e` to the power of `x`, within 2 units in the last place. Too large is infinite, too small
/// is 0 by way of the subnormal numbers; NaN stays NaN.
#[inline(always)]
pub fn exp<A: Arch>(x: f32) -> f32 {
    // Outside of these the result is infinite or 0 anyway. Written so that NaN stays.
    let x = if x > 89.0 { 89.0 } else { x };
    let x = if x < -104.0 { -104.0 } else { x };
    // Adding 1.5 * 2^23 leaves the nearest whole number in the lower bits.
    const ROUND: f32 = 12_582_912.0;
    let shifted = A::fma(x, std::f32::consts::LOG2_E, ROUND);
    let whole = shifted - ROUND;
    // ln 2 in two parts; the first has so few bits that its products are exact.
    let rest = A::fma(whole, -0.693_359_4, x);
    let rest = A::fma(whole, 2.121_944_4e-4, rest);
    let p = A::fma(rest, 0.001_381_431_8, 0.008_368_852);
    let p = A::fma(p, rest, 0.041_668_4);
    let p = A::fma(p, rest, 0.166_665_2);
    let p = A::fma(p, rest, 0.499_999_94);
    let p = A::fma(p, rest * rest, rest) + 1.0;
    // The power of two in two steps: one alone can be out of range where the result is not.
    let power = shifted.to_bits().wrapping_sub(ROUND.to_bits()) as i32;
    let half = power >> 1;
    let two = |n: i32| f32::from_bits((n.wrapping_add(127) as u32) << 23);
    p * two(half) * two(power.wrapping_sub(half))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Isa, Kernel};

    struct Exp<'a>(&'a mut [f32]);

    impl Kernel for Exp<'_> {
        type Output = ();

        #[inline(always)]
        fn run<A: Arch>(self) {
            for x in self.0 {
                *x = exp::<A>(*x);
            }
        }
    }

    #[test]
    fn within_two_units_in_the_last_place() {
        let x: Vec<f32> = (-110_000..95_000).map(|i| i as f32 * 1e-3).collect();
        for isa in Isa::here() {
            let mut y = x.clone();
            isa.run(Exp(&mut y));
            for (&x, &y) in x.iter().zip(&y) {
                let wanted = f64::from(x).exp();
                let near = wanted as f32;
                if near.is_infinite() {
                    assert_eq!(y, near, "{isa} exp({x})");
                    continue;
                }
                let unit = f64::from(near.next_up() - near);
                let off = (f64::from(y) - wanted).abs() / unit;
                assert!(off <= 2.0, "{isa} exp({x}) is off by {off}");
            }
        }
    }

    #[test]
    fn ends_of_the_range() {
        let given = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, f32::MAX, -1e30];
        for isa in Isa::here() {
            let mut y = given;
            isa.run(Exp(&mut y));
            assert!(y[0].is_nan());
            assert_eq!(y[1..], [f32::INFINITY, 0.0, 1.0, 1.0, f32::INFINITY, 0.0], "{isa}");
        }
    }
}
