//! The reference implementation.

use super::Gather;
use bessemer_core::Host;

pub(super) fn gather(op: &Gather, host: &mut Host<'_>) {
    let (table, indices) = (host.read(&op.table), host.read(&op.indices));
    let shape = op.table.shape();
    let len = shape[op.axis];
    let inner: usize = shape[op.axis + 1..].iter().product();
    let outer: usize = shape[..op.axis].iter().product();
    let outside = if op.out.dtype().is_float() { f64::NAN } else { 0.0 };
    let mut out = Vec::new();
    for i in 0..outer {
        for &index in &indices {
            let index = if index < 0.0 { index + len as f64 } else { index };
            if index < 0.0 || index >= len as f64 {
                out.extend(vec![outside; inner]);
            } else {
                let start = (i * len + index as usize) * inner;
                out.extend_from_slice(&table[start..start + inner]);
            }
        }
    }
    host.write(&op.out, &out);
}
