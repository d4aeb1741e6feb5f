//! On the CPU: rows sorted by expert, so that each expert is one linear layer of its rows.

use super::ExpertLinear;
use crate::{
    indices::{self, OUTSIDE},
    linear::{Layer, linear},
};
use bessemer_core::cpu::CpuContext;

pub(super) fn expert_linear(op: &ExpertLinear, cpu: &CpuContext<'_>) {
    if op.out.elements() == 0 {
        return;
    }
    let experts = op.weight.shape()[0];
    let x = op.inputs().expect("checked: it broadcasts");
    let ids = indices::load(cpu, &op.ids, experts);
    let (rows, ends) = sorted(cpu, ids, experts);
    let mut start = 0;
    for (expert, &end) in ends.iter().enumerate() {
        let rows = &rows[std::mem::replace(&mut start, end as usize)..end as usize];
        if rows.is_empty() {
            continue;
        }
        let weight = op.weight.narrow(0, expert..expert + 1).and_then(|weight| weight.squeeze(0));
        let weight = weight.expect("one of the experts");
        let layer = Layer {
            x: &x,
            weight: &weight,
            bias: None,
            activation: None,
            out: &op.out,
            rows: Some(rows),
        };
        // Memory for one expert at a time.
        cpu.scoped(|cpu| linear(&layer, cpu));
    }
    let out = cpu.out_rows(&op.out);
    for row in (0..ids.len()).filter(|&row| ids[row] == OUTSIDE) {
        // SAFETY: nobody else writes any more.
        unsafe { out.row(row) }.fill(f32::NAN);
    }
}

/// The places of `ids` by expert and, for each expert, where its places end.
fn sorted<'c>(cpu: &'c CpuContext<'_>, ids: &[u32], experts: usize) -> (&'c [u32], &'c [u32]) {
    let places = cpu.scratch::<u32>(ids.len());
    let ends = cpu.scratch::<u32>(experts);
    ends.fill(0);
    let inside = || ids.iter().enumerate().filter(|&(_, &id)| id != OUTSIDE);
    inside().for_each(|(_, &id)| ends[id as usize] += 1);
    // Where each begins; placing what it has moves that to its end.
    let mut start = 0;
    for end in &mut *ends {
        start += std::mem::replace(end, start);
    }
    for (place, &id) in inside() {
        let end = &mut ends[id as usize];
        places[*end as usize] = place as u32;
        *end += 1;
    }
    (places, ends)
}
