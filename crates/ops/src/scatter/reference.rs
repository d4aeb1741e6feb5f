//! The reference implementation.

use super::Scatter;
use bessemer_core::Host;

pub(super) fn scatter(op: &Scatter, host: &mut Host<'_>) {
    let len = op.table.shape()[op.axis] as f64;
    for (i, index) in host.read(&op.indices).into_iter().enumerate() {
        let index = if index < 0.0 { index + len } else { index };
        if index < 0.0 || index >= len {
            continue;
        }
        let part = |view: &bessemer_core::View, at: usize| {
            let part = view.narrow(op.axis, at..at + 1);
            part.expect("`check` has compared the shapes")
        };
        let (from, to) = (part(&op.x, i), part(&op.table, index as usize));
        if from.dtype().is_block() {
            host.copy_blocks(&from, &to);
        } else {
            let values = host.read(&from);
            host.write(&to, &values);
        }
    }
}
