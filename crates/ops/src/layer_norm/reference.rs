//! The reference implementation.

use super::LayerNorm;
use bessemer_core::Host;

pub(super) fn layer_norm(op: &LayerNorm, host: &mut Host<'_>) {
    let mut x = host.read(&op.x);
    let width = op.x.shape().width().max(1);
    let weight = op.weight.as_ref().map_or(vec![1.0; width], |weight| host.read(weight));
    let bias = op.bias.as_ref().map_or(vec![0.0; width], |bias| host.read(bias));
    for row in x.chunks_mut(width) {
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64;
        let scale = 1.0 / (variance + f64::from(op.epsilon)).sqrt();
        for ((x, weight), bias) in row.iter_mut().zip(&weight).zip(&bias) {
            *x = (*x - mean) * scale * weight + bias;
        }
    }
    host.write(&op.out, &x);
}
