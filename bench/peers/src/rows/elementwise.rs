//! Maps, and maps into a sum: lazy arrays against NumPy's expressions.

use super::Row;
use crate::{
    contest::{Against, Ours},
    numbers::{magnitude, numbers},
    report::Goal,
    timing::Timed,
};
use bessemer::Device;
use bessemer_array::Array;

const K: usize = 1000;
const M: usize = 1 << 20;

/// All rows of this kind.
pub(super) fn rows() -> Vec<Row> {
    let add = |len, goal| row("a + b", len, goal, |[a, b, _]| a + b, "a + b");
    let fused = |len| {
        let chain: Chain = |[a, b, c]| (a * b + c).relu().sum_all();
        row("relu(a*b+c).sum()", len, 4.0, chain, "np.maximum(a * b + c, 0).sum()")
    };
    vec![
        add(10 * K, 1.0),
        add(M, 1.5),
        add(16 * M, 1.5),
        fused(M),
        fused(16 * M),
        row("exp(a)", M, 3.0, |[a, ..]| a.exp(), "np.exp(a)"),
        row("tanh(a)", M, 3.0, |[a, ..]| a.tanh(), "np.tanh(a)"),
        row("sigmoid(a)", M, 3.0, |[a, ..]| a.sigmoid(), "1 / (1 + np.exp(-a))"),
    ]
}

type Chain = fn(&[Array; 3]) -> Array;

fn row(name: &str, len: usize, goal: f64, ours: Chain, theirs: &'static str) -> Row {
    let size = if len >= M { format!("{}M", len / M) } else { format!("{}K", len / K) };
    Row::new(format!("{name}, {size}"), "NumPy", Goal::AtLeast(goal), move |device: &Device| {
        let operand = |seed| Array::from_slice(device, &numbers(seed, len), &[len]);
        let operands = [operand(1)?, operand(2)?, operand(3)?];
        let result = ours(&operands).to_vec::<f32>()?;
        let timed = Timed::new(move || {
            ours(&operands).eval()?;
            Ok(())
        })?;
        let setup = format!("a, b, c = (numbers(seed, {len}) for seed in (1, 2, 3))");
        let (statement, magnitude) = (theirs.to_owned(), magnitude(&result));
        Ok(Ours { timed, against: Against::NumPy { setup, statement, magnitude, within: 1e-3 } })
    })
}
