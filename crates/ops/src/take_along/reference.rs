//! The reference implementation.

use super::TakeAlong;
use bessemer_core::Host;

pub(super) fn take_along(op: &TakeAlong, host: &mut Host<'_>) {
    let (x, indices) = (host.read(&op.x), host.read(&op.indices));
    let (len, count) = (op.x.shape()[op.axis], op.indices.shape()[op.axis]);
    let inner: usize = op.x.shape()[op.axis + 1..].iter().product();
    let outside = if op.x.dtype().is_float() { f64::NAN } else { 0.0 };
    let take = |(place, &index): (usize, &f64)| {
        let index = if index < 0.0 { index + len as f64 } else { index };
        if index < 0.0 || index >= len as f64 {
            return outside;
        }
        let outer = place / (count * inner);
        x[(outer * len + index as usize) * inner + place % inner]
    };
    let out: Vec<f64> = indices.iter().enumerate().map(take).collect();
    host.write(&op.out, &out);
}
