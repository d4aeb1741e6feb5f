//! The reference implementation.

use super::GroupNorm;
use bessemer_core::Host;

pub(super) fn group_norm(op: &GroupNorm, host: &mut Host<'_>) {
    let mut x = host.read(&op.x);
    let channels = op.x.shape()[1];
    let size: usize = op.x.shape()[2..].iter().product();
    let weight = op.weight.as_ref().map_or(vec![1.0; channels], |weight| host.read(weight));
    let bias = op.bias.as_ref().map_or(vec![0.0; channels], |bias| host.read(bias));
    let len = channels / op.groups * size;
    for (number, group) in x.chunks_mut(len.max(1)).enumerate() {
        let mean = group.iter().sum::<f64>() / len as f64;
        let variance = group.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / len as f64;
        let scale = 1.0 / (variance + f64::from(op.epsilon)).sqrt();
        for (i, x) in group.iter_mut().enumerate() {
            let channel = (number * len + i) / size % channels;
            *x = (*x - mean) * scale * weight[channel] + bias[channel];
        }
    }
    host.write(&op.out, &x);
}
