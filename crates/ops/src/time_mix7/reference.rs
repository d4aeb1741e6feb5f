//! The reference implementation.

use super::{FASTEST, SHORTEST, TimeMix7};
use crate::check::dims;
use bessemer_core::Host;

pub(super) fn time_mix7(op: &TimeMix7, host: &mut Host<'_>) {
    let [sequences, tokens, heads, size]: [usize; 4] = dims(op.out.shape());
    let (x, weights) = (host.read(&op.x), host.read(&op.weights));
    let (mut first, mut state) = (host.read(&op.first), host.read(&op.state));
    let mut out = vec![0.0; first.len()];
    for token in 0..sequences * tokens {
        for head in 0..heads {
            let at = (token * heads + head) * size;
            let part = |n: usize| &x[n * out.len() + at..][..size];
            let weight = |n: usize| &weights[(n * heads + head) * size..][..size];
            let [r, w, k, a, g, f] = [0, 1, 2, 4, 5, 6].map(part);
            let mut v = part(3).to_vec();
            if op.is_first {
                first[at..][..size].copy_from_slice(&v);
            }
            for i in 0..size {
                v[i] += (first[at + i] - v[i]) * sigmoid(f[i]) * f64::from(!op.is_first);
            }
            let mut d: Vec<f64> = (0..size).map(|i| k[i] * weight(0)[i]).collect();
            let length = d.iter().map(|x| x * x).sum::<f64>().sqrt().max(SHORTEST.into());
            d.iter_mut().for_each(|x| *x /= length);
            let k: Vec<f64> =
                (0..size).map(|i| k[i] * (1.0 + (sigmoid(a[i]) - 1.0) * weight(1)[i])).collect();

            let matrix = (token / tokens * heads + head) * size * size;
            let mut y = vec![0.0; size];
            for j in 0..size {
                let cell = |i: usize| matrix + i * size + j;
                let forgotten: f64 = (0..size).map(|i| state[cell(i)] * d[i]).sum();
                for i in 0..size {
                    let kept = state[cell(i)] * (FASTEST * sigmoid(w[i])).exp();
                    state[cell(i)] = kept - forgotten * d[i] * sigmoid(a[i]) + v[j] * k[i];
                    y[j] += state[cell(i)] * r[i];
                }
            }
            if let Some(epsilon) = op.norm {
                let mean = y.iter().sum::<f64>() / size as f64;
                let variance = y.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / size as f64;
                let scale = 1.0 / (variance + f64::from(epsilon)).sqrt();
                for (y, (by, more)) in y.iter_mut().zip(weight(3).iter().zip(weight(4))) {
                    *y = (*y - mean) * scale * by + more;
                }
            }
            let bonus: f64 = (0..size).map(|i| r[i] * k[i] * weight(2)[i]).sum();
            for i in 0..size {
                out[at + i] = (y[i] + bonus * v[i]) * if op.gate { g[i] } else { 1.0 };
            }
        }
    }
    host.write(&op.out, &out);
    host.write(&op.state, &state);
    if op.is_first {
        host.write(&op.first, &first);
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
