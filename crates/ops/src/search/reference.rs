//! The reference implementation.

use super::Search;
use bessemer_core::{Host, Number};

pub(super) fn search(op: &Search, host: &mut Host<'_>) {
    let (sorted, values) = (host.read_numbers(&op.sorted), host.read_numbers(&op.values));
    // Whatever the list, the result is that of a binary search in it.
    let place = |value: &Number| {
        sorted.partition_point(|x| if op.right { !less(*value, *x) } else { less(*x, *value) })
            as f64
    };
    let places: Vec<f64> = values.iter().map(place).collect();
    host.write(&op.out, &places);
}

/// The order of sorting.
fn less(a: Number, b: Number) -> bool {
    match (a, b) {
        (Number::Integer(a), Number::Integer(b)) => a < b,
        (a, b) => a.to_f64() < b.to_f64() || !a.to_f64().is_nan() && b.to_f64().is_nan(),
    }
}
