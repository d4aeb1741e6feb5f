//! Halves to singles and back, as bits: sixteen at a time for kernels, and whole slices.

use crate::{Arch, Isa, Kernel};

/// An IEEE half, given by its bits, as a single; exact. Branch-free, so that loops over it become
/// vector code.
///
/// ```
/// use bessemer_simd::convert::f32_from_f16_bits;
///
/// assert_eq!(f32_from_f16_bits(0x3c00), 1.0);
/// assert_eq!(f32_from_f16_bits(0xfc00), f32::NEG_INFINITY);
/// ```
#[inline(always)]
pub fn f32_from_f16_bits(half: u16) -> f32 {
    let half = u32::from(half);
    let (sign, rest) = ((half & 0x8000) << 16, half & 0x7FFF);
    // Its exponent read as that of a single is 112 too small, for subnormals too.
    let value = f32::from_bits(rest << 13) * f32::from_bits((127 + 112) << 23);
    let special = if rest >= 0x7C00 { 0x7F80_0000 } else { 0 };
    f32::from_bits(value.to_bits() | special | sign)
}

/// The bits of the nearest IEEE half, ties to even; what is too large becomes infinite.
///
/// ```
/// use bessemer_simd::convert::f16_bits_from_f32;
///
/// assert_eq!(f16_bits_from_f32(-2.0), 0xc000);
/// assert_eq!(f16_bits_from_f32(1e6), 0x7c00); // infinite
/// ```
#[inline(always)]
pub fn f16_bits_from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) & 0x8000;
    let rest = bits & 0x7FFF_FFFF;
    // Below 2^-14 halves are multiples of 2^-24, which is the last place of numbers near 0.5:
    // adding 0.5 rounds to it.
    let small = (f32::from_bits(rest) + 0.5).to_bits().wrapping_sub(0x3F00_0000);
    let odd = (rest >> 13) & 1;
    let normal = rest.wrapping_add(odd).wrapping_add(0xC800_0FFF) >> 13;
    let special = if rest > 0x7F80_0000 { 0x7E00 } else { 0x7C00 };
    let half = if rest < 0x3880_0000 { small } else { normal };
    let half = if rest >= 0x4780_0000 { special } else { half };
    (half | sign) as u16
}

/// The upper half of a single, given by its bits, as a single; exact.
///
/// ```
/// use bessemer_simd::convert::f32_from_bf16_bits;
///
/// assert_eq!(f32_from_bf16_bits(0x3f80), 1.0);
/// ```
#[inline(always)]
pub fn f32_from_bf16_bits(half: u16) -> f32 {
    f32::from_bits(u32::from(half) << 16)
}

/// The bits of the nearest `bf16`, ties to even.
///
/// ```
/// use bessemer_simd::convert::bf16_bits_from_f32;
///
/// assert_eq!(bf16_bits_from_f32(1.0), 0x3f80);
/// assert_eq!(bf16_bits_from_f32(1.0 + 1.0 / 256.0), 0x3f80); // a tie, to even
/// ```
#[inline(always)]
pub fn bf16_bits_from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7FFF + ((bits >> 16) & 1)) >> 16;
    // Rounding must not make an infinity of a NaN.
    let nan = (bits >> 16) | 0x40;
    (if value.is_nan() { nan } else { rounded }) as u16
}

/// [`f32_from_f16_bits`] of sixteen, by the machine's own instruction where it has one.
#[inline(always)]
pub fn f32x16_from_f16<A: Arch>(halves: &[u16; 16]) -> [f32; 16] {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::*;
        if A::ISA == Isa::Avx512 {
            // SAFETY: `A` is only reached where the machine has it; sixteen halves are read.
            return unsafe {
                std::mem::transmute::<__m512, [f32; 16]>(_mm512_cvtph_ps(_mm256_loadu_si256(
                    halves.as_ptr().cast(),
                )))
            };
        }
        if A::ISA == Isa::Avx2 {
            // SAFETY: as above; eight and eight halves are read.
            return unsafe {
                let low = _mm256_cvtph_ps(_mm_loadu_si128(halves.as_ptr().cast()));
                let high = _mm256_cvtph_ps(_mm_loadu_si128(halves.as_ptr().add(8).cast()));
                std::mem::transmute::<[__m256; 2], [f32; 16]>([low, high])
            };
        }
    }
    halves.map(f32_from_f16_bits)
}

