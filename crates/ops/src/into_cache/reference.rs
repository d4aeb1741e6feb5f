//! The reference implementation.

use super::IntoCache;
use bessemer_core::{Host, View};

pub(super) fn into_cache(op: &IntoCache, host: &mut Host<'_>) {
    let positions = host.read(&op.positions);
    let frequencies = host.read(&op.frequencies);
    let epsilon = op.norms.as_ref().map_or(0.0, |norms| f64::from(norms.epsilon));
    let prepared = |x: &View, norm: Option<&View>| {
        let [_, heads, size] = **x.shape() else { return Vec::new() };
        let weight = norm.map(|norm| host.read(norm));
        let mut values = host.read(x);
        for (number, head) in values.chunks_mut(size.max(1)).enumerate() {
            if let Some(weight) = &weight {
                let mean = head.iter().map(|x| x * x).sum::<f64>() / size as f64;
                let scale = 1.0 / (mean + epsilon).sqrt();
                head.iter_mut().zip(weight).for_each(|(x, weight)| *x *= scale * weight);
            }
            for (i, frequency) in frequencies.iter().enumerate() {
                let (sin, cos) = (positions[number / heads] * frequency).sin_cos();
                let (first, second) = op.pairs.elements(i, frequencies.len());
                let (a, b) = (head[first], head[second]);
                head[first] = (a * cos - b * sin) * f64::from(op.magnitude);
                head[second] = (b * cos + a * sin) * f64::from(op.magnitude);
            }
        }
        values
    };
    let q = prepared(&op.q, op.norms.as_ref().map(|norms| &norms.q));
    let k = prepared(&op.k, op.norms.as_ref().map(|norms| &norms.k));
    let v = host.read(&op.v);
    host.write(&op.out, &q);

    let [kv_heads, tokens, size] = **op.keys.shape() else { return };
    for (row, &place) in host.read(op.places()).iter().enumerate() {
        if place >= tokens as f64 {
            continue;
        }
        let at = place as usize;
        let own = row * kv_heads * size..(row + 1) * kv_heads * size;
        for (cache, values) in [(&op.keys, &k), (&op.values, &v)] {
            let place = cache.narrow(1, at..at + 1).expect("a row of the cache");
            host.write(&place, &values[own.clone()]);
        }
    }
}
