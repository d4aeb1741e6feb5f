//! AVX-512 with VNNI, one row of activations: a row of weights is streamed, 128 values in two
//! vectors at a time.
//!
//! Levels are taken in the order that needs the fewest instructions to unpack, so the activations
//! are put into the same order first.

mod prepare;
mod scales;

pub(super) use prepare::prepare;

use super::super::{
    activations::Row,
    few::{STREAMS, Streams, Sums},
};
use bessemer_formats::{
    Format, GROUP,
    x86::{Order, STEP},
};
use scales::{few_scales, floats, heads, scales};
use std::arch::x86_64::*;

/// How far ahead memory is asked for, in bytes: to the second-level cache, which can wait for more
/// lines at a time than the first, and from there to the first. The rows of a matrix follow each other,
/// so what lies behind one is needed next; what lies behind the last is not, and asking never faults.
const FAR_AHEAD: usize = 4 << 10;
const AHEAD: usize = 1 << 10;

/// Groups whose scales are prepared together: as many as a vector holds the scales of.
const fn run<F: Format>() -> usize {
    if F::HALVES { 8 } else { 16 }
}

/// What the unsigned levels of this kernel are too large by.
pub(super) const fn offset<F: Format>() -> i32 {
    if F::SIGNED { 128 } else { F::OFFSET }
}

/// Lanes of the sums of a group, each of which starts from what its own levels are too large by.
const fn lanes<F: Format>() -> usize {
    match (offset::<F>(), F::ORDER) {
        (0, _) => 0,
        (_, Order::Halves) => 4,
        _ => 8,
    }
}

/// Rows of weights times one row of activations.
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn dots<F: Format>(weights: &Streams<'_>, x: &Row<'_>, groups: usize, sums: &mut Sums) {
    if x.lower.is_empty() {
        dots_of::<F, false>(weights, x, groups, sums);
    } else {
        dots_of::<F, true>(weights, x, groups, sums);
    }
}

/// The same for activations of a byte, or of two.
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
fn dots_of<F: Format, const TWO: bool>(
    weights: &Streams<'_>,
    x: &Row<'_>,
    groups: usize,
    sums: &mut Sums,
) {
    let run = run::<F>();
    let (runs, padded) = (groups / run, groups.next_multiple_of(STEP));
    assert!(weights.row_bytes() >= groups / F::GROUPS * F::BYTES);
    assert!(x.ordered.len() >= padded * GROUP && x.starts.len() >= padded * lanes::<F>());
    assert!(!TWO || x.lower.len() >= padded * GROUP);
    assert!(x.natural.steps.len() >= groups && (!F::MINS || x.natural.sums.len() >= groups));
    for i in 0..weights.count() {
        let [a, b, c, d] = weights.rows(i);
        let zero = _mm512_setzero_ps();
        // Variables of their own, since the compiler keeps an array of them in memory.
        let (mut to_a, mut to_b, mut to_c, mut to_d) = (zero, zero, zero, zero);
        // SAFETY: all groups are within the slices, by the assertions above.
        unsafe {
            for group in (0..runs * run).step_by(run) {
                to_a = add_run::<F, TWO>(a, x, group, run, to_a);
                to_b = add_run::<F, TWO>(b, x, group, run, to_b);
                to_c = add_run::<F, TWO>(c, x, group, run, to_c);
                to_d = add_run::<F, TWO>(d, x, group, run, to_d);
            }
            let mut group = runs * run;
            if F::GROUPS > 1 && group < groups {
                to_a = add_run::<F, TWO>(a, x, group, F::GROUPS, to_a);
                to_b = add_run::<F, TWO>(b, x, group, F::GROUPS, to_b);
                to_c = add_run::<F, TWO>(c, x, group, F::GROUPS, to_c);
                to_d = add_run::<F, TWO>(d, x, group, F::GROUPS, to_d);
                group += F::GROUPS;
            }
            while groups - group > STEP / 2 {
                to_a = add_rest::<F, TWO>(a, x, group, groups, to_a);
                to_b = add_rest::<F, TWO>(b, x, group, groups, to_b);
                to_c = add_rest::<F, TWO>(c, x, group, groups, to_c);
                to_d = add_rest::<F, TWO>(d, x, group, groups, to_d);
                group = groups.min(group + STEP);
            }
            if group < groups {
                (to_a, to_b) = add_last::<F, TWO>([a, b], x, group, groups, (to_a, to_b));
                (to_c, to_d) = add_last::<F, TWO>([c, d], x, group, groups, (to_c, to_d));
            }
        }
        let found = sums_of_lanes([to_a, to_b, to_c, to_d]);
        sums.iter_mut().zip(found).for_each(|(sums, found)| sums[i] = found);
    }
}

