//! Tolerances of results.

use bessemer_core::DType;
use std::fmt;

/// How far results may be from the reference. NaN must meet NaN and infinities each other
/// whatever the bounds.
///
/// ```
/// use bessemer_core::DType;
/// use bessemer_ops::case::Tolerance;
///
/// let half = Tolerance::of(DType::F16);
/// assert!(half.accepts(1.0001, 1.0) && !half.accepts(1.1, 1.0));
/// assert!(!Tolerance::EXACT.accepts(1.0001, 1.0));
/// assert!(half.accepts(f64::NAN, f64::NAN));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The mean squared error over the mean square of the reference, at most.
    pub nmse: f64,
    /// The error of one element, at most: this much ...
    pub abs: f64,
    /// ... plus this share of the reference's value.
    pub rel: f64,
}

/// How far results are from the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distance {
    /// The mean squared error over the mean square of the reference.
    pub nmse: f64,
    /// The largest error of an element.
    pub max_abs: f64,
}

/// The first element that is too far off, or that the whole is.
#[derive(Clone, Debug, PartialEq)]
pub struct TooFar {
    /// What was found.
    pub what: String,
}

impl fmt::Display for TooFar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Tolerance {
    /// Equal bit for bit, but for the kind of NaN.
    pub const EXACT: Tolerance = Tolerance { nmse: 0.0, abs: 0.0, rel: 0.0 };

    /// What arithmetic in `f32` (in `f64` for doubles) allows for a result stored as `dtype`: a few
    /// units in the last place of it.
    pub fn of(dtype: DType) -> Tolerance {
        match dtype {
            DType::F64 => Tolerance { nmse: 1e-29, abs: 4e-15, rel: 4e-15 },
            DType::F32 | DType::Complex64 => Tolerance { nmse: 1e-12, abs: 2e-6, rel: 2e-6 },
            DType::F16 => Tolerance { nmse: 1e-6, abs: 1e-5, rel: 1.0 / 1024.0 },
            DType::BF16 => Tolerance { nmse: 3e-5, abs: 1e-5, rel: 1.0 / 128.0 },
            _ => Tolerance::EXACT,
        }
    }

    /// The same with wider bounds on single elements: for results that sum many terms.
    pub fn widen(self, factor: f64) -> Tolerance {
        Tolerance { nmse: self.nmse * factor, abs: self.abs * factor, rel: self.rel * factor }
    }

    /// Whether one element may be `found` where the reference has `wanted`.
    pub fn accepts(&self, found: f64, wanted: f64) -> bool {
        if !wanted.is_finite() || !found.is_finite() {
            return found == wanted || found.is_nan() && wanted.is_nan();
        }
        (found - wanted).abs() <= self.abs + self.rel * wanted.abs()
    }

    /// Compares `found` with the reference's `wanted`.
    pub fn compare(&self, found: &[f64], wanted: &[f64]) -> Result<Distance, TooFar> {
        let (mut error, mut square, mut max_abs) = (0.0, 0.0, 0.0f64);
        for (i, (&found, &wanted)) in found.iter().zip(wanted).enumerate() {
            if !self.accepts(found, wanted) {
                return Err(TooFar { what: format!("element {i} is {found}, not {wanted}") });
            }
            if !wanted.is_finite() {
                continue;
            }
            let off = (found - wanted).abs();
            error += off * off;
            square += wanted * wanted;
            max_abs = max_abs.max(off);
        }
        let nmse = if error == 0.0 { 0.0 } else { error / square.max(f64::MIN_POSITIVE) };
        // What is near zero as a whole has no meaningful relative error: the bound on single
        // elements holds it.
        if nmse > self.nmse && max_abs > self.abs {
            return Err(TooFar { what: format!("mean squared error {nmse:.1e} of the signal") });
        }
        Ok(Distance { nmse, max_abs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: Tolerance = Tolerance { nmse: 1e-6, abs: 1e-3, rel: 1e-2 };

    #[test]
    fn near_enough() {
        let distance = TOLERANCE.compare(&[1.0005, 100.0], &[1.0, 100.0]).unwrap();
        assert!((distance.max_abs - 0.0005).abs() < 1e-9 && distance.nmse < 1e-9);
        assert!(TOLERANCE.compare(&[f64::NAN, f64::INFINITY], &[f64::NAN, f64::INFINITY]).is_ok());
        assert!(Tolerance::EXACT.compare(&[1.0, 0.0], &[1.0, 0.0]).is_ok());
    }

    #[test]
    fn too_far() {
        assert!(TOLERANCE.compare(&[1.1], &[1.0]).is_err());
        assert!(TOLERANCE.compare(&[1.009; 4], &[1.0; 4]).is_err());
        assert!(TOLERANCE.compare(&[f64::NAN], &[1.0]).is_err());
        assert!(TOLERANCE.compare(&[1.0], &[f64::NAN]).is_err());
        assert!(TOLERANCE.compare(&[f64::INFINITY], &[f64::NEG_INFINITY]).is_err());
        assert!(Tolerance::EXACT.compare(&[1.0 + 1e-15], &[1.0]).is_err());
    }
}
