//! On the CPU: a binary search for each value.

use super::Search;
use bessemer_core::{DType, Element, Layout, Real, cpu::CpuContext};
use half::{bf16, f16};

pub(super) fn search(op: &Search, cpu: &CpuContext<'_>) {
    // Most as doubles, which hold the values of all dtypes but two.
    match op.sorted.dtype() {
        DType::F32 => by_index::<f32, f64>(op, cpu, Real::to_f64),
        DType::F16 => by_index::<f16, f64>(op, cpu, Real::to_f64),
        DType::BF16 => by_index::<bf16, f64>(op, cpu, Real::to_f64),
        DType::F64 => by_index::<f64, f64>(op, cpu, |x| x),
        DType::I8 => by_index::<i8, i64>(op, cpu, i64::from),
        DType::I16 => by_index::<i16, i64>(op, cpu, i64::from),
        DType::I32 => by_index::<i32, i64>(op, cpu, i64::from),
        DType::I64 => by_index::<i64, i64>(op, cpu, |x| x),
        DType::U8 => by_index::<u8, i64>(op, cpu, i64::from),
        DType::U16 => by_index::<u16, i64>(op, cpu, i64::from),
        DType::U32 => by_index::<u32, i64>(op, cpu, i64::from),
        DType::U64 => by_index::<u64, u64>(op, cpu, |x| x),
        _ => by_index::<u8, i64>(op, cpu, |x| i64::from(x != 0)),
    }
}

/// What elements are compared as.
trait Key: Copy {
    /// The order of sorting.
    fn less(self, other: Self) -> bool;
}

impl Key for f64 {
    fn less(self, other: f64) -> bool {
        self < other || !self.is_nan() && other.is_nan()
    }
}

impl Key for i64 {
    fn less(self, other: i64) -> bool {
        self < other
    }
}

impl Key for u64 {
    fn less(self, other: u64) -> bool {
        self < other
    }
}

fn by_index<T: Element, K: Key>(op: &Search, cpu: &CpuContext<'_>, key: impl Fn(T) -> K + Sync) {
    match op.out.dtype() {
        DType::I64 => each::<T, K, i64>(op, cpu, key, |place| place as i64),
        _ => each::<T, K, u32>(op, cpu, key, |place| place as u32),
    }
}

fn each<T: Element, K: Key, I: Element>(
    op: &Search,
    cpu: &CpuContext<'_>,
    key: impl Fn(T) -> K + Sync,
    index: impl Fn(usize) -> I + Sync,
) {
    let (len, sorted) = (op.sorted.elements(), cpu.slice::<T>(&op.sorted));
    let (first, step) = (op.sorted.lead() as isize, op.sorted.strides()[0]);
    let (values, out) = (cpu.slice::<T>(&op.values), cpu.output::<I>(&op.out));
    let leads = [op.values.lead() as isize, op.out.lead() as isize];
    let layout = Layout::new(op.values.shape(), [op.values.strides(), op.out.strides()]);
    let place = |value: K| {
        let (mut start, mut end) = (0, len);
        while start < end {
            let middle = start + (end - start) / 2;
            let x = key(sorted[(first + middle as isize * step) as usize]);
            let before = if op.right { !value.less(x) } else { x.less(value) };
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
            out[0] = index(place(key(values[from])));
        }
    });
}