/// `to` plus the products of a run of groups of a row of weights, from `group` on: a whole one, or one
/// of a single block of several groups.
///
/// # Safety
/// The run must be within the weights and the activations.
#[inline]
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn add_run<F: Format, const TWO: bool>(
    row: &[u8],
    x: &Row<'_>,
    group: usize,
    run: usize,
    mut to: __m512,
) -> __m512 {
    // SAFETY: as the caller promises; prefetching never faults.
    unsafe {
        let block = row.as_ptr().add(group / F::GROUPS * F::BYTES);
        for line in 0..(run / F::GROUPS * F::BYTES).div_ceil(64) {
            _mm_prefetch::<_MM_HINT_T1>(block.wrapping_add(FAR_AHEAD + line * 64).cast());
            _mm_prefetch::<_MM_HINT_T0>(block.wrapping_add(AHEAD + line * 64).cast());
        }
        let scales = scales::<F>(block, x, group, run, &mut to);
        for step in 0..run / STEP {
            let levels = if F::GROUPS > 1 {
                let steps = F::GROUPS / STEP;
                F::levels512_of_step(block.add(step / steps * F::BYTES), step % steps)
            } else {
                let of = |i| block.add((step * STEP + i) * F::BYTES);
                F::levels512_of_blocks([of(0), of(1), of(2), of(3)])
            };
            to = add_products::<F, TWO>(levels, x, group + step * STEP, step, &scales, to);
        }
        to
    }
}

/// `to` plus the products of up to four groups behind the last whole run, from `group` on.
///
/// # Safety
/// All groups below `groups` must be within the weights and the activations, and these be padded
/// with zeros.
#[inline]
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn add_rest<F: Format, const TWO: bool>(
    row: &[u8],
    x: &Row<'_>,
    group: usize,
    groups: usize,
    mut to: __m512,
) -> __m512 {
    let count = (groups - group).min(STEP);
    // SAFETY: as the caller promises. Groups behind the last are the last one's weights again;
    // their activations and scales are zero.
    unsafe {
        let first = row.as_ptr().add(group * F::BYTES);
        let of = |i: usize| first.add(i.min(count - 1) * F::BYTES);
        let blocks = [of(0), of(1), of(2), of(3)];
        let scales = few_scales::<F>(blocks, x, group, count, &mut to);
        add_products::<F, TWO>(F::levels512_of_blocks(blocks), x, group, 0, &scales, to)
    }
}

/// The same for the last one or two groups of two rows at once.
///
/// # Safety
/// As [`add_rest`].
#[inline]
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn add_last<F: Format, const TWO: bool>(
    rows: [&[u8]; 2],
    x: &Row<'_>,
    group: usize,
    groups: usize,
    (to_a, to_b): (__m512, __m512),
) -> (__m512, __m512) {
    // SAFETY: as the caller promises.
    unsafe {
        let first = group * F::BYTES;
        let (a, b) = (rows[0].as_ptr().add(first), rows[1].as_ptr().add(first));
        let second = (groups - group - 1) * F::BYTES;
        let blocks = [a, a.add(second), b, b.add(second)];
        let [low, high] = F::levels512_of_blocks(blocks);
        // The same activations for both rows, and nothing for groups that are not there.
        let twice = |from: *const u8| _mm512_broadcast_i64x4(_mm256_loadu_si256(from.cast()));
        let starts = x.starts.as_ptr().add(group * lanes::<F>());
        let there: __mmask8 = if second == 0 { 0b0101 } else { 0b1111 };
        let two = |from: &[f32]| {
            let two = _mm_maskz_loadu_ps(there & 3, from.as_ptr().add(group));
            _mm_movelh_ps(two, two)
        };
        let steps = two(x.natural.steps);
        let heads = heads(blocks);
        let scales = _mm_maskz_mul_ps(there, floats(heads), steps);
        let scales = _mm512_castps128_ps512(scales);
        if F::ORDER == Order::Halves {
            let start =
                if lanes::<F>() == 0 { _mm512_setzero_si512() } else { twice(starts.cast()) };
            let load = |bytes: *const u8, i: usize| twice(bytes.add((group + 2 * i) * GROUP));
            let sum = dot::<TWO, 2>(start, [low, high], x, load);
            let scale = _mm512_permutexvar_ps(each_by_four([0, 1, 2, 3]), scales);
            let mut both = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), scale);
            if F::MINS {
                let lows = floats(_mm_srli_epi32::<16>(heads));
                let sums = _mm_mul_ps(two(x.natural.sums), steps);
                let lows = _mm512_castps128_ps512(_mm_maskz_mul_ps(there, lows, sums));
                // One lane of each group's.
                let places = each_by_four([0, 1, 2, 3]);
                both = _mm512_add_ps(both, _mm512_maskz_permutexvar_ps(0x1111, places, lows));
            }
            let b = _mm512_maskz_shuffle_f32x4::<0b00_00_11_10>(0x00ff, both, both);
            return (_mm512_mask_add_ps(to_a, 0x00ff, to_a, both), _mm512_add_ps(to_b, b));
        }
        // Natural: the groups of each row in a vector of their own.
        let start = _mm512_loadu_si512(starts.cast());
        let load = |bytes: *const u8, _| _mm512_loadu_si512(bytes.add(group * GROUP).cast());
        let product = |levels| _mm512_cvtepi32_ps(dot::<TWO, 1>(start, [levels], x, load));
        let scale = |which| _mm512_permutexvar_ps(each_by_four(which), scales);
        (
            _mm512_fmadd_ps(product(low), scale([0, 0, 1, 1]), to_a),
            _mm512_fmadd_ps(product(high), scale([2, 2, 3, 3]), to_b),
        )
    }
}

