//! Indices as ops take them: `I32` or `U32` in any layout.

use bessemer_core::{DType, View, cpu::CpuContext};

/// What stands for an index outside of what it counts.
pub(crate) const OUTSIDE: u32 = u32::MAX;

/// All indices in order, each as a number below `len`; those below 0 count from the end.
pub(crate) fn load<'c>(cpu: &'c CpuContext<'_>, indices: &View, len: usize) -> &'c [u32] {
    let resolved = cpu.scratch::<u32>(indices.elements());
    copy_bits(cpu, indices, resolved);
    let signed = indices.dtype() == DType::I32;
    for index in resolved.iter_mut() {
        let number = if signed { i64::from(*index as i32) } else { i64::from(*index) };
        let number = if number < 0 { number + len as i64 } else { number };
        let inside = 0 <= number && number < len.min(OUTSIDE as usize) as i64;
        *index = if inside { number as u32 } else { OUTSIDE };
    }
    resolved
}

/// All indices in order, as they stand.
pub(crate) fn bits<'c>(cpu: &'c CpuContext<'_>, indices: &View) -> &'c [u32] {
    let bits = cpu.scratch::<u32>(indices.elements());
    copy_bits(cpu, indices, bits);
    bits
}

fn copy_bits(cpu: &CpuContext<'_>, indices: &View, out: &mut [u32]) {
    let all = cpu.slice::<u32>(indices);
    if indices.is_contiguous() {
        return out.copy_from_slice(all);
    }
    let first = ((indices.offset() - indices.range().start) / size_of::<u32>()) as isize;
    let layout = bessemer_core::Layout::new(indices.shape(), [indices.strides()]);
    for (i, out) in out.iter_mut().enumerate() {
        *out = all[(first + layout.offsets(i)[0]) as usize];
    }
}
