//! The reference implementation.

use super::Compact;
use bessemer_core::Host;

pub(super) fn compact(op: &Compact, host: &mut Host<'_>) {
    let mask = host.read(&op.mask);
    let selected = (0..mask.len()).filter(|&i| mask[i] != 0.0);
    let mut out: Vec<u64> = match &op.x {
        Some(x) => {
            let (width, x) = (x.shape()[1], host.read_bits(x));
            selected.flat_map(|i| x[i * width..(i + 1) * width].to_vec()).collect()
        }
        None => selected.map(|i| i as u64).collect(),
    };
    out.resize(op.out.elements(), 0);
    host.write_bits(&op.out, &out);
}
