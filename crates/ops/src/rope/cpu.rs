//! On the CPU: the angles of a row once, then all its heads.

use super::{Rope, RopePairs};
use crate::indices;
use bessemer_core::{DType, cpu::CpuContext};
use bessemer_simd::{Arch, Kernel, math};

pub(super) fn rope(op: &Rope, cpu: &CpuContext<'_>) {
    let [rows, heads, size] = **op.x.shape() else { return };
    let pairs = op.frequencies.elements();
    let (x, out, isa) = (cpu.rows(&op.x), cpu.out_rows(&op.out), cpu.isa());
    let frequencies = cpu.rows(&op.frequencies);
    let frequencies = frequencies.get(0, cpu.scratch(pairs));
    let positions = indices::bits(cpu, &op.positions);
    let signed = op.positions.dtype() == DType::I32;
    let grain = 8192 / (heads * size).max(1) + 1;
    cpu.split_with(rows, grain, 2 * pairs + size, |rows, memory| {
        let (angles, buffer) = memory.split_at_mut(2 * pairs);
        let (sin, cos) = angles.split_at_mut(pairs);
        for row in rows {
            let position = positions[row];
            let position = if signed { f64::from(position as i32) } else { f64::from(position) };
            isa.run(Angles { position, frequencies, magnitude: op.magnitude, sin, cos });
            for head in row * heads..(row + 1) * heads {
                // SAFETY: heads of this row are in this task only.
                unsafe { out.row(head) }.compute(buffer, |head_out| {
                    x.load(head, head_out);
                    isa.run(Turn { head: &mut head_out[..2 * pairs], sin, cos, pairs: op.pairs });
                });
            }
        }
    });
}

/// The sines and cosines of one position.
pub(crate) struct Angles<'a> {
    pub(crate) position: f64,
    pub(crate) frequencies: &'a [f32],
    pub(crate) magnitude: f32,
    pub(crate) sin: &'a mut [f32],
    pub(crate) cos: &'a mut [f32],
}

impl Kernel for Angles<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        // In double precision: far into a text the angle is many turns, of which only the
        // fraction counts.
        let turns = self.position / std::f64::consts::TAU;
        let angles = self.sin.iter_mut().zip(self.cos).zip(self.frequencies);
        for ((sin, cos), &frequency) in angles {
            let (_, part) = math::whole_and_part(turns * f64::from(frequency));
            let (s, c) = math::sin_cos_turns::<A>(part);
            (*sin, *cos) = (s * self.magnitude, c * self.magnitude);
        }
    }
}

/// The pairs of one head, turned in their place.
pub(crate) struct Turn<'a> {
    pub(crate) head: &'a mut [f32],
    pub(crate) sin: &'a [f32],
    pub(crate) cos: &'a [f32],
    pub(crate) pairs: RopePairs,
}

impl Kernel for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let angles = self.sin.iter().zip(self.cos);
        match self.pairs {
            RopePairs::Halves => {
                let (first, second) = self.head.split_at_mut(self.sin.len());
                for ((a, b), (sin, cos)) in first.iter_mut().zip(second).zip(angles) {
                    (*a, *b) = (A::fma(*a, *cos, -(*b * sin)), A::fma(*b, *cos, *a * sin));
                }
            }
            RopePairs::Neighbours => {
                for ([a, b], (sin, cos)) in self.head.as_chunks_mut().0.iter_mut().zip(angles) {
                    (*a, *b) = (A::fma(*a, *cos, -(*b * sin)), A::fma(*b, *cos, *a * sin));
                }
            }
        }
    }
}
