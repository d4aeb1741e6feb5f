//! The reference implementation.

use super::Gather;
use crate::indices::resolved;
use bessemer_core::{Host, Number};

pub(super) fn gather(op: &Gather, host: &mut Host<'_>) {
    let indices = host.read_numbers(&op.indices);
    let float = op.out.dtype().is_float();
    if op.table.dtype() == op.out.dtype() && !float {
        // A complex NaN has no imaginary part.
        let outside = if op.out.dtype().is_complex() { f32::NAN.to_bits().into() } else { 0 };
        let out = picked(op, &host.read_bits(&op.table), &indices, outside);
        return host.write_bits(&op.out, &out);
    }
    let out = picked(op, &host.read(&op.table), &indices, f64::NAN);
    host.write(&op.out, &out);
}

fn picked<T: Copy>(op: &Gather, table: &[T], indices: &[Number], outside: T) -> Vec<T> {
    let shape = op.table.shape();
    let len = shape[op.axis];
    let inner: usize = shape[op.axis + 1..].iter().product();
    let outer: usize = shape[..op.axis].iter().product();
    let mut out = Vec::new();
    for i in 0..outer {
        for &index in indices {
            match resolved(index, len) {
                None => out.extend(vec![outside; inner]),
                Some(index) => {
                    let start = (i * len + index) * inner;
                    out.extend_from_slice(&table[start..start + inner]);
                }
            }
        }
    }
    out
}
