//! On GPUs: two reductions, of the elements and of their squared distances from the mean.

use super::Variance;
use crate::{Input, Reduce, ReduceKind};
use bessemer_core::{Error, Result};
use bessemer_program::{Builder, Direction, Literal, Type};

/// The mean, and then the variance.
pub(super) fn steps(op: &Variance) -> Result<[Reduce; 2]> {
    let (x, dtype) = (op.x.clone(), op.x.dtype());
    let (mean, out) = (op.part(0)?, op.part(1)?);
    let wrong = |error: bessemer_program::Error| Error::view(error.to_string());
    let mut b = Builder::new("mean");
    let view = b.view("x", dtype, Direction::In);
    let value = b.load(view);
    b.yield_(value);
    let plain = b.finish().map_err(wrong)?;
    let mut b = Builder::new("variance");
    let view = b.view("x", dtype, Direction::In);
    let of_mean = b.view("mean", dtype, Direction::In);
    let share = b.uniform("share", Type::F32);
    let (value, centre) = (b.load(view), b.load(of_mean));
    let distance = b.sub(value, centre);
    let square = b.mul(distance, distance);
    let share = b.mul(square, share);
    b.yield_(share);
    let squared = b.finish().map_err(wrong)?;
    let share = Input::Value(Literal::from_f64(Type::F32, 1.0 / op.divisor()));
    let reduce = |program, kind, inputs, output| Reduce {
        program,
        kind,
        axes: op.axes.clone(),
        keepdim: true,
        inputs,
        output,
    };
    // Nothing has no variance, though the sum of nothing is 0.
    let total = if op.count() == 0 { ReduceKind::Mean } else { ReduceKind::Sum };
    let centre = mean.broadcast_to(*x.shape())?;
    Ok([
        reduce(plain, ReduceKind::Mean, vec![x.clone().into()], mean),
        reduce(squared, total, vec![x.into(), centre.into(), share], out),
    ])
}
