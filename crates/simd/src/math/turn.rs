//! Sine and cosine of angles given in turns: for rotations by many turns, of which only the
//! fraction counts.

use crate::Arch;

/// The nearest whole number of turns and the part of a turn that is left, in `-0.5..=0.5`.
///
/// The first is only right below 2^51.
#[inline(always)]
pub fn whole_and_part(turns: f64) -> (f64, f32) {
    // Adding 1.5 * 2^52 leaves the nearest whole number.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let whole = (turns + ROUND) - ROUND;
    (whole, (turns - whole) as f32)
}

/// The sine and cosine of `part` of a turn, in `-0.5..=0.5`, each within 2e-7.
#[inline(always)]
pub fn sin_cos_turns<A: Arch>(part: f32) -> (f32, f32) {
    const ROUND: f32 = 12_582_912.0;
    let shifted = A::fma(part, 4.0, ROUND);
    let quarters = shifted.to_bits();
    // Within an eighth of a turn; exact, since a quarter is a power of two.
    let u = A::fma(shifted - ROUND, -0.25, part);
    let v = u * u;
    let sin = A::fma(v, 41.472_017, -76.697_844);
    let sin = A::fma(sin, v, 81.605_2);
    let sin = A::fma(sin, v, -41.341_7);
    let sin = A::fma(sin, v, std::f32::consts::TAU) * u;
    let cos = A::fma(v, -26.063_95, 60.238_437);
    let cos = A::fma(cos, v, -85.456_77);
    let cos = A::fma(cos, v, 64.939_39);
    let cos = A::fma(cos, v, -19.739_209);
    let cos = A::fma(cos, v, 1.0);
    // One quarter more turns (cos, sin) to (-sin, cos).
    let swap = quarters & 1 == 1;
    let (s, c) = if swap { (cos, sin) } else { (sin, cos) };
    let sin_sign = (quarters & 2) << 30;
    let cos_sign = (quarters.wrapping_add(1) & 2) << 30;
    (f32::from_bits(s.to_bits() ^ sin_sign), f32::from_bits(c.to_bits() ^ cos_sign))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Isa, Kernel};

    struct Circle;

    impl Kernel for Circle {
        type Output = ();

        #[inline(always)]
        fn run<A: Arch>(self) {
            for i in -40_000..=40_000 {
                let turns = f64::from(i) * 1.237e-4 + if i % 3 == 0 { 123_456.0 } else { 0.0 };
                let (whole, part) = whole_and_part(turns);
                assert!((whole + f64::from(part) - turns).abs() < 4e-8 && part.abs() <= 0.5);
                let (sin, cos) = sin_cos_turns::<A>(part);
                let angle = f64::from(part) * std::f64::consts::TAU;
                assert!((f64::from(sin) - angle.sin()).abs() < 2e-7, "{} sin {part}", A::ISA);
                assert!((f64::from(cos) - angle.cos()).abs() < 2e-7, "{} cos {part}", A::ISA);
            }
            assert!(sin_cos_turns::<A>(f32::NAN).0.is_nan());
        }
    }

    #[test]
    fn all_around_the_circle() {
        for isa in Isa::here() {
            isa.run(Circle);
        }
    }
}
