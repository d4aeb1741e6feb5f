//! The reference implementation.

use super::{Sort, Sorted};
use bessemer_core::{Host, Number};
use std::cmp::Ordering;

pub(super) fn sort(op: &Sort, host: &mut Host<'_>) {
    let x = host.read_numbers(&op.x);
    let mut out = Vec::with_capacity(x.len());
    for row in x.chunks(op.x.shape().width().max(1)) {
        let mut order: Vec<usize> = (0..row.len()).collect();
        // The sort keeps the order of equal elements.
        order.sort_by(|&a, &b| {
            let (a, b) = (row[a], row[b]);
            let numbers = compare(a, b);
            let numbers = if op.descending { numbers.reverse() } else { numbers };
            a.to_f64().is_nan().cmp(&b.to_f64().is_nan()).then(numbers)
        });
        match op.out {
            Sorted::Elements(_) => out.extend(order.iter().map(|&i| row[i])),
            Sorted::Indices(_) => out.extend(order.iter().map(|&i| Number::Integer(i as i128))),
        }
    }
    host.write_numbers(op.out.view(), &out);
}

/// Which of two numbers is less; NaN is equal to all.
fn compare(a: Number, b: Number) -> Ordering {
    match (a, b) {
        (Number::Integer(a), Number::Integer(b)) => a.cmp(&b),
        (a, b) => a.to_f64().partial_cmp(&b.to_f64()).unwrap_or(Ordering::Equal),
    }
}
