//! The reference implementation.

use super::AddRmsNorm;
use bessemer_core::Host;

pub(super) fn add_rms_norm(op: &AddRmsNorm, host: &mut Host<'_>) {
    let (mut x, y, weight) = (host.read(&op.x), host.read(&op.y), host.read(&op.weight));
    for (x, y) in x.iter_mut().zip(y) {
        *x += y;
    }
    host.write(&op.sum, &x);
    for row in x.chunks_mut(weight.len().max(1)) {
        let mean = row.iter().map(|x| x * x).sum::<f64>() / row.len() as f64;
        let scale = 1.0 / (mean + f64::from(op.epsilon)).sqrt();
        for (x, weight) in row.iter_mut().zip(&weight) {
            *x *= scale * weight;
        }
    }
    host.write(&op.out, &x);
}
