//! The reference implementation.

use super::Softmax;
use bessemer_core::Host;

pub(super) fn softmax(op: &Softmax, host: &mut Host<'_>) {
    let mut z = host.read(&op.x);
    let mask = op.full_mask().and_then(Result::ok).map(|mask| host.read(&mask));
    for (i, z) in z.iter_mut().enumerate() {
        *z = *z * f64::from(op.scale) + mask.as_ref().map_or(0.0, |mask| mask[i]);
    }
    for row in z.chunks_mut(op.x.shape().width().max(1)) {
        if row.iter().all(|&z| z == f64::NEG_INFINITY) {
            row.fill(if op.log { f64::NEG_INFINITY } else { 0.0 });
            continue;
        }
        let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = row.iter().map(|z| (z - max).exp()).sum();
        for z in row {
            *z = if op.log { *z - max - sum.ln() } else { (*z - max).exp() / sum };
        }
    }
    host.write(&op.out, &z);
}
