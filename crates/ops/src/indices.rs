//! Indices as ops take them: `I32` or `U32`, some also `I64`, in any layout.

use bessemer_core::{DType, Element, Number, View, cpu::CpuContext};

/// What stands for an index outside of what it counts.
pub(crate) const OUTSIDE: u32 = u32::MAX;

/// All indices in order, each as a number below `len`; those below 0 count from the end.
pub(crate) fn load<'c>(cpu: &'c CpuContext<'_>, indices: &View, len: usize) -> &'c [u32] {
    let numbers = cpu.scratch::<u32>(indices.elements());
    let inside = |index: i64| match resolved(Number::Integer(index.into()), len) {
        Some(index) if index < OUTSIDE as usize => index as u32,
        _ => OUTSIDE,
    };
    if indices.dtype() == DType::I64 {
        let wide = cpu.scratch::<i64>(indices.elements());
        copy_bits(cpu, indices, wide);
        numbers.iter_mut().zip(&*wide).for_each(|(number, &index)| *number = inside(index));
        return numbers;
    }
    copy_bits(cpu, indices, numbers);
    let signed = indices.dtype() == DType::I32;
    for number in numbers.iter_mut() {
        *number = inside(if signed { i64::from(*number as i32) } else { i64::from(*number) });
    }
    numbers
}

/// An index of `len` things, of which those below 0 count from the end, if there is such.
pub(crate) fn resolved(index: Number, len: usize) -> Option<usize> {
    let Number::Integer(index) = index else {
        return None;
    };
    let index = if index < 0 { index + len as i128 } else { index };
    usize::try_from(index).ok().filter(|&index| index < len)
}

/// The bits of what stands for an element that an index does not find: NaN for floats, 0 otherwise.
pub(crate) fn outside(dtype: DType) -> u64 {
    match dtype {
        DType::F64 => f64::NAN.to_bits(),
        DType::F32 | DType::Complex64 => f32::NAN.to_bits().into(),
        DType::F16 => half::f16::NAN.to_bits().into(),
        DType::BF16 => half::bf16::NAN.to_bits().into(),
        _ => 0,
    }
}

/// All indices in order, as they stand.
pub(crate) fn bits<'c>(cpu: &'c CpuContext<'_>, indices: &View) -> &'c [u32] {
    let bits = cpu.scratch::<u32>(indices.elements());
    copy_bits(cpu, indices, bits);
    bits
}

fn copy_bits<T: Element>(cpu: &CpuContext<'_>, indices: &View, out: &mut [T]) {
    let all = cpu.slice::<T>(indices);
    if indices.is_contiguous() {
        return out.copy_from_slice(all);
    }
    let first = ((indices.offset() - indices.range().start) / size_of::<T>()) as isize;
    let layout = bessemer_core::Layout::new(indices.shape(), [indices.strides()]);
    for (i, out) in out.iter_mut().enumerate() {
        *out = all[(first + layout.offsets(i)[0]) as usize];
    }
}
