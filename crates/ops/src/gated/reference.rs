//! The reference implementation.

use super::{Activation, Gated};
use bessemer_core::Host;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI};

pub(super) fn gated(op: &Gated, host: &mut Host<'_>) {
    let mut values = host.read(&op.gate);
    for (x, up) in values.iter_mut().zip(host.read(&op.up)) {
        *x = activated(op.activation, *x) * up;
    }
    host.write(&op.out, &values);
}

pub(crate) fn activated(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Silu => x / (1.0 + (-x).exp()),
        Activation::Gelu => x * libm::erfc(-x * FRAC_1_SQRT_2) / 2.0,
        Activation::GeluTanh => {
            let inner = FRAC_2_PI.sqrt() * (x + 0.044715 * x.powi(3));
            x * (1.0 + inner.tanh()) / 2.0
        }
        Activation::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        Activation::Tanh => x.tanh(),
        Activation::SquaredRelu => {
            if x < 0.0 {
                0.0
            } else {
                x * x
            }
        }
    }
}
