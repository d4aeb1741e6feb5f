//! Products on GPUs of what has no kernel of its own, integers and complex numbers: as sums of products
//! over the inner dimension.

use super::Matmul;
use crate::{Reduce, ReduceKind};
use bessemer_core::{DType, Error, Result, View, gpu::Launches};
use bessemer_program::{Binary, Builder, Direction, Program};

/// The launches of the sums that a product is.
pub(super) fn launches(
    op: &Matmul,
    launch: impl Fn(&Reduce) -> Result<Launches>,
) -> Result<Launches> {
    let (a, b) = (left(&op.a)?, right(&op.b)?);
    if !op.out.dtype().is_complex() {
        return launch(&sum(product(op.out.dtype())?, vec![a, b], &op.out));
    }
    let inputs = [a.parts()?, b.parts()?].concat();
    let [re, im] = op.out.parts()?;
    let mut all = Launches::default();
    for (part, out) in [(Part::Real, re), (Part::Imaginary, im)] {
        let sum = launch(&sum(complex_product(part)?, inputs.clone(), &out))?;
        // Each is done before the next begins.
        all.scratch = all.scratch.max(sum.scratch);
        all.launches.extend(sum.launches);
    }
    Ok(all)
}

/// `[..., m, k]` as `[..., m, 1, k]`.
fn left(view: &View) -> Result<View> {
    view.unsqueeze(view.shape().rank() - 1)
}

/// `[..., k, n]` as `[..., 1, n, k]`.
fn right(view: &View) -> Result<View> {
    let rank = view.shape().rank();
    let mut axes: Vec<usize> = (0..rank).collect();
    axes.swap(rank - 2, rank - 1);
    view.permute(&axes)?.unsqueeze(rank - 2)
}

fn sum(program: Program, inputs: Vec<View>, out: &View) -> Reduce {
    Reduce {
        program,
        kind: ReduceKind::Sum,
        axes: vec![out.shape().rank()],
        keepdim: false,
        inputs: inputs.into_iter().map(Into::into).collect(),
        output: out.clone(),
    }
}

fn product(dtype: DType) -> Result<Program> {
    let mut b = Builder::new("product");
    let factors = ["a", "b"].map(|name| b.view(name, dtype, Direction::In));
    let [x, y] = factors.map(|view| b.load(view));
    let z = b.mul(x, y);
    b.yield_(z);
    b.finish().map_err(|error| Error::view(error.to_string()))
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Real,
    Imaginary,
}

fn complex_product(part: Part) -> Result<Program> {
    let mut b = Builder::new("complex_product");
    let views = ["a_re", "a_im", "b_re", "b_im"];
    let views = views.map(|name| b.view(name, DType::F32, Direction::In));
    let [a_re, a_im, b_re, b_im] = views.map(|view| b.load(view));
    let (other, op) = match part {
        Part::Real => ((b_re, b_im), Binary::Sub),
        Part::Imaginary => ((b_im, b_re), Binary::Add),
    };
    let first = b.mul(a_re, other.0);
    let second = b.mul(a_im, other.1);
    let z = b.binary(op, first, second);
    b.yield_(z);
    b.finish().map_err(|error| Error::view(error.to_string()))
}
