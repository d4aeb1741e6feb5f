//! On the CPU: pieces of rows, in `f32`.

use super::{Activation, Gated};
use bessemer_core::cpu::CpuContext;
use bessemer_simd::{Arch, Isa, Kernel, math};

pub(super) fn gated(op: &Gated, cpu: &CpuContext<'_>) {
    let width = op.out.shape().width();
    let (gate, up, isa) = (cpu.rows(&op.gate), cpu.rows(&op.up), cpu.isa());
    let grain = 4096 / width.max(1) + 1;
    cpu.for_each_row_with(&op.out, grain, 2 * width, |i, out, buffer| {
        let (buffer, up_buffer) = buffer.split_at_mut(width);
        // Read before the output, which may be in its place, is written.
        let up = up.get(i, up_buffer);
        out.compute(buffer, |row| {
            gate.load(i, row);
            activate(isa, op.activation, row);
            isa.run(Multiply(row, up));
        });
    });
}

/// The activation of each of `x`, in place.
pub(crate) fn activate(isa: Isa, activation: Activation, x: &mut [f32]) {
    match activation {
        Activation::Silu => isa.run(Silu(x)),
        Activation::Gelu => isa.run(Gelu(x)),
        Activation::GeluTanh => isa.run(GeluTanh(x)),
        Activation::Sigmoid => isa.run(Sigmoid(x)),
        Activation::Tanh => isa.run(Tanh(x)),
        Activation::SquaredRelu => isa.run(SquaredRelu(x)),
    }
}

struct Multiply<'a>(&'a mut [f32], &'a [f32]);

impl Kernel for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        for (x, up) in self.0.iter_mut().zip(self.1) {
            *x *= up;
        }
    }
}

macro_rules! kernels {
    ($($name:ident: $of_all:expr,)*) => {$(
        struct $name<'a>(&'a mut [f32]);

        impl Kernel for $name<'_> {
            type Output = ();

            #[inline(always)]
            fn run<A: Arch>(self) {
                let of_all: fn(&mut [f32]) = $of_all;
                of_all(self.0);
            }
        }
    )*};
}

kernels! {
    Silu: math::silu_in_place::<A>,
    Gelu: |x| x.iter_mut().for_each(|x| *x = math::gelu::<A>(*x)),
    GeluTanh: |x| x.iter_mut().for_each(|x| *x = math::gelu_tanh::<A>(*x)),
    Sigmoid: |x| in_pieces(x, math::sigmoid_each::<A>),
    Tanh: |x| in_pieces(x, math::tanh_each::<A>),
    SquaredRelu: |x| x.iter_mut().for_each(|x| *x = if *x < 0.0 { 0.0 } else { *x * *x }),
}

/// A function of one slice to another, of a slice to itself.
#[inline(always)]
fn in_pieces(x: &mut [f32], of_each: impl Fn(&[f32], &mut [f32])) {
    let mut from = [0.0; 64];
    for to in x.chunks_mut(from.len()) {
        let from = &mut from[..to.len()];
        from.copy_from_slice(to);
        of_each(from, to);
    }
}
