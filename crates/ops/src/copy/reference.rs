//! The reference implementation.

use super::Copy;
use bessemer_core::Host;

pub(super) fn copy(op: &Copy, host: &mut Host<'_>) {
    if op.x.dtype().is_block() {
        return host.copy_blocks(&op.x, &op.out);
    }
    let x = host.read(&op.x);
    host.write(&op.out, &x);
}
