//! The reference implementation.

use super::{Dot, Matmul};
use bessemer_core::{Host, Shape, View};

pub(super) fn matmul(op: &Matmul, host: &mut Host<'_>) {
    let (m, k, n) = op.sizes();
    let (a, b) = (host.read(&widened(&op.a, op)), host.read(&widened(&op.b, op)));
    let mut out = vec![0.0; op.out.elements()];
    for (i, out) in out.iter_mut().enumerate() {
        let (batch, row, column) = (i / (m * n), i / n % m, i % n);
        for j in 0..k {
            *out += a[(batch * m + row) * k + j] * b[(batch * k + j) * n + column];
        }
    }
    host.write(&op.out, &out);
}

/// The view with the leading dimensions of the result.
fn widened(view: &View, op: &Matmul) -> View {
    let mut dims = op.out.shape().to_vec();
    let last = dims.len() - 2;
    dims[last..].copy_from_slice(&view.shape()[view.shape().rank() - 2..]);
    let shape = Shape::new(&dims).expect("as many elements as a product needs");
    view.broadcast_to(shape).expect("checked by the rule")
}

pub(super) fn dot(op: &Dot, host: &mut Host<'_>) {
    let (a, b) = (host.read(&op.a), host.read(&op.b));
    let sum = a.iter().zip(&b).map(|(a, b)| a * b).sum();
    host.write(&op.out, &[sum]);
}
