//! On the CPU: pieces of rows, in `f32`.

use super::{Activation, Gated};
use bessemer_core::cpu::CpuContext;
use bessemer_simd::{Arch, Kernel, math};

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
            match op.activation {
                Activation::Silu => isa.run(Silu(row, up)),
                Activation::Gelu => isa.run(Gelu(row, up)),
                Activation::GeluTanh => isa.run(GeluTanh(row, up)),
            }
        });
    });
}

struct Silu<'a>(&'a mut [f32], &'a [f32]);

impl Kernel for Silu<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        math::silu_in_place::<A>(self.0);
        for (x, up) in self.0.iter_mut().zip(self.1) {
            *x *= up;
        }
    }
}

macro_rules! kernels {
    ($($name:ident: $function:ident,)*) => {$(
        struct $name<'a>(&'a mut [f32], &'a [f32]);

        impl Kernel for $name<'_> {
            type Output = ();

            #[inline(always)]
            fn run<A: Arch>(self) {
                for (x, up) in self.0.iter_mut().zip(self.1) {
                    *x = math::$function::<A>(*x) * up;
                }
            }
        }
    )*};
}

kernels! {
    Gelu: gelu,
    GeluTanh: gelu_tanh,
}
