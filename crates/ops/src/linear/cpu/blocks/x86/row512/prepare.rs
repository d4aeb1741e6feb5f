//! A row of activations for the kernel, straight from floats: bytes in the order of the levels, four
//! groups at a time.

use super::{
    super::super::{
        activations::{BYTE, Detail, FINER, NOTHING, Row, Tile},
        few::Input,
    },
    lanes, offset,
};
use crate::linear::Layer;
use bessemer_core::cpu::CpuContext;
use bessemer_formats::{
    Format, GROUP,
    x86::{Order, STEP},
};
use std::arch::x86_64::*;

/// Quantises the rows of a layer.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512vnni")]
pub(in super::super) fn prepare<'a, F: Format>(
    cpu: &'a CpuContext<'_>,
    layer: &Layer<'_>,
    detail: Detail,
) -> Input<'a> {
    let (count, k, _) = layer.sizes();
    let (source, floats) = (cpu.rows(layer.x), cpu.scratch::<f32>(k));
    let spoilt = cpu.scratch::<u8>(count);
    let mut rows = Vec::with_capacity(count);
    for (row, spoilt) in spoilt.iter_mut().enumerate() {
        let x = source.get(layer.row(row), floats);
        let mut place = Place::new::<F>(cpu, k / GROUP, detail);
        let finite = match detail {
            Detail::Bytes => fill::<F, false>(x, &mut place),
            Detail::TwoBytes => fill::<F, true>(x, &mut place),
        };
        *spoilt = u8::from(!finite);
        rows.push(place.row());
    }
    Input { rows, spoilt }
}

/// Where a row goes: see [`Row`].
struct Place<'a> {
    ordered: &'a mut [u8],
    lower: &'a mut [u8],
    starts: &'a mut [i32],
    sums: &'a mut [f32],
    steps: &'a mut [f32],
}

impl<'a> Place<'a> {
    fn new<F: Format>(cpu: &'a CpuContext<'_>, groups: usize, detail: Detail) -> Place<'a> {
        let padded = groups.next_multiple_of(STEP);
        Place {
            ordered: cpu.scratch(padded * GROUP),
            lower: cpu.scratch(if detail == Detail::TwoBytes { padded * GROUP } else { 0 }),
            starts: cpu.scratch(padded * lanes::<F>()),
            sums: cpu.scratch(if F::MINS { groups } else { 0 }),
            steps: cpu.scratch(groups),
        }
    }

    fn row(self) -> Row<'a> {
        let Place { ordered, lower, starts, sums, steps } = self;
        let natural = Tile { height: 1, bytes: &[], starts: &[], sums, steps };
        Row { natural, ordered, lower, starts }
    }
}

