//! Where WGSL guarantees less than IEEE 754. Affected cases declare it, and stay strict in everything
//! else.

use super::{Tolerance, Variation};

/// What an implementation of WebGPU may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wgsl {
    /// Numbers too small for a normal `f32` may be read as zeros ("any inputs or outputs of
    /// operations may be flushed to zero"). It shows in functions that jump at zero: each element is
    /// right if it is what the op means of its operands, or of those with zeros in their place.
    Subnormals,
    /// An integer that no `f32` is may become either of its neighbours, not only the nearer one.
    EitherNeighbour,
}

impl Wgsl {
    /// The operands that another result is right for, if it is.
    pub fn otherwise(self, variation: &Variation) -> Option<Variation> {
        (self == Wgsl::Subnormals).then(|| Variation { flushed: true, ..variation.clone() })
    }

    /// How near results must be that must be within `tolerance` elsewhere.
    pub fn tolerance(self, tolerance: Tolerance) -> Tolerance {
        if self == Wgsl::Subnormals {
            return tolerance;
        }
        // Neighbours are at most this share of them apart.
        let apart = f64::from(f32::EPSILON);
        let Tolerance { nmse, abs, rel } = tolerance;
        Tolerance { nmse: nmse.max(apart * apart), abs, rel: rel.max(apart) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_open_is_allowed() {
        let exact = Tolerance::EXACT;
        assert_eq!(Wgsl::Subnormals.tolerance(exact), exact);
        let near = Wgsl::EitherNeighbour.tolerance(exact);
        // Both neighbours of 4169906400, and the one beyond.
        assert!(near.accepts(4_169_906_176.0, 4_169_906_432.0));
        assert!(!near.accepts(4_169_905_920.0, 4_169_906_432.0));
        assert!(!near.accepts(1.0, 0.0) && !near.accepts(f64::NAN, 1.0));
    }

    #[test]
    fn only_subnormal_numbers_are_flushed() {
        let flushed = Wgsl::Subnormals.otherwise(&Variation::default()).unwrap();
        let least = f64::from(f32::MIN_POSITIVE);
        let given = [least, least / 2.0, -1e-40, 0.0, f64::NEG_INFINITY];
        let found = given.map(|number| flushed.number(number));
        assert_eq!(found, [least, 0.0, 0.0, 0.0, f64::NEG_INFINITY]);
        assert!(found[2].is_sign_negative() && flushed.number(f64::NAN).is_nan());
        assert!(Wgsl::EitherNeighbour.otherwise(&Variation::default()).is_none());
    }
}
