//! The reference implementation.

use super::{Sort, Sorted};
use bessemer_core::Host;
use std::cmp::Ordering;

pub(super) fn sort(op: &Sort, host: &mut Host<'_>) {
    let x = host.read(&op.x);
    let mut out = Vec::with_capacity(x.len());
    for row in x.chunks(op.x.shape().width().max(1)) {
        let mut order: Vec<usize> = (0..row.len()).collect();
        // The sort keeps the order of equal elements.
        order.sort_by(|&a, &b| {
            let (a, b) = (row[a], row[b]);
            let numbers = a.partial_cmp(&b).unwrap_or(Ordering::Equal);
            let numbers = if op.descending { numbers.reverse() } else { numbers };
            a.is_nan().cmp(&b.is_nan()).then(numbers)
        });
        match op.out {
            Sorted::Elements(_) => out.extend(order.iter().map(|&i| row[i])),
            Sorted::Indices(_) => out.extend(order.iter().map(|&i| i as f64)),
        }
    }
    host.write(op.out.view(), &out);
}
