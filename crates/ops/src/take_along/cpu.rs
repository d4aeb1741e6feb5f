//! On the CPU: bits are moved one element after another, in the order of the output.

use super::TakeAlong;
use bessemer_core::{DType, Element, Layout, cpu::CpuContext};
use half::f16;

pub(super) fn take_along(op: &TakeAlong, cpu: &CpuContext<'_>) {
    match op.x.dtype() {
        DType::F32 => each(op, cpu, f32::NAN.to_bits()),
        DType::F16 => each(op, cpu, f16::NAN),
        DType::BF16 => each(op, cpu, f16::from_bits(half::bf16::NAN.to_bits())),
        dtype if dtype.block_bytes() == 4 => each(op, cpu, 0u32),
        _ => each(op, cpu, 0u8),
    }
}

fn each<T: Element>(op: &TakeAlong, cpu: &CpuContext<'_>, outside: T) {
    let TakeAlong { x, indices, axis, out } = op;
    let (len, step, signed) =
        (x.shape()[*axis] as i64, x.strides()[*axis], indices.dtype() == DType::I32);
    // The index says where along the axis.
    let mut fixed = x.strides().to_vec();
    fixed[*axis] = 0;
    let layout = Layout::new(out.shape(), [&fixed, indices.strides(), out.strides()]).sorted_for(2);
    let (outer, width, steps) = layout.split_last();
    let leads = [x.lead() as isize, indices.lead() as isize, out.lead() as isize];
    let (x, indices) = (cpu.slice::<T>(x), cpu.slice::<u32>(indices));
    let out = cpu.output::<T>(out);
    if width == 0 {
        return;
    }
    cpu.split(outer.elements(), 4096 / width + 1, |rows| {
        for row in rows {
            let offsets = outer.offsets(row);
            let [mut from, mut by, mut to] = std::array::from_fn(|i| leads[i] + offsets[i]);
            for _ in 0..width {
                let index = indices[by as usize];
                let index = if signed { i64::from(index as i32) } else { i64::from(index) };
                let index = if index < 0 { index + len } else { index };
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
