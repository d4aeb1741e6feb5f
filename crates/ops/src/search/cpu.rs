//! On the CPU: a binary search for each value.

use super::Search;
use bessemer_core::{DType, Element, Layout, cpu::CpuContext};
use half::{bf16, f16};

pub(super) fn search(op: &Search, cpu: &CpuContext<'_>) {
    match op.sorted.dtype() {
        DType::F32 => each::<f32>(op, cpu, f64::from),
        DType::F16 => each::<f16>(op, cpu, f16::to_f64),
        DType::BF16 => each::<bf16>(op, cpu, bf16::to_f64),
        DType::I32 => each::<i32>(op, cpu, f64::from),
        DType::U32 => each::<u32>(op, cpu, f64::from),
        DType::Bool => each::<u8>(op, cpu, |x| f64::from(u8::from(x != 0))),
        _ => each::<u8>(op, cpu, f64::from),
    }
}

/// As doubles, which hold the values of all dtypes.
fn each<T: Element>(op: &Search, cpu: &CpuContext<'_>, number: impl Fn(T) -> f64 + Sync) {
    let (len, sorted) = (op.sorted.elements(), cpu.slice::<T>(&op.sorted));
    let (first, step) = (op.sorted.lead() as isize, op.sorted.strides()[0]);
    let (values, out) = (cpu.slice::<T>(&op.values), cpu.output::<u32>(&op.out));
    let leads = [op.values.lead() as isize, op.out.lead() as isize];
    let layout = Layout::new(op.values.shape(), [op.values.strides(), op.out.strides()]);
    let at = |i: usize| number(sorted[(first + i as isize * step) as usize]);
    let place = |value: f64| {
        let (mut start, mut end) = (0, len);
        while start < end {
            let middle = start + (end - start) / 2;
            let x = at(middle);
            let before = match op.right {
                true => !(value < x || !value.is_nan() && x.is_nan()),
                false => x < value || !x.is_nan() && value.is_nan(),
            };
            // Chosen, not branched on: nobody can foresee which it is.
            (start, end) = if before { (middle + 1, end) } else { (start, middle) };
        }
        start
    };
    cpu.split(op.values.elements(), 64, |range| {
        for i in range {
            let [from, to] = layout.offsets(i);
            let (from, to) = ((leads[0] + from) as usize, (leads[1] + to) as usize);
            // SAFETY: each element is in one task only.
            let out = unsafe { out.range(to..to + 1) };
            out[0] = place(number(values[from])) as u32;
        }
    });
}
