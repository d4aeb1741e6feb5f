//! On the CPU: a task has a head of the state, or some of its columns, and goes through all tokens
//! with it. The state stays in the first-level cache meanwhile.

use crate::check::dims;
use bessemer_core::{Shape, View, cpu::CpuContext};
use bessemer_simd::{Arch, Lanes};

/// Columns of a task's state are a multiple of this, which is one of every vector's length.
pub(crate) const COLUMNS: usize = 16;

/// Multiplications by the state that are worth a task of their own.
pub(crate) const GRAIN: usize = 8192;

/// The operands, `[sequences, tokens, heads, size]` but for the state.
pub(crate) struct Operands<'a, const K: usize> {
    /// Those with a number for each row of the state.
    pub(crate) keys: [&'a View; K],
    /// The one with a number for each column.
    pub(crate) values: &'a View,
    /// `[sequences, heads, size, size]`, `F32`.
    pub(crate) state: &'a View,
    pub(crate) out: &'a View,
}

/// One token of one head.
pub(crate) struct Token<'a, const K: usize> {
    /// The number of the head.
    pub(crate) head: usize,
    pub(crate) keys: [&'a [f32]; K],
    /// A multiple of 16 columns, the last of which may be padding.
    pub(crate) values: &'a [f32],
    /// A row for each key, of as many columns as there are values.
    pub(crate) state: &'a mut [f32],
    /// As long as `values`.
    pub(crate) out: &'a mut [f32],
}

/// Calls `step` with each token of each head, in the order of the tokens.
pub(crate) fn each_token<const K: usize>(
    cpu: &CpuContext<'_>,
    op: &Operands<'_, K>,
    step: impl Fn(Token<'_, K>) + Sync,
) {
    let [sequences, tokens, heads, size]: [usize; 4] = dims(op.values.shape());
    let matrices = sequences * heads;
    if op.values.elements() == 0 {
        return;
    }
    let parts = parts(cpu.threads(), matrices, tokens, size);
    let width = size / parts;
    let columns = width.next_multiple_of(COLUMNS);
    let split = |view: &View| split_rows(view, parts).expect("a view whose rows are cut");
    let (values, out, state) = (split(op.values), split(op.out), split(op.state));
    let (values, out) = (cpu.rows(&values), cpu.out_rows(&out));
    let (state, new_state) = (cpu.rows(&state), cpu.out_rows(&state));
    let keys = op.keys.map(|view| cpu.rows(view));
    // A state that lies as the kernels want it is changed in its place.
    let whole = (columns == size && op.state.is_contiguous()).then(|| cpu.output::<f32>(op.state));
    let room = if whole.is_some() { 0 } else { size * columns };
    let grain = GRAIN / (tokens * size * columns) + 1;
    cpu.split_with(matrices * parts, grain, K * size + 2 * columns + room, |tasks, memory| {
        let (loaded, memory) = memory.split_at_mut(K * size);
        let (value, memory) = memory.split_at_mut(columns);
        let (result, copy) = memory.split_at_mut(columns);
        value.fill(0.0);
        copy.fill(0.0);
        for task in tasks {
            let (matrix, part) = (task / parts, task % parts);
            let (sequence, head) = (matrix / heads, matrix % heads);
            let state_row = |key: usize| (matrix * size + key) * parts + part;
            let cells = match &whole {
                // SAFETY: each matrix belongs to one task.
                Some(all) => unsafe { all.range(matrix * size * size..(matrix + 1) * size * size) },
                None => {
                    for (key, to) in copy.chunks_exact_mut(columns).enumerate() {
                        state.load(state_row(key), &mut to[..width]);
                    }
                    &mut *copy
                }
            };
            for token in 0..tokens {
                let row = (sequence * tokens + token) * heads + head;
                for (rows, to) in keys.iter().zip(loaded.chunks_exact_mut(size)) {
                    rows.load(row, to);
                }
                values.load(row * parts + part, &mut value[..width]);
                let keys = std::array::from_fn(|n| &loaded[n * size..][..size]);
                step(Token { head, keys, values: value, state: cells, out: result });
                // SAFETY: these columns of this head belong to one task.
                unsafe { out.row(row * parts + part) }.store(&result[..width]);
            }
            if whole.is_none() {
                for (key, from) in cells.chunks_exact(columns).enumerate() {
                    // SAFETY: these columns of this matrix belong to one task.
                    unsafe { new_state.row(state_row(key)) }.store(&from[..width]);
                }
            }
        }
    });
}

/// Into how many parts the columns of a matrix are split: one, unless there are more threads than
/// matrices and enough to do.
fn parts(threads: usize, matrices: usize, tokens: usize, size: usize) -> usize {
    let wanted = (matrices * tokens * size * size / GRAIN).min(threads);
    let mut parts = 1;
    while matrices * parts < wanted && size.is_multiple_of(2 * parts * COLUMNS) {
        parts *= 2;
    }
    parts
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
