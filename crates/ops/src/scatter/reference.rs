//! The reference implementation.

use super::Scatter;
use crate::indices::resolved;
use bessemer_core::Host;

pub(super) fn scatter(op: &Scatter, host: &mut Host<'_>) {
    let len = op.table.shape()[op.axis];
    for (i, index) in host.read_numbers(&op.indices).into_iter().enumerate() {
        let Some(index) = resolved(index, len) else {
            continue;
        };
        let part = |view: &bessemer_core::View, at: usize| {
            let part = view.narrow(op.axis, at..at + 1);
            part.expect("`check` has compared the shapes")
        };
        let (from, to) = (part(&op.x, i), part(&op.table, index));
        if from.dtype().is_block() {
            host.copy_blocks(&from, &to);
        } else if from.dtype() == to.dtype() {
            let values = host.read_bits(&from);
            host.write_bits(&to, &values);
        } else {
            let values = host.read(&from);
            host.write(&to, &values);
        }
    }
}
