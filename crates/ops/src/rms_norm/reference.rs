//! The reference implementation.

use super::RmsNorm;
use bessemer_core::Host;

pub(super) fn rms_norm(op: &RmsNorm, host: &mut Host<'_>) {
    let mut x = host.read(&op.x);
    let weight = host.read(&op.weight);
    for row in x.chunks_mut(weight.len().max(1)) {
        let mean = row.iter().map(|x| x * x).sum::<f64>() / row.len() as f64;
        let scale = 1.0 / (mean + f64::from(op.epsilon)).sqrt();
        for (x, weight) in row.iter_mut().zip(&weight) {
            *x *= scale * weight;
        }
    }
    host.write(&op.out, &x);
}
