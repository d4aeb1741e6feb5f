//! Launches of programs: what their parameters and numbers are bound to.

use super::{Shared, size, step};
use crate::bind::{self, Bound, Input};
use bessemer_core::{
    DeviceKind, Result, Shape, View,
    gpu::{Binding, GpuTraits, Params},
};
use bessemer_program::{
    Literal, ParamKind, Program, Type,
    wgsl::{Slot, THREADS},
};

/// Dimensions of a domain with the steps of several views, as few as possible.
pub(crate) struct Merged {
    /// By dimension, the slowest first.
    pub(crate) sizes: Vec<usize>,
    /// By dimension, then by view.
    pub(crate) steps: Vec<Vec<isize>>,
}

/// The dimensions `axes` of a domain, without those of size 1, and with those made one that follow
/// each other in all views.
pub(crate) fn merged(domain: &Shape, axes: &[usize], views: &[&[isize]]) -> Merged {
    let mut merged = Merged { sizes: Vec::new(), steps: Vec::new() };
    for &axis in axes.iter().filter(|&&axis| domain[axis] != 1) {
        let size = domain[axis];
        let steps: Vec<isize> = views.iter().map(|steps| steps[axis]).collect();
        if let (Some(last_size), Some(last)) = (merged.sizes.last_mut(), merged.steps.last_mut())
            && last.iter().zip(&steps).all(|(before, step)| *before == step * size as isize)
        {
            *last_size *= size;
            *last = steps;
            continue;
        }
        merged.sizes.push(size);
        merged.steps.push(steps);
    }
    merged
}

/// What the parameters that are memory are bound to, in order.
pub(crate) fn bindings(program: &Program, inputs: &[Input], outputs: &[View]) -> Vec<Binding> {
    let bound = bind::bound(program, inputs, outputs).expect("checked: as many as parameters");
    let bind = |bound: Bound<'_>| match bound {
        Bound::Input(Input::Value(_)) => None,
        Bound::Input(Input::View(view)) => Some(Binding::Read(view.clone())),
        Bound::Output(view) => Some(Binding::Write(view.clone())),
    };
    bound.into_iter().filter_map(bind).collect()
}

/// The numbers of `slots`. `sizes` and `steps` are those of a merged domain, where the views are
/// the parameters that are views, in order; other slots than a map's are asked of `others`.
pub(crate) fn fill(
    gpu: &GpuTraits,
    op: &'static str,
    program: &Program,
    (inputs, outputs, shared): (&[Input], &[View], &Shared),
    domain: &Merged,
    slots: &[Slot],
    others: &dyn Fn(Slot) -> Result<u32>,
) -> Result<Params> {
    bind::refuse_doubles(op, program, DeviceKind::WebGpu)?;
    let bound = bind::bound(program, inputs, outputs).expect("checked: as many as parameters");
    let view = |i: usize| match bound[i] {
        Bound::Input(Input::View(view)) | Bound::Output(view) => Some(view),
        Bound::Input(Input::Value(_)) => None,
    };
    let value = |i: usize| match bound[i] {
        Bound::Input(Input::Value(value)) => *value,
        _ => Literal::from(0u32),
    };
    // The number of a view among the views.
    let number = |param: usize| {
        let views = program.params()[..param].iter();
        views.filter(|p| matches!(p.kind, ParamKind::View(_))).count()
    };
    // The number of a parameter among those that are memory.
    let operand = |param: usize| (0..param).filter(|&i| view(i).is_some()).count();
    let mut params = Params::new();
    for &slot in slots {
        let word = match slot {
            Slot::Size(axis) => size(op, domain.sizes[axis])?,
            Slot::Step(param, axis) => step(op, domain.steps[axis][number(param)])?.cast_unsigned(),
            Slot::At(param) => {
                let at = |view| shared.at(gpu, operand(param), view);
                view(param).map_or(0, at).cast_unsigned()
            }
            Slot::Len(param) => size(op, view(param).map_or(0, View::elements))?,
            Slot::Value(param, ty) => word_of(ty, value(param)),
            Slot::High(param) => (value(param).bits() >> 32) as u32,
            other => others(other)?,
        };
        params = params.u32(word);
    }
    Ok(params)
}

fn word_of(ty: Type, value: Literal) -> u32 {
    match ty {
        Type::Bool => u32::from(value.bits() != 0),
        _ => value.low(),
    }
}

/// Threads for `elements` in rows of workgroups: how many a row has, and the grid.
pub(crate) fn launch_over(elements: u32) -> (u32, [u32; 3]) {
    let groups = elements.div_ceil(THREADS);
    let row = groups.clamp(1, 32768);
    (row * THREADS, [row, groups.div_ceil(row), 1])
}
