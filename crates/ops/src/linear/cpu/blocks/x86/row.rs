//! AVX2, one row of activations: a row of weights is streamed, 32 values per vector.

use super::{
    super::{
        activations::{Row, Tile},
        few::{Streams, Sums},
    },
    tile256::products,
};
use bessemer_formats::{Format, GROUP};
use std::arch::x86_64::*;

/// Groups whose scales are prepared together.
const RUN: usize = 8;

/// How far ahead memory is asked for, in bytes. The rows of a matrix follow each other, so what
/// lies behind one is needed next; what lies behind the last is not, and asking never faults.
const AHEAD: usize = 1 << 11;

/// One row of weights times one row of activations.
#[target_feature(enable = "avx2,fma,f16c")]
fn dot<F: Format>(weights: &[u8], x: Tile<'_>, groups: usize) -> f32 {
    assert!(x.height == 1 && weights.len() >= groups / F::GROUPS * F::BYTES);
    assert!(x.bytes.len() >= groups * GROUP && x.steps.len() >= groups);
    assert!(if F::MINS { x.sums.len() } else { x.starts.len() / F::STARTS } >= groups);
    let mut totals = [_mm256_setzero_ps(); 4];
    let mut mins = _mm256_setzero_ps();
    let mut first = 0;
    // SAFETY: groups below `groups` are within the slices, by the assertions above.
    unsafe {
        while first + RUN <= groups {
            let ahead = weights.as_ptr().wrapping_add(first / F::GROUPS * F::BYTES + AHEAD);
            for line in 0..(RUN / F::GROUPS * F::BYTES).div_ceil(64) {
                _mm_prefetch::<_MM_HINT_T0>(ahead.wrapping_add(line * 64).cast());
            }
            let scales = run_scales::<F>(weights, &x, first, RUN, &mut mins);
            for i in 0..RUN {
                let ints = group::<F>(weights, &x, first + i);
                let value = _mm256_cvtepi32_ps(ints);
                totals[i % 4] = _mm256_fmadd_ps(value, scales.of::<F>(i), totals[i % 4]);
            }
            first += RUN;
        }
        if first < groups {
            let scales = run_scales::<F>(weights, &x, first, groups - first, &mut mins);
            for i in 0..groups - first {
                let ints = group::<F>(weights, &x, first + i);
                let value = _mm256_cvtepi32_ps(ints);
                totals[0] = _mm256_fmadd_ps(value, scales.of::<F>(i), totals[0]);
            }
        }
    }
    let [a, b, c, d] = totals;
    let total = _mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d));
    sum(_mm256_add_ps(total, mins))
}

/// Integer dot products of the eight fours of a group.
///
/// # Safety
/// The group must be within the weights and the activations.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn group<F: Format>(weights: &[u8], x: &Tile<'_>, group: usize) -> __m256i {
    // SAFETY: as the caller promises.
    unsafe {
        let block = weights.as_ptr().add(group / F::GROUPS * F::BYTES);
        let levels = F::levels256(block, group % F::GROUPS);
        let x_levels = _mm256_loadu_si256(x.bytes.as_ptr().add(group * GROUP).cast());
        let start = |i: usize| _mm_loadu_si32(x.starts.as_ptr().add(group * F::STARTS + i).cast());
        let start = if F::HALVES {
            _mm256_set_m128i(start(1), start(0))
        } else if F::OFFSET != 0 {
            _mm256_zextsi128_si256(start(0))
        } else {
            _mm256_setzero_si256()
        };
        maddubs::<F>(start, levels, x_levels)
    }
}

/// Rows of weights times one row of activations.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn dots_avx2<F: Format>(
    weights: &Streams<'_>,
    x: &Row<'_>,
    groups: usize,
    sums: &mut Sums,
) {
    weights.each(sums, |row| dot::<F>(row, x.natural, groups));
}

/// Adds the products of each four to `start`.
#[inline]
#[target_feature(enable = "avx2")]
fn maddubs<F: Format>(start: __m256i, levels: __m256i, x: __m256i) -> __m256i {
    let fours = _mm256_madd_epi16(products::<F>(levels, x), _mm256_set1_epi16(1));
    _mm256_add_epi32(start, fours)
}