/// The integer dot products of levels with activations, lane by lane: `load` takes vector `i` of these
/// from the first of their bytes on.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
fn dot<const TWO: bool, const N: usize>(
    start: __m512i,
    levels: [__m512i; N],
    x: &Row<'_>,
    load: impl Fn(*const u8, usize) -> __m512i,
) -> __m512i {
    let of = |bytes: &[u8], mut sum| {
        for (i, levels) in levels.into_iter().enumerate() {
            sum = _mm512_dpbusd_epi32(sum, levels, load(bytes.as_ptr(), i));
        }
        sum
    };
    if !TWO {
        return of(x.ordered, start);
    }
    let (upper, lower) = (of(x.ordered, _mm512_setzero_si512()), of(x.lower, start));
    _mm512_add_epi32(_mm512_slli_epi32::<8>(upper), lower)
}

/// The sum of the lanes of each vector.
#[inline]
#[target_feature(enable = "avx512f")]
fn sums_of_lanes([a, b, c, d]: [__m512; STREAMS]) -> [f32; STREAMS] {
    let ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
    let cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
    // In each quarter the sums so far of a, b, c and d.
    let low = _mm512_shuffle_ps::<0b01_00_01_00>(ab, cd);
    let high = _mm512_shuffle_ps::<0b11_10_11_10>(ab, cd);
    let all = _mm512_add_ps(low, high);
    let all = _mm512_add_ps(all, _mm512_shuffle_f32x4::<0b01_00_11_10>(all, all));
    let all = _mm512_add_ps(all, _mm512_shuffle_f32x4::<0b10_11_00_01>(all, all));
    let mut sums = [0.0; STREAMS];
    // SAFETY: four floats.
    unsafe { _mm_storeu_ps(sums.as_mut_ptr(), _mm512_castps512_ps128(all)) };
    sums
}

/// Four numbers, four times each.
#[inline]
#[target_feature(enable = "avx512f")]
fn each_by_four([a, b, c, d]: [usize; 4]) -> __m512i {
    let [a, b, c, d] = [a as i32, b as i32, c as i32, d as i32];
    _mm512_setr_epi32(a, a, a, a, b, b, b, b, c, c, c, c, d, d, d, d)
}

/// `to` plus the products of the four groups from `group` on. Their scales are those from
/// `STEP * step` on.
///
/// # Safety
/// The groups must be within the activations.
#[inline]
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn add_products<F: Format, const TWO: bool>(
    [low, high]: [__m512i; 2],
    x: &Row<'_>,
    group: usize,
    step: usize,
    scales: &__m512,
    to: __m512,
) -> __m512 {
    // SAFETY: as the caller promises.
    unsafe {
        let load = |bytes: *const u8, i: usize| {
            _mm512_loadu_si512(bytes.add(group * GROUP + i * 64).cast())
        };
        let start = |i: usize| {
            if lanes::<F>() == 0 {
                _mm512_setzero_si512()
            } else {
                let at = group * lanes::<F>() + i * 16;
                _mm512_loadu_si512(x.starts.as_ptr().add(at).cast())
            }
        };
        let scale = |which: [usize; 4]| _mm512_permutexvar_ps(each_by_four(which), *scales);
        let g = step * STEP;
        if F::ORDER == Order::Halves {
            let sum = _mm512_cvtepi32_ps(dot::<TWO, 2>(start(0), [low, high], x, load));
            return _mm512_fmadd_ps(sum, scale([g, g + 1, g + 2, g + 3]), to);
        }
        let product = |i: usize, levels| {
            let load = |bytes, _| load(bytes, i);
            _mm512_cvtepi32_ps(dot::<TWO, 1>(start(i), [levels], x, load))
        };
        let (low, high) = (product(0, low), product(1, high));
        let (low_scale, high_scale) = if F::HALVES {
            let h = 2 * g;
            (scale([h, h + 1, h + 2, h + 3]), scale([h + 4, h + 5, h + 6, h + 7]))
        } else if F::ORDER == Order::Turns {
            (scale([g, g, g + 2, g + 2]), scale([g + 1, g + 1, g + 3, g + 3]))
        } else {
            (scale([g, g, g + 1, g + 1]), scale([g + 2, g + 2, g + 3, g + 3]))
        };
        _mm512_fmadd_ps(high, high_scale, _mm512_fmadd_ps(low, low_scale, to))
    }
}
