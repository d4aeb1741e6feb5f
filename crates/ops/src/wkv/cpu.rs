//! On the CPU: a task has a head of the state, or some of its columns, and goes through all tokens
//! with it. The state stays in the first-level cache meanwhile. What is known of a token without the
//! state is prepared one token ahead, so that steps can look there.

use crate::check::dims;
use bessemer_core::{
    Shape, View,
    cpu::{CpuContext, Output},
};
use bessemer_simd::{Arch, Kernel, Lanes};

/// Columns of a task's state are a multiple of this, which is one of every vector's length.
const COLUMNS: usize = 16;

/// Floats between the memory of two tasks: threads that write to neighbouring cache lines slow each other
/// down.
const APART: usize = 64;

/// Multiplications by the state that are worth a task of their own.
const GRAIN: usize = 8192;

/// How many tokens ahead memory is asked for: the rows of a head are as far apart as tokens are, so the
/// machine does not fetch them ahead.
const AHEAD: usize = 4;

/// A recurrence over the tokens of a head, or of some columns of it. All its methods must be
/// `#[inline(always)]`, as those of a [`Kernel`].
pub(crate) trait Recurrence: Sync {
    /// How many floats hold what is known of a token.
    fn floats(&self) -> usize;

    /// Asks for the memory that a token is read from and its result written to.
    fn prefetch(&self, at: At);

    /// What is known of a token without the state. Floats that are never written are zeros.
    fn prepare<A: Arch>(&self, at: At, token: &mut [f32]);

    /// Changes the state and computes the result of a token.
    fn step<A: Arch>(&self, step: Step<'_>);

    /// Stores the result of a token, which nobody needs to know more of then.
    fn finish<A: Arch>(&self, at: At, token: &mut [f32], out: &mut [f32]);
}

/// Which token of which head.
#[derive(Clone, Copy)]
pub(crate) struct At {
    /// Its number among the heads of all tokens of all sequences.
    pub(crate) row: usize,
    pub(crate) head: usize,
    /// Which of the parts it is that columns are split into.
    pub(crate) part: usize,
}

/// One token of one head, on its way through the state.
pub(crate) struct Step<'a> {
    pub(crate) token: &'a [f32],
    /// The next token, if there is one.
    pub(crate) next: Option<&'a [f32]>,
    /// Whether it is the first token.
    pub(crate) first: bool,
    /// A row for each key, of a multiple of 16 columns, the last of which may be padding.
    pub(crate) state: &'a mut [f32],
    /// As many columns: what the last step left here.
    pub(crate) kept: &'a mut [f32],
    /// As many columns: the result.
    pub(crate) out: &'a mut [f32],
}

/// How the columns of heads of `size` elements are shared out.
#[derive(Clone, Copy)]
pub(crate) struct Split {
    pub(crate) size: usize,
    /// The parts that they are split into.
    pub(crate) parts: usize,
    /// The columns of a part.
    pub(crate) width: usize,
    /// The same with padding.
    pub(crate) columns: usize,
}

impl Split {
    /// In `parts` of one width.
    pub(crate) fn new(size: usize, parts: usize) -> Split {
        let width = size / parts;
        Split { size, parts, width, columns: width.next_multiple_of(COLUMNS) }
    }

    /// As many parts as keep `threads` busy with `heads` of `tokens` each.
    pub(crate) fn for_threads(threads: usize, heads: usize, tokens: usize, size: usize) -> Split {
        let wanted = (heads * tokens * size * size / GRAIN).min(threads);
        let mut parts = 1;
        while heads * parts < wanted && size.is_multiple_of(2 * parts * COLUMNS) {
            parts *= 2;
        }
        Split::new(size, parts)
    }
}

