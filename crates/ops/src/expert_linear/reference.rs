//! The reference implementation.

use super::ExpertLinear;
use bessemer_core::Host;

pub(super) fn expert_linear(op: &ExpertLinear, host: &mut Host<'_>) {
    let (x, weight, ids) = (host.read(&op.x), host.read(&op.weight), host.read(&op.ids));
    let (experts, n, k) = (op.weight.shape()[0], op.weight.shape()[1], op.weight.shape()[2]);
    // How many results share a row of x.
    let sharing = if op.x.shape().rank() == 2 { op.ids.shape()[1] } else { 1 };
    let mut out = Vec::with_capacity(op.out.elements());
    for (i, &id) in ids.iter().enumerate() {
        if id >= experts as f64 {
            out.extend(vec![f64::NAN; n]);
            continue;
        }
        let x = &x[i / sharing * k..][..k];
        for row in 0..n {
            let weight = &weight[(id as usize * n + row) * k..][..k];
            out.push(x.iter().zip(weight).map(|(x, w)| x * w).sum());
        }
    }
    host.write(&op.out, &out);
}
