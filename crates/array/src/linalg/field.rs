//! The numbers that matrices are made of.

use crate::Item;
use bessemer_core::Complex;
use faer::traits::ComplexField;

/// A number that `faer` and arrays both have.
pub(super) trait Field: Item + ComplexField {
    /// A real number, in double precision.
    fn from_real(x: f64) -> Self;
    /// How far from 0.
    fn magnitude(self) -> f64;
    /// The same in double precision.
    fn wide(self) -> Complex<f64>;
    /// The nearest number.
    fn narrow(z: Complex<f64>) -> Self;
    /// The conjugate.
    fn turned(self) -> Self;
    /// The product with a real number.
    fn times(self, factor: f64) -> Self {
        Self::narrow(self.wide() * factor)
    }
}

macro_rules! real {
    ($($type:ty)*) => {$(
        impl Field for $type {
            fn from_real(x: f64) -> $type {
                x as $type
            }

            fn magnitude(self) -> f64 {
                f64::from(self).abs()
            }

            fn wide(self) -> Complex<f64> {
                Complex::new(self.into(), 0.0)
            }

            fn narrow(z: Complex<f64>) -> $type {
                z.re as $type
            }

            fn turned(self) -> $type {
                self
            }
        }
    )*};
}

real!(f32 f64);

impl Field for Complex<f32> {
    fn from_real(x: f64) -> Complex<f32> {
        Complex::new(x as f32, 0.0)
    }

    fn magnitude(self) -> f64 {
        self.wide().norm()
    }

    fn wide(self) -> Complex<f64> {
        Complex::new(self.re.into(), self.im.into())
    }

    fn narrow(z: Complex<f64>) -> Complex<f32> {
        Complex::new(z.re as f32, z.im as f32)
    }

    fn turned(self) -> Complex<f32> {
        self.conj()
    }
}
