//! The reference implementation.

use super::AddLayerNorm;
use bessemer_core::Host;

pub(super) fn add_layer_norm(op: &AddLayerNorm, host: &mut Host<'_>) {
    let (mut x, y, weight) = (host.read(&op.x), host.read(&op.y), host.read(&op.weight));
    let bias = op.bias.as_ref().map_or(vec![0.0; weight.len()], |bias| host.read(bias));
    for (x, y) in x.iter_mut().zip(y) {
        *x += y;
    }
    host.write(&op.sum, &x);
    for row in x.chunks_mut(weight.len().max(1)) {
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64;
        let scale = 1.0 / (variance + f64::from(op.epsilon)).sqrt();
        for ((x, weight), bias) in row.iter_mut().zip(&weight).zip(&bias) {
            *x = (*x - mean) * scale * weight + bias;
        }
    }
    host.write(&op.out, &x);
}
