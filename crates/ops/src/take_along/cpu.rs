//! On the CPU: bits are moved one element after another, in the order of the output.

use super::TakeAlong;
use crate::indices;
use bessemer_core::{DType, Element, Layout, cpu::CpuContext};

pub(super) fn take_along(op: &TakeAlong, cpu: &CpuContext<'_>) {
    let outside = indices::outside(op.x.dtype());
    match op.x.dtype().block_bytes() {
        1 => by_index(op, cpu, outside as u8),
        2 => by_index(op, cpu, outside as u16),
        4 => by_index(op, cpu, outside as u32),
        _ => by_index(op, cpu, outside),
    }
}

fn by_index<T: Element>(op: &TakeAlong, cpu: &CpuContext<'_>, outside: T) {
    match op.indices.dtype() {
        DType::I64 => each::<T, i64>(op, cpu, outside, |index| index),
        DType::I32 => each::<T, i32>(op, cpu, outside, i64::from),
        _ => each::<T, u32>(op, cpu, outside, i64::from),
    }
}

fn each<T: Element, I: Element>(
    op: &TakeAlong,
    cpu: &CpuContext<'_>,
    outside: T,
    number: impl Fn(I) -> i64 + Sync,
) {
    let TakeAlong { x, indices, axis, out } = op;
    let (len, step) = (x.shape()[*axis] as i64, x.strides()[*axis]);
    // The index says where along the axis.
    let mut fixed = x.strides().to_vec();
    fixed[*axis] = 0;
    let steps: [&[isize]; 3] = [&fixed, indices.strides(), out.strides()];
    let (outer, width, steps) = Layout::new(out.shape(), steps).sorted_for(2).split_last();
    let leads = [x.lead() as isize, indices.lead() as isize, out.lead() as isize];
    if width == 0 {
        return;
    }
    let (x, indices) = (cpu.slice::<T>(x), cpu.slice::<I>(indices));
    let out = cpu.output::<T>(out);
    cpu.split(outer.elements(), 4096 / width + 1, |rows| {
        for row in rows {
            let offsets = outer.offsets(row);
            let [mut from, mut by, mut to] = std::array::from_fn(|i| leads[i] + offsets[i]);
            for _ in 0..width {
                let index = number(indices[by as usize]);
                let index = if index < 0 { index.wrapping_add(len) } else { index };
                let inside = (0..len).contains(&index);
                // SAFETY: each element is in one task only.
                let out = unsafe { out.range(to as usize..to as usize + 1) };
                out[0] = if inside { x[(from + index as isize * step) as usize] } else { outside };
                from += steps[0];
                by += steps[1];
                to += steps[2];
            }
        }
    });
}
