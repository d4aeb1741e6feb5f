//! The reference implementation.

use super::Concat;
use bessemer_core::Host;

pub(super) fn concat(op: &Concat, host: &mut Host<'_>) {
    for (input, part) in op.parts() {
        if part.dtype().is_block() {
            host.copy_blocks(input, &part);
        } else {
            let values = host.read_bits(input);
            host.write_bits(&part, &values);
        }
    }
}
