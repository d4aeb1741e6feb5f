//! The reference implementation.

use super::{Attention, Sizes};
use bessemer_core::Host;

pub(super) fn attention(op: &Attention, host: &mut Host<'_>) {
    let Sizes { rows, heads, kv_heads, tokens, head_size } = op.sizes();
    let (q, k, v) = (host.read(&op.q), host.read(&op.k), host.read(&op.v));
    let positions = op.positions.as_ref().map(|positions| host.read(positions));
    let mut out = vec![0.0; q.len()];
    for row in 0..rows {
        let visible = positions.as_ref().map_or(0..tokens, |p| op.visible(p[row] as i64));
        for head in 0..heads {
            let kv_head = head / (heads / kv_heads);
            let at = |token: usize| (kv_head * tokens + token) * head_size;
            let q = &q[(row * heads + head) * head_size..][..head_size];
            let out = &mut out[(row * heads + head) * head_size..][..head_size];
            let mut scores: Vec<f64> = visible.clone().map(|t| dot(q, &k[at(t)..])).collect();
            for score in &mut scores {
                *score *= f64::from(op.scale);
                if let Some(cap) = op.soft_cap.map(f64::from) {
                    *score = cap * (*score / cap).tanh();
                }
            }
            let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
            for (token, score) in visible.clone().zip(&scores) {
                let weight = (score - most).exp() / sum;
                out.iter_mut().zip(&v[at(token)..]).for_each(|(out, v)| *out += weight * v);
            }
        }
    }
    host.write(&op.out, &out);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