/// Goes through `tokens` of all heads, in their order, with a `state` that is `[sequences, heads, size,
/// size]`, not empty and `F32`.
pub(crate) fn each_token(
    cpu: &CpuContext<'_>,
    state: &View,
    tokens: usize,
    split: Split,
    recurrence: &impl Recurrence,
) {
    let [sequences, heads, size, _]: [usize; 4] = dims(state.shape());
    let Split { parts, width, columns, .. } = split;
    let cut = split_rows(state, parts).expect("a view whose rows are cut");
    let (rows, new_rows) = (cpu.rows(&cut), cpu.out_rows(&cut));
    // A state that lies as the kernels want it is changed in its place.
    let whole = (columns == size && state.is_contiguous()).then(|| cpu.output::<f32>(state));
    let copied = if whole.is_some() { 0 } else { size * columns };
    let (shares, isa) = (sequences * heads * parts, cpu.isa());
    // As many pieces for each thread, if there is enough to do.
    let worth = shares * tokens * size * columns / GRAIN;
    let pieces = (worth / cpu.threads()).clamp(1, 8) * cpu.threads();
    let pieces = if worth < 2 { 1 } else { pieces.min(shares) };
    // Whole cache lines each.
    let token = recurrence.floats().next_multiple_of(COLUMNS);
    let room = 2 * token + 2 * columns + copied + APART;
    let all = Output::of(cpu.scratch::<f32>(pieces * room));
    cpu.run(pieces, |piece| {
        // SAFETY: each piece of memory is given to one task only.
        let room = unsafe { all.range(piece * room..(piece + 1) * room) };
        room.fill(0.0);
        let (room, copy) = room.split_at_mut(2 * token + 2 * columns);
        let copy = &mut copy[..copied];
        for share in shares * piece / pieces..shares * (piece + 1) / pieces {
            let (matrix, part) = (share / parts, share % parts);
            let row = |key: usize| (matrix * size + key) * parts + part;
            let state = match &whole {
                // SAFETY: each matrix belongs to one task.
                Some(all) => unsafe { all.range(matrix * size * size..(matrix + 1) * size * size) },
                None => {
                    for (key, to) in copy.chunks_exact_mut(columns).enumerate() {
                        rows.load(row(key), &mut to[..width]);
                    }
                    &mut *copy
                }
            };
            let (sequence, head) = (matrix / heads, matrix % heads);
            let first = At { row: sequence * tokens * heads + head, head, part };
            isa.run(Walk { recurrence, tokens, heads, first, columns, state, room });
            if whole.is_none() {
                for (key, from) in copy.chunks_exact(columns).enumerate() {
                    // SAFETY: these columns of this matrix belong to one task.
                    unsafe { new_rows.row(row(key)) }.store(&from[..width]);
                }
            }
        }
    });
}

/// All tokens of a head, or of some columns of it.
struct Walk<'a, R> {
    recurrence: &'a R,
    tokens: usize,
    heads: usize,
    first: At,
    columns: usize,
    state: &'a mut [f32],
    /// For two tokens, what steps keep, and a result.
    room: &'a mut [f32],
}

impl<R: Recurrence> Kernel for Walk<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let Walk { recurrence, tokens, heads, first, columns, state, room } = self;
        let (both, room) = room.split_at_mut(room.len() - 2 * columns);
        let (mut token, mut other) = both.split_at_mut(both.len() / 2);
        let (kept, out) = room.split_at_mut(columns);
        let at = |t: usize| At { row: first.row + t * heads, ..first };
        recurrence.prepare::<A>(at(0), token);
        for t in 0..tokens {
            if t + AHEAD < tokens {
                recurrence.prefetch(at(t + AHEAD));
            }
            let more = t + 1 < tokens;
            if more {
                recurrence.prepare::<A>(at(t + 1), other);
            }
            let next = more.then_some(&*other);
            recurrence.step::<A>(Step { token, next, first: t == 0, state, kept, out });
            recurrence.finish::<A>(at(t), token, out);
            std::mem::swap(&mut token, &mut other);
        }
    }
}

/// A view with each row cut into so many rows of one length; `None` if that length is no whole number.
pub(crate) fn split_rows(view: &View, parts: usize) -> Option<View> {
    let (width, last) = (view.shape().width(), view.shape().rank() - 1);
    let dims = [&view.shape()[..last], &[parts, width / parts]].concat();
    view.reshape(Shape::new(&dims).ok()?).ok()?
}

/// Work on a few columns of a token.
pub(crate) trait Columns {
    /// Does it for the `V` vectors of columns from `first` on.
    fn vectors<A: Arch, const V: usize>(&mut self, first: usize);
}

/// All columns, as many at a time as there are registers for.
#[inline(always)]
pub(crate) fn all_columns<A: Arch>(columns: usize, work: &mut impl Columns) {
    let len = A::F32::LEN;
    let mut first = 0;
    while first < columns {
        first += len
            * match (columns - first) / len {
                4.. if len == COLUMNS => (4, work.vectors::<A, 4>(first)).0,
                2.. => (2, work.vectors::<A, 2>(first)).0,
                _ => (1, work.vectors::<A, 1>(first)).0,
            };
    }
}

/// The `V` vectors at the start of a slice.
#[inline(always)]
pub(crate) fn load<A: Arch, const V: usize>(from: &[f32]) -> [A::F32; V] {
    let from = &from[..V * A::F32::LEN];
    let mut vectors = [A::F32::splat(0.0); V];
    for (n, vector) in vectors.iter_mut().enumerate() {
        *vector = A::F32::load(&from[n * A::F32::LEN..]);
    }
    vectors
}

/// Overwrites the start of a slice by vectors.
#[inline(always)]
pub(crate) fn store<A: Arch, const V: usize>(vectors: [A::F32; V], to: &mut [f32]) {
    let to = &mut to[..V * A::F32::LEN];
    for (n, vector) in vectors.into_iter().enumerate() {
        vector.store(&mut to[n * A::F32::LEN..]);
    }
}
