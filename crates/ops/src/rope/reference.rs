//! The reference implementation.

use super::Rope;
use bessemer_core::Host;

pub(super) fn rope(op: &Rope, host: &mut Host<'_>) {
    let mut x = host.read(&op.x);
    let (positions, frequencies) = (host.read(&op.positions), host.read(&op.frequencies));
    let [_, heads, size] = **op.x.shape() else { return };
    let magnitude = f64::from(op.magnitude);
    for (number, head) in x.chunks_mut(size.max(1)).enumerate() {
        for (i, frequency) in frequencies.iter().enumerate() {
            let (sin, cos) = (positions[number / heads] * frequency).sin_cos();
            let (first, second) = op.pairs.elements(i, frequencies.len());
            let (a, b) = (head[first], head[second]);
            head[first] = (a * cos - b * sin) * magnitude;
            head[second] = (b * cos + a * sin) * magnitude;
        }
    }
    host.write(&op.out, &x);
}
