//! The reference implementation.

use super::{Dot, Matmul};
use bessemer_core::{Complex, Host, Number, Shape, View};

pub(super) fn matmul(op: &Matmul, host: &mut Host<'_>) {
    let (a, b) = (widened(&op.a, op), widened(&op.b, op));
    match op.out.dtype() {
        dtype if dtype.is_integer() => {
            let number = |number: Number| match number {
                Number::Integer(x) => x as u64,
                Number::Float(_) => unreachable!("{dtype} is an integer"),
            };
            let read = |view| host.read_numbers(view).into_iter().map(number).collect::<Vec<_>>();
            let add = |sum: u64, x: u64, y: u64| sum.wrapping_add(x.wrapping_mul(y));
            let out = sums(op, &read(&a), &read(&b), add);
            host.write_bits(&op.out, &out);
        }
        dtype if dtype.is_complex() => {
            let complex = |view| -> Vec<Complex<f64>> {
                let parts = host.read(view);
                parts.as_chunks().0.iter().map(|&[re, im]| Complex::new(re, im)).collect()
            };
            let out = sums(op, &complex(&a), &complex(&b), |sum, x, y| sum + x * y);
            let out: Vec<f64> = out.iter().flat_map(|z| [z.re, z.im]).collect();
            host.write(&op.out, &out);
        }
        _ => {
            let out = sums(op, &host.read(&a), &host.read(&b), |sum, x, y| sum + x * y);
            host.write(&op.out, &out);
        }
    }
}

/// The sums of products, each begun with zero; `add` adds one.
fn sums<T: Copy + Default>(op: &Matmul, a: &[T], b: &[T], add: impl Fn(T, T, T) -> T) -> Vec<T> {
    let (m, k, n) = op.sizes();
    let sum = |i: usize| {
        let (batch, row, column) = (i / (m * n), i / n % m, i % n);
        let (a, b) = (&a[(batch * m + row) * k..][..k], &b[batch * k * n..]);
        (0..k).fold(T::default(), |sum, j| add(sum, a[j], b[j * n + column]))
    };
    (0..op.out.elements()).map(sum).collect()
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
