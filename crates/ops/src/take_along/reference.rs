//! The reference implementation.

use super::TakeAlong;
use crate::indices;
use bessemer_core::Host;

pub(super) fn take_along(op: &TakeAlong, host: &mut Host<'_>) {
    let (x, indices) = (host.read_bits(&op.x), host.read_numbers(&op.indices));
    let (len, count) = (op.x.shape()[op.axis], op.indices.shape()[op.axis]);
    let inner: usize = op.x.shape()[op.axis + 1..].iter().product();
    let take = |(place, &index)| match indices::resolved(index, len) {
        Some(index) => {
            let outer = place / (count * inner);
            x[(outer * len + index) * inner + place % inner]
        }
        None => indices::outside(op.x.dtype()),
    };
    let out: Vec<u64> = indices.iter().enumerate().map(take).collect();
    host.write_bits(&op.out, &out);
}
