//! The reference implementation.

use super::Linear;
use crate::{Activation, gated::activated};
use bessemer_core::Host;

pub(super) fn linear(op: &Linear, activation: Option<Activation>, host: &mut Host<'_>) {
    let (rows, k, n) = op.sizes();
    let (x, weight) = (host.read(&op.x), host.read(&op.weight));
    let bias = op.bias.as_ref().map_or(vec![0.0; n], |bias| host.read(bias));
    let mut out = Vec::with_capacity(rows * n);
    for row in 0..rows {
        let x = &x[row * k..][..k];
        for column in 0..n {
            let weight = &weight[column * k..][..k];
            let sum: f64 = x.iter().zip(weight).map(|(x, w)| x * w).sum();
            let sum = sum + bias[column];
            out.push(activation.map_or(sum, |activation| activated(activation, sum)));
        }
    }
    host.write(&op.out, &out);
}