/// [`f16_bits_from_f32`] of sixteen, by the machine's own instruction where it has one.
#[inline(always)]
pub fn f16_from_f32x16<A: Arch>(values: &[f32; 16]) -> [u16; 16] {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::*;
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT;
        if A::ISA == Isa::Avx512 {
            // SAFETY: `A` is only reached where the machine has it; sixteen singles are read.
            return unsafe {
                let values = _mm512_loadu_ps(values.as_ptr());
                std::mem::transmute::<__m256i, [u16; 16]>(_mm512_cvtps_ph::<NEAREST>(values))
            };
        }
        if A::ISA == Isa::Avx2 {
            // SAFETY: as above; eight and eight singles are read.
            return unsafe {
                let low = _mm256_cvtps_ph::<NEAREST>(_mm256_loadu_ps(values.as_ptr()));
                let high = _mm256_cvtps_ph::<NEAREST>(_mm256_loadu_ps(values.as_ptr().add(8)));
                std::mem::transmute::<[__m128i; 2], [u16; 16]>([low, high])
            };
        }
    }
    values.map(f16_bits_from_f32)
}

macro_rules! slices {
    ($(#[$doc:meta])* $name:ident, $from:ty => $to:ty, |$x:ident| $wide:expr, $one:expr) => {
        $(#[$doc])*
        ///
        /// # Panics
        /// If the lengths differ.
        pub fn $name(isa: Isa, from: &[$from], to: &mut [$to]) {
            struct Convert<'a>(&'a [$from], &'a mut [$to]);
            impl Kernel for Convert<'_> {
                type Output = ();

                #[inline(always)]
                fn run<A: Arch>(self) {
                    let (from, from_rest) = self.0.as_chunks::<16>();
                    let (to, to_rest) = self.1.as_chunks_mut::<16>();
                    for ($x, to) in from.iter().zip(to) {
                        *to = $wide;
                    }
                    for (from, to) in from_rest.iter().zip(to_rest) {
                        *to = $one(*from);
                    }
                }
            }
            assert_eq!(from.len(), to.len(), "as many values as places for them");
            isa.run(Convert(from, to));
        }
    };
}

slices!(
    /// Halves, given by their bits, as singles.
    f16_to_f32, u16 => f32, |x| f32x16_from_f16::<A>(x), f32_from_f16_bits
);
slices!(
    /// The bits of the nearest halves.
    f32_to_f16, f32 => u16, |x| f16_from_f32x16::<A>(x), f16_bits_from_f32
);
slices!(
    /// `bf16`, given by their bits, as singles.
    bf16_to_f32, u16 => f32, |x| x.map(f32_from_bf16_bits), f32_from_bf16_bits
);
slices!(
    /// The bits of the nearest `bf16`.
    f32_to_bf16, f32 => u16, |x| x.map(bf16_bits_from_f32), bf16_bits_from_f32
);

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};

    /// Each half, and the singles at and around the middle between it and the next.
    fn singles() -> Vec<f32> {
        let between = (0..=u16::MAX).flat_map(|bits| {
            let half = f16::from_bits(bits).to_f32();
            let brain = bf16::from_bits(bits).to_f32();
            let near = |x: f32, step: u32| {
                let middle = x.to_bits().wrapping_add(step);
                [middle - 1, middle, middle + 1].map(f32::from_bits)
            };
            [half, brain].into_iter().chain(near(half, 0x1000)).chain(near(brain, 0x8000))
        });
        between.chain([65519.0, 65520.0, 1e-8, 2.98e-8, f32::MAX]).collect()
    }

    #[test]
    fn every_half_becomes_its_single() {
        let halves: Vec<u16> = (0..=u16::MAX).collect();
        for isa in Isa::here() {
            let mut out = vec![0.0; halves.len()];
            f16_to_f32(isa, &halves, &mut out);
            for (&bits, &x) in halves.iter().zip(&out) {
                let wanted = f16::from_bits(bits).to_f32();
                assert!(x == wanted || x.is_nan() && wanted.is_nan(), "{isa} {bits:#x}: {x}");
            }
            bf16_to_f32(isa, &halves, &mut out);
            assert!(halves.iter().zip(&out).all(|(&b, x)| x.to_bits() == u32::from(b) << 16));
        }
    }

    #[test]
    fn singles_round_to_the_nearest_half() {
        let singles = singles();
        for isa in Isa::here() {
            let mut out = vec![0; singles.len()];
            f32_to_f16(isa, &singles, &mut out);
            for (&x, &bits) in singles.iter().zip(&out) {
                let (found, wanted) = (f16::from_bits(bits), f16::from_f32_const(x));
                let same = found.to_bits() == wanted.to_bits();
                assert!(same || found.is_nan() && wanted.is_nan(), "{isa} {x:e}: {found}");
            }
            f32_to_bf16(isa, &singles, &mut out);
            for (&x, &bits) in singles.iter().zip(&out) {
                let (found, wanted) = (bf16::from_bits(bits), bf16::from_f32(x));
                let same = found.to_bits() == wanted.to_bits();
                assert!(same || found.is_nan() && wanted.is_nan(), "{isa} {x:e}: {found}");
            }
        }
    }
}
