//! The reference implementation.

use super::TopK;
use bessemer_core::Host;

pub(super) fn top_k(op: &TopK, host: &mut Host<'_>) {
    let (x, k) = (host.read(&op.x), op.values.shape().width());
    let (mut values, mut indices) = (Vec::new(), Vec::new());
    for row in x.chunks(op.x.shape().width().max(1)) {
        let mut order: Vec<usize> = (0..row.len()).collect();
        // The sort keeps the order of equal elements; NaN counts as the largest.
        order.sort_by(|&a, &b| {
            let (a, b) = (row[a], row[b]);
            b.is_nan().cmp(&a.is_nan()).then(b.partial_cmp(&a).unwrap_or(std::cmp::Ordering::Equal))
        });
        values.extend(order[..k].iter().map(|&i| row[i]));
        indices.extend(order[..k].iter().map(|&i| i as f64));
    }
    host.write(&op.values, &values);
    host.write(&op.indices, &indices);
}
