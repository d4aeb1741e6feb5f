//! The reference implementation.

use super::Variance;
use bessemer_core::Host;

pub(super) fn variance(op: &Variance, host: &mut Host<'_>) {
    let (x, shape) = (host.read(&op.x), op.x.shape());
    let cells = op.out.elements() / 2;
    // Which cell of the output each element belongs to.
    let cell = |i: usize| {
        let (mut rest, mut cell, mut step) = (i, 0, 1);
        for axis in (0..shape.rank()).rev() {
            if !op.axes.contains(&axis) {
                cell += rest % shape[axis] * step;
                step *= shape[axis];
            }
            rest /= shape[axis];
        }
        cell
    };
    let count = op.count() as f64;
    let mut means = vec![0.0; cells];
    (0..x.len()).for_each(|i| means[cell(i)] += x[i]);
    means.iter_mut().for_each(|mean| *mean /= count);
    let mut squares = vec![0.0; cells];
    (0..x.len()).for_each(|i| squares[cell(i)] += (x[i] - means[cell(i)]).powi(2));
    means.extend(squares.iter().map(|square| square / op.divisor()));
    host.write(&op.out, &means);
}