/// The scales of up to [`RUN`] groups, times the steps of the activations.
struct Scales {
    /// One per group; for those with a scale per half, the first four groups' pairs ...
    low: __m256,
    /// ... and the other four groups' pairs.
    high: __m256,
    /// The same as `low`, in memory.
    stored: [f32; RUN],
}

impl Scales {
    /// What the eight sums of fours of a group are multiplied by.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn of<F: Format>(&self, i: usize) -> __m256 {
        if F::HALVES {
            let (from, i) = (if i < 4 { self.low } else { self.high }, (i % 4 * 2) as i32);
            let lanes = _mm256_setr_epi32(i, i, i, i, i + 1, i + 1, i + 1, i + 1);
            _mm256_permutevar8x32_ps(from, lanes)
        } else {
            _mm256_set1_ps(self.stored[i])
        }
    }
}

/// The scales of `count` groups from `first` on, which are whole blocks; adds what their minima
/// contribute to `mins`.
///
/// # Safety
/// The groups must be within the weights and the activations.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn run_scales<F: Format>(
    weights: &[u8],
    x: &Tile<'_>,
    first: usize,
    count: usize,
    mins: &mut __m256,
) -> Scales {
    // SAFETY: as the caller promises.
    unsafe {
        let block = weights.as_ptr().add(first / F::GROUPS * F::BYTES);
        let some = |from: &[f32]| {
            if count == RUN {
                return _mm256_loadu_ps(from.as_ptr().add(first));
            }
            let mut some = [0.0; RUN];
            some[..count].copy_from_slice(&from[first..first + count]);
            _mm256_loadu_ps(some.as_ptr())
        };
        let steps = some(x.steps);
        let sums = if F::MINS { some(x.sums) } else { _mm256_setzero_ps() };
        let zero = _mm256_setzero_ps();
        if F::HALVES {
            let [low, high] = F::scales256(block);
            // Each step twice: for both halves of its group.
            let twice = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3);
            let later = _mm256_setr_epi32(4, 4, 5, 5, 6, 6, 7, 7);
            let low = _mm256_mul_ps(low, _mm256_permutevar8x32_ps(steps, twice));
            let high = _mm256_mul_ps(high, _mm256_permutevar8x32_ps(steps, later));
            return Scales { low, high, stored: [0.0; RUN] };
        }
        let [low, lows] = if F::GROUPS > 1 {
            F::scales256(block)
        } else if count == RUN {
            let lows = if F::MINS { _mm256_cvtph_ps(halves::<F>(block, 2)) } else { zero };
            [_mm256_cvtph_ps(halves::<F>(block, 0)), lows]
        } else {
            let (mut d, mut m) = ([0.0; RUN], [0.0; RUN]);
            for i in 0..count {
                d[i] = half(block.add(i * F::BYTES));
                m[i] = half(block.add(i * F::BYTES + 2));
            }
            [_mm256_loadu_ps(d.as_ptr()), _mm256_loadu_ps(m.as_ptr())]
        };
        if F::MINS {
            *mins = _mm256_fmadd_ps(lows, _mm256_mul_ps(sums, steps), *mins);
        }
        let low = _mm256_mul_ps(low, steps);
        let mut stored = [0.0; RUN];
        _mm256_storeu_ps(stored.as_mut_ptr(), low);
        Scales { low, high: zero, stored }
    }
}

/// The halves at byte `at` of eight blocks.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn halves<F: Format>(block: *const u8, at: usize) -> __m128i {
    // SAFETY: as the caller promises.
    let of = |i: usize| unsafe { block.add(i * F::BYTES + at).cast::<i16>().read_unaligned() };
    _mm_setr_epi16(of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7))
}

#[inline]
#[target_feature(enable = "avx2,f16c")]
unsafe fn half(at: *const u8) -> f32 {
    // SAFETY: as the caller promises.
    let bits = unsafe { at.cast::<u16>().read_unaligned() };
    _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(i32::from(bits))))
}

#[inline]
#[target_feature(enable = "avx2")]
fn sum(x: __m256) -> f32 {
    let x = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
    let x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)))
}
