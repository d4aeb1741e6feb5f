//! The search for a step, as in [`crate::fit`], with the values of the book for levels.

use super::{BOOK, LEN};
use crate::fit::inverse;

/// The number of the value of the book that is nearest to `y`, and that value.
#[inline(always)]
pub(super) fn nearest(y: f32) -> (u8, f32) {
    let (mut number, mut value) = (0, f32::from(BOOK[0]));
    for pair in BOOK.windows(2) {
        let (low, high) = (f32::from(pair[0]), f32::from(pair[1]));
        let above = y > (low + high) * 0.5;
        number += u8::from(above);
        value += if above { high - low } else { 0.0 };
    }
    (number, value)
}

/// The step `d` for which the values of the book times `d` come nearest to `values`, of which the
/// largest magnitude is 1.
#[inline(always)]
pub(super) fn step(values: &[f32; LEN]) -> f32 {
    let mut peak = 0f32;
    for &x in values {
        if x.abs() > peak.abs() {
            peak = x;
        }
    }
    let refit = |best: (f32, f32), scale: f32| {
        let (mut xq, mut qq) = (0.0, 0.0);
        for &x in values {
            let q = nearest(x * scale).1;
            xq += x * q;
            qq += q * q;
        }
        // The squared error falls by xq² / qq; no value of the book is zero.
        let better = xq * xq > best.1 * qq;
        if better { (xq / qq, xq * xq / qq) } else { best }
    };
    let mut best = (-peak / 127.0, 0.0);
    for step in -8..=5 {
        let more = 2.5 * step as f32;
        best = refit(best, -(127.0 + more) / peak);
        best = refit(best, (113.0 + more) / peak);
    }
    for _ in 0..2 {
        best = refit(best, inverse(best.0));
    }
    best.0
}
