//! Functions of a few instructions.

/// The smaller; NaN if either is.
#[inline(always)]
pub fn min(a: f32, b: f32) -> f32 {
    let smaller = if a < b { a } else { b };
    if a.is_nan() { a } else { smaller }
}

/// The larger; NaN if either is.
#[inline(always)]
pub fn max(a: f32, b: f32) -> f32 {
    let larger = if a > b { a } else { b };
    if a.is_nan() { a } else { larger }
}

/// -1, 0 or 1; zeros and NaN stay as they are.
#[inline(always)]
pub fn sign(x: f32) -> f32 {
    if (x == 0.0) | x.is_nan() { x } else { 1f32.copysign(x) }
}

/// `sqrt(x² + y²)` without overflow on the way; infinite if either is, even beside NaN. Within 1 ulp.
#[inline(always)]
pub fn hypot(x: f32, y: f32) -> f32 {
    let (a, b) = (f64::from(x), f64::from(y));
    let length = (a * a + b * b).sqrt() as f32;
    if x.is_infinite() | y.is_infinite() { f32::INFINITY } else { length }
}

macro_rules! nextafter {
    ($(#[$doc:meta] $name:ident: $type:ty;)*) => {$(
        #[$doc]
        #[inline(always)]
        pub fn $name(x: $type, y: $type) -> $type {
            let bits = x.to_bits();
            // Away from zero is up in bits.
            let away = (y > x) == (x > 0.0);
            let next = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
            let next = if x == 0.0 { <$type>::from_bits(1).copysign(y) } else { <$type>::from_bits(next) };
            let next = if x == y { y } else { next };
            if x.is_nan() | y.is_nan() { <$type>::NAN } else { next }
        }
    )*};
}

nextafter! {
    /// The number next to `x` in the direction of `y`; `y` if they are equal.
    nextafter: f32;
    /// [`nextafter`] in double precision.
    nextafter_f64: f64;
}

/// The largest quotient whose remainder [`rem`] gives.
pub const MAX_QUOTIENT: f32 = 134_217_728.0; // 2^27

/// The remainder of `x / y` with the sign of `x`, exact, where the quotient is at most
/// [`MAX_QUOTIENT`] either way.
#[inline(always)]
pub fn rem(x: f32, y: f32) -> f32 {
    let (a, b) = (f64::from(x), f64::from(y));
    // Of 27 and 24 bits: the product is exact in a double.
    let r = (a - (a / b).trunc() * b) as f32;
    let r = if y.is_infinite() & x.is_finite() { x } else { r };
    r.copysign(x)
}
