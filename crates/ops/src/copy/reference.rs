//! The reference implementation.

use super::Copy;
use bessemer_core::Host;

pub(super) fn copy(op: &Copy, host: &mut Host<'_>) {
    if op.x.dtype().is_block() {
        return host.copy_blocks(&op.x, &op.out);
    }
    if op.x.dtype() == op.out.dtype() {
        let x = host.read_bits(&op.x);
        return host.write_bits(&op.out, &x);
    }
    let x = host.read_numbers(&op.x);
    host.write_numbers(&op.out, &x);
}
