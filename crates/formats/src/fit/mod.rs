//! The searches for scales that the encoders share. They know no layouts.

/// What an encoder finds in a run of values before it starts.
pub(crate) enum Range {
    /// A NaN or an infinity is there.
    NotFinite,
    /// All are zero, or too small for any scale.
    Zero,
    /// The largest magnitude.
    Peak(f32),
}

/// Looks at the values of a block. Peaks below the smallest half are nothing to any format.
#[inline(always)]
pub(crate) fn range(values: &[f32]) -> Range {
    // Magnitudes order like their bits, and everything not finite comes after all others.
    let top = values.iter().fold(0, |top, x| top.max(x.to_bits() & 0x7fff_ffff));
    let peak = f32::from_bits(top);
    if !peak.is_finite() {
        Range::NotFinite
    } else if peak < 1e-12 {
        Range::Zero
    } else {
        Range::Peak(peak)
    }
}

/// The nearest integer, for magnitudes below 2²²; ties to even.
#[inline(always)]
pub(crate) fn nearest(x: f32) -> f32 {
    // Adding 1.5·2²³ leaves no bits for a fraction.
    const MAGIC: f32 = 12_582_912.0;
    (x + MAGIC) - MAGIC
}

/// `x / step`, to the nearest level within `low..=high`. A step of 0 gives level 0.
#[inline(always)]
pub(crate) fn level(x: f32, inverse: f32, low: f32, high: f32) -> f32 {
    nearest((x * inverse).max(low - 1.0).min(high + 1.0)).max(low).min(high)
}

/// 1 / x, or 0 where that is not finite.
#[inline(always)]
pub(crate) fn inverse(x: f32) -> f32 {
    let inverse = 1.0 / x;
    if inverse.is_finite() { inverse } else { 0.0 }
}

/// The value of the largest magnitude, the first of several.
#[inline(always)]
pub(crate) fn furthest(values: &[f32]) -> f32 {
    let mut furthest = 0f32;
    for &x in values {
        if x.abs() > furthest.abs() {
            furthest = x;
        }
    }
    furthest
}

/// The step `d` for which levels `-n..n` times `d` come nearest to `values`, found by trying the
/// steps around those that put the peak at an end, each refitted by least squares. Magnitudes
/// must be at most 1.
#[inline(always)]
pub(crate) fn symmetric<const LEN: usize>(values: &[f32; LEN], n: f32) -> f32 {
    let peak = furthest(values);
    if peak.abs() < 1e-9 {
        return 0.0;
    }
    let refit = |best: (f32, f32), scale: f32| {
        let (mut xq, mut qq) = (0.0, 0.0);
        for &x in values {
            let q = level(x, scale, -n, n - 1.0);
            xq += x * q;
            qq += q * q;
        }
        // The squared error falls by xq² / qq.
        let better = qq > 0.0 && xq * xq > best.1 * qq;
        if better { (xq / qq, xq * xq / qq) } else { best }
    };
    let mut best = (-peak / n, 0.0);
    for step in -12..=8 {
        best = refit(best, -(n + 0.1 * step as f32) / peak);
    }
    for step in -8..=4 {
        best = refit(best, (n - 1.0 + 0.1 * step as f32) / peak);
    }
    for _ in 0..2 {
        best = refit(best, inverse(best.0));
    }
    best.0
}

/// The step `d` and start `m` for which `m + d · (0..=n)` comes nearest to `values`; `m` is not
/// positive if `below_zero`. Found as in [`symmetric`]. Magnitudes must be at most 1.
#[inline(always)]
pub(crate) fn affine<const LEN: usize>(
    values: &[f32; LEN],
    n: f32,
    below_zero: bool,
) -> (f32, f32) {
    let (mut low, mut high, mut x_sum) = (f32::INFINITY, f32::NEG_INFINITY, 0.0);
    for &x in values {
        low = low.min(x);
        high = high.max(x);
        x_sum += x;
    }
    if below_zero {
        low = low.min(0.0);
    }
    let width = high - low;
    if width < 1e-9 {
        return (0.0, low);
    }
    let count = LEN as f32;
    let refit = |best: (f32, f32, f32), scale: f32, low: f32| {
        let (mut q1, mut q2, mut xq) = (0.0, 0.0, 0.0);
        for &x in values {
            let q = level(x - low, scale, 0.0, n);
            q1 += q;
            q2 += q * q;
            xq += x * q;
        }
        let det = count * q2 - q1 * q1;
        if det <= 0.0 {
            return best;
        }
        let mut d = (count * xq - x_sum * q1) / det;
        let mut m = (q2 * x_sum - q1 * xq) / det;
        if below_zero && m > 0.0 {
            (d, m) = (xq / q2, 0.0);
        }
        // The squared error falls by d·xq + m·x_sum where d and m are the least-squares ones.
        let gain = d * xq + m * x_sum;
        if gain > best.2 { (d, m, gain) } else { best }
    };
    let mut best = (width / n, low, f32::NEG_INFINITY);
    for step in -10..=10 {
        best = refit(best, (n + 0.1 * step as f32) / width, low);
    }
    for _ in 0..2 {
        best = refit(best, inverse(best.0), best.1);
    }
    (best.0, best.1)
}
