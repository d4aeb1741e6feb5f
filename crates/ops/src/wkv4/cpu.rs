//! On the CPU: a task has some channels of a sequence and goes through all tokens with them.

use super::Wkv4;
use crate::{check::dims, wkv::cpu::split_rows};
use bessemer_core::{View, cpu::CpuContext};
use bessemer_simd::{Arch, Kernel, math};

/// The channels of a task, if they can be split evenly.
const CHANNELS: usize = 128;

pub(super) fn wkv4(op: &Wkv4, cpu: &CpuContext<'_>) {
    let [sequences, tokens, channels]: [usize; 3] = dims(op.v.shape());
    if op.v.elements() == 0 {
        return;
    }
    let parts = if channels.is_multiple_of(CHANNELS) { channels / CHANNELS } else { 1 };
    let (width, isa) = (channels / parts, cpu.isa());
    let split = |view: &View| split_rows(view, parts).expect("a view whose rows are cut");
    let [k_rows, v_rows, w, u] = [&op.k, &op.v, &op.w, &op.u].map(|view| cpu.rows(&split(view)));
    let (state, new_state) = (cpu.rows(&split(&op.state)), cpu.out_rows(&split(&op.state)));
    let out = cpu.out_rows(&split(&op.out));
    let grain = 512 / (tokens * width) + 1;
    cpu.split_with(sequences * parts, grain, 8 * width, |tasks, memory| {
        let mut buffers = memory.chunks_exact_mut(width);
        let [a, b, p, k, v, w_buffer, u_buffer, y] =
            std::array::from_fn(|_| buffers.next().unwrap_or_default());
        for task in tasks {
            let (sequence, part) = (task / parts, task % parts);
            let state_row = |number: usize| (3 * sequence + number) * parts + part;
            for (number, row) in [&mut *a, &mut *b, &mut *p].into_iter().enumerate() {
                state.load(state_row(number), row);
            }
            let (w, u) = (w.get(part, w_buffer), u.get(part, u_buffer));
            for token in sequence * tokens..(sequence + 1) * tokens {
                let row = token * parts + part;
                let (k, v) = (k_rows.get(row, k), v_rows.get(row, v));
                let (a, b, p) = (&mut *a, &mut *b, &mut *p);
                // SAFETY: these channels of this sequence belong to one task.
                unsafe { out.row(row) }
                    .compute(y, |out| isa.run(Token { k, v, w, u, a, b, p, out }));
            }
            for (number, row) in [&*a, &*b, &*p].into_iter().enumerate() {
                // SAFETY: as above.
                unsafe { new_state.row(state_row(number)) }.store(row);
            }
        }
    });
}

/// A token of some channels.
struct Token<'a> {
    k: &'a [f32],
    v: &'a [f32],
    w: &'a [f32],
    u: &'a [f32],
    a: &'a mut [f32],
    b: &'a mut [f32],
    p: &'a mut [f32],
    out: &'a mut [f32],
}

impl Kernel for Token<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let Token { k, v, w, u, a, b, p, out } = self;
        step::<A>(k, v, w, u, a, b, p, out);
    }
}

/// Arguments of a function do not overlap, which the compiler does not know of fields: with as many
/// slices as these it would not vectorise the loop.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn step<A: Arch>(
    k: &[f32],
    v: &[f32],
    w: &[f32],
    u: &[f32],
    a: &mut [f32],
    b: &mut [f32],
    p: &mut [f32],
    out: &mut [f32],
) {
    let inputs = k.iter().zip(v).zip(w.iter().zip(u));
    let state = a.iter_mut().zip(b).zip(p);
    for ((((k, v), (w, u)), ((a, b), p)), out) in inputs.zip(state).zip(out) {
        let own = u + k;
        let most = larger(*p, own);
        let (old, new) = (math::exp::<A>(*p - most), math::exp::<A>(own - most));
        *out = A::fma(old, *a, new * v) / A::fma(old, *b, new);
        let kept = *p + w;
        let most = larger(kept, *k);
        let (old, new) = (math::exp::<A>(kept - most), math::exp::<A>(k - most));
        (*a, *b, *p) = (A::fma(old, *a, new * v), A::fma(old, *b, new), most);
    }
}

/// The larger one; NaN if either is.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a.is_nan() || a > b { a } else { b }
}
