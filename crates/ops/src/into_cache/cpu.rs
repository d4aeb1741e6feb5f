//! On the CPU: the angles of all rows, then one head after another.

use super::IntoCache;
use crate::{
    indices,
    rms_norm::NormRow,
    rope::{Angles, Turn},
};
use bessemer_core::cpu::{CpuContext, Output};

pub(super) fn into_cache(op: &IntoCache, cpu: &CpuContext<'_>) {
    let [rows, heads, size] = **op.q.shape() else { return };
    let [kv_heads, tokens, _] = **op.keys.shape() else { return };
    let (pairs, isa) = (op.frequencies.elements(), cpu.isa());
    let positions = indices::bits(cpu, &op.positions);
    let angles = angles(op, cpu, positions);
    let places = indices::bits(cpu, op.places());

    let norms = op.norms.as_ref().map(|norms| {
        [&norms.q, &norms.k].map(|weight| {
            let loaded = cpu.scratch::<f32>(size);
            cpu.rows(weight).load(0, loaded);
            &*loaded
        })
    });
    let epsilon = op.norms.as_ref().map_or(0.0, |norms| norms.epsilon);
    let prepare = |head: &mut [f32], row: usize, which: usize| {
        if let Some(norms) = &norms {
            isa.run(NormRow { row: head, weight: norms[which], epsilon });
        }
        let (sin, cos) = angles[2 * row * pairs..2 * (row + 1) * pairs].split_at(pairs);
        isa.run(Turn { head: &mut head[..2 * pairs], sin, cos, pairs: op.pairs });
    };

    let (q, k, v) = (cpu.rows(&op.q), cpu.rows(&op.k), cpu.rows(&op.v));
    let out = cpu.out_rows(&op.out);
    let (keys, values) = (cpu.out_rows(&op.keys), cpu.out_rows(&op.values));
    let grain = 8192 / (rows * size).max(1) + 1;
    // Each head belongs to one task, which goes through the rows in order, so that of equal
    // places the last wins.
    cpu.split_with(heads + 2 * kv_heads, grain, size, |all, buffer| {
        for head in all {
            for (row, &place) in places.iter().enumerate() {
                if head < heads {
                    let at = row * heads + head;
                    // SAFETY: each head of the output belongs to one task.
                    unsafe { out.row(at) }.compute(buffer, |head| {
                        q.load(at, head);
                        prepare(head, row, 0);
                    });
                    continue;
                }
                if place as usize >= tokens {
                    continue;
                }
                let head = head - heads;
                let (number, at) = (head % kv_heads, row * kv_heads + head % kv_heads);
                let to = number * tokens + place as usize;
                if head < kv_heads {
                    // SAFETY: each head of the cache belongs to one task.
                    unsafe { keys.row(to) }.compute(buffer, |head| {
                        k.load(at, head);
                        prepare(head, row, 1);
                    });
                } else {
                    // SAFETY: as above.
                    unsafe { values.row(to) }.copy(&v, at, buffer);
                }
            }
        }
    });
}

/// Of each row the sines of its angles, then their cosines.
fn angles<'c>(op: &IntoCache, cpu: &'c CpuContext<'_>, positions: &[u32]) -> &'c [f32] {
    let (pairs, isa) = (op.frequencies.elements(), cpu.isa());
    let frequencies = cpu.rows(&op.frequencies);
    let frequencies = frequencies.get(0, cpu.scratch(pairs));
    let angles = cpu.scratch::<f32>(2 * pairs * positions.len());
    let all = Output::of(&mut *angles);
    cpu.split(positions.len(), 2048 / pairs.max(1) + 1, |rows| {
        for row in rows {
            // SAFETY: each row belongs to one task.
            let own = unsafe { all.range(2 * row * pairs..2 * (row + 1) * pairs) };
            let (sin, cos) = own.split_at_mut(pairs);
            let position = f64::from(positions[row]);
            isa.run(Angles { position, frequencies, magnitude: op.magnitude, sin, cos });
        }
    });
    angles
}
