//! The reference implementation.

use super::Search;
use bessemer_core::Host;

pub(super) fn search(op: &Search, host: &mut Host<'_>) {
    let (sorted, values) = (host.read(&op.sorted), host.read(&op.values));
    // Whatever the list, the result is that of a binary search in it.
    let place = |value: &f64| {
        sorted.partition_point(|x| if op.right { !less(*value, *x) } else { less(*x, *value) })
            as f64
    };
    let places: Vec<f64> = values.iter().map(place).collect();
    host.write(&op.out, &places);
}

/// The order of sorting.
fn less(a: f64, b: f64) -> bool {
    a < b || !a.is_nan() && b.is_nan()
}