/// Quantises a row, with zeros behind it up to a whole step. Returns whether all of it is finite.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512vnni")]
fn fill<F: Format, const TWO: bool>(x: &[f32], to: &mut Place<'_>) -> bool {
    let groups = x.len() / GROUP;
    let padded = groups.next_multiple_of(STEP);
    assert!(to.ordered.len() >= padded * GROUP && to.starts.len() >= padded * lanes::<F>());
    assert!(to.steps.len() >= groups && (!F::MINS || to.sums.len() >= groups));
    assert!(!TWO || to.lower.len() >= padded * GROUP);
    let mut finite = true;
    for first in (0..groups).step_by(STEP) {
        let count = (groups - first).min(STEP);
        let there: __mmask8 = (1 << count) - 1;
        let load = |i: usize| {
            // SAFETY: a group of the row, or nothing.
            let half = |half: usize| unsafe {
                let lanes = if i < count { !0 } else { 0 };
                _mm512_maskz_loadu_ps(lanes, x.as_ptr().wrapping_add((first + i) * GROUP + half))
            };
            [half(0), half(16)]
        };
        let values = [load(0), load(1), load(2), load(3)];

        // Magnitudes order like their bits; what is not finite comes last.
        let tops = values.map(|[a, b]| {
            let bits = |x| _mm512_castps_si512(_mm512_abs_ps(x));
            _mm512_max_epu32(bits(a), bits(b))
        });
        let peaks = _mm_castsi128_ps(across(tops, |a, b| _mm512_max_epu32(a, b)));
        let real = _mm_cmp_ps_mask::<_CMP_LT_OQ>(peaks, _mm_set1_ps(f32::INFINITY));
        finite &= real == 15;
        // As `activations::step` has it.
        let usable = real & _mm_cmp_ps_mask::<_CMP_GT_OQ>(peaks, _mm_set1_ps(NOTHING));
        let (top, finer) = (_mm_set1_ps(BYTE), if TWO { FINER } else { 1.0 });
        let inverse = _mm_maskz_div_ps(usable, top, peaks);
        let inverse = _mm512_castps128_ps512(_mm_mul_ps(inverse, _mm_set1_ps(finer)));
        let steps = _mm_maskz_div_ps(usable, peaks, top);
        let steps = _mm_mul_ps(steps, _mm_set1_ps(1.0 / finer));
        // SAFETY: the groups that are there.
        unsafe { _mm_mask_storeu_ps(to.steps.as_mut_ptr().add(first), there, steps) };

        let levels = |i: usize| {
            let scale = _mm512_permutexvar_ps(_mm512_set1_epi32(i as i32), inverse);
            values[i].map(|x| _mm512_cvtps_epi32(_mm512_mul_ps(x, scale)))
        };
        let levels = [levels(0), levels(1), levels(2), levels(3)];
        if F::MINS {
            let both = levels.map(|[a, b]| _mm512_add_epi32(a, b));
            let sums = _mm_cvtepi32_ps(across(both, |a, b| _mm512_add_epi32(a, b)));
            // SAFETY: the groups that are there.
            unsafe { _mm_mask_storeu_ps(to.sums.as_mut_ptr().add(first), there, sums) };
        }
        let upper = levels.map(|halves| {
            halves.map(|x| {
                let rounded = _mm512_add_epi32(x, _mm512_set1_epi32(128));
                if TWO { _mm512_srai_epi32::<8>(rounded) } else { x }
            })
        });
        let ordered = in_order::<F>(upper);
        // SAFETY: a step, of which there are whole ones.
        unsafe { store(to.ordered.as_mut_ptr().add(first * GROUP), ordered) };
        let mut starts = starts::<F>(ordered);
        if TWO {
            let rest = |i: usize, half: usize| {
                _mm512_sub_epi32(levels[i][half], _mm512_slli_epi32::<8>(upper[i][half]))
            };
            let lower = |i: usize| [rest(i, 0), rest(i, 1)];
            let ordered = in_order::<F>([lower(0), lower(1), lower(2), lower(3)]);
            // SAFETY: as above.
            unsafe { store(to.lower.as_mut_ptr().add(first * GROUP), ordered) };
            let lower = self::starts::<F>(ordered);
            let both = |i: usize| _mm512_add_epi32(_mm512_slli_epi32::<8>(starts[i]), lower[i]);
            starts = [both(0), both(1)];
        }
        for (i, starts) in starts.into_iter().enumerate().take(lanes::<F>() / 4) {
            // SAFETY: as many lanes of a step as there are for it.
            unsafe {
                let to = to.starts.as_mut_ptr().add(first * lanes::<F>() + i * 16);
                _mm512_storeu_si512(to.cast(), starts);
            }
        }
    }
    finite
}

/// The lowest bytes of the halves of four groups, in the order of the levels.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn in_order<F: Format>(halves: [[__m512i; 2]; STEP]) -> [__m512i; 2] {
    let sixteen = |at: usize| _mm512_cvtepi32_epi8(halves[at / 2][at % 2]);
    let four = |[a, b, c, d]: [usize; 4]| {
        let ab = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(sixteen(a)), sixteen(b));
        _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(ab, sixteen(c)), sixteen(d))
    };
    match F::ORDER {
        Order::Halves => [four([0, 2, 4, 6]), four([1, 3, 5, 7])],
        Order::Turns => [four([0, 1, 4, 5]), four([2, 3, 6, 7])],
        Order::Natural => [four([0, 1, 2, 3]), four([4, 5, 6, 7])],
    }
}

/// What the sums of all lanes start from, so that they come out as if levels had no offset.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn starts<F: Format>([low, high]: [__m512i; 2]) -> [__m512i; 2] {
    let (zero, offset) = (_mm512_setzero_si512(), _mm512_set1_epi8(offset::<F>() as u8 as i8));
    let too_much = |sum, bytes| _mm512_dpbusd_epi32(sum, offset, bytes);
    match F::ORDER {
        Order::Halves => [_mm512_sub_epi32(zero, too_much(too_much(zero, low), high)), zero],
        _ => [low, high].map(|bytes| _mm512_sub_epi32(zero, too_much(zero, bytes))),
    }
}

/// What `fold` makes of the lanes of each vector.
#[inline]
#[target_feature(enable = "avx512f")]
fn across([a, b, c, d]: [__m512i; 4], fold: impl Fn(__m512i, __m512i) -> __m512i) -> __m128i {
    let ab = fold(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = fold(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    // In each quarter what is known so far of a, b, c and d.
    let all = fold(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let all = fold(all, _mm512_shuffle_i32x4::<0b01_00_11_10>(all, all));
    let all = fold(all, _mm512_shuffle_i32x4::<0b10_11_00_01>(all, all));
    _mm512_castsi512_si128(all)
}

/// # Safety
/// There must be room for 128 bytes.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store(to: *mut u8, [low, high]: [__m512i; 2]) {
    // SAFETY: as the caller promises.
    unsafe {
        _mm512_storeu_si512(to.cast(), low);
        _mm512_storeu_si512(to.add(64).cast(), high);
    }
}
