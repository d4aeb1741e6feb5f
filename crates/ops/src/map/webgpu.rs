//! On WebGPU: a thread for each element.

use super::Map;
use crate::{bind, wgsl};
use bessemer_core::{
    Result, View,
    gpu::{GpuTraits, Kernel, Launch, Launches, Source},
};
use bessemer_program::{
    ParamKind,
    wgsl::{Slot, THREADS, map, map_slots},
};

pub(super) fn launches(op: &Map, gpu: &GpuTraits) -> Result<Launches> {
    let domain = *op.outputs[0].shape();
    let elements = wgsl::size("map", domain.elements())?;
    if elements == 0 {
        return Ok(Launches::default());
    }
    let steps: Vec<_> = op.views().map(|view| bind::steps(view, &domain)).collect();
    let steps: Vec<&[isize]> = steps.iter().map(|steps| &steps[..]).collect();
    let axes: Vec<usize> = (0..domain.rank()).collect();
    let merged = wgsl::merged(&domain, &axes, &steps);
    let rank = merged.sizes.len();
    let (row, groups) = wgsl::launch_over(elements);
    let slots = map_slots(&op.program, rank);
    let shared = wgsl::Shared::new(gpu, wgsl::bindings(&op.program, &op.inputs, &op.outputs))?;
    let operands = (&op.inputs[..], &op.outputs[..], &shared);
    let others = |slot| Ok(if slot == Slot::Row { row } else { elements });
    let params = wgsl::fill(gpu, "map", &op.program, operands, &merged, &slots, &others)?;
    let name = format!("program {}", op.program.name());
    let text = map(&op.program, rank, &shared.sharing());
    let source = Source::Made { name: name.into(), text: text.into() };
    Ok(Launch {
        kernel: Kernel::new(source, "main"),
        bindings: shared.bindings,
        params,
        groups,
        threads: [THREADS, 1, 1],
    }
    .into())
}

impl Map {
    /// What is bound to the parameters that are views, in order.
    fn views(&self) -> impl Iterator<Item = &View> {
        let bound = bind::bound(&self.program, &self.inputs, &self.outputs);
        let params = self.program.params().iter().zip(bound.into_iter().flatten());
        params.filter_map(|(param, bound)| match (param.kind, bound) {
            (ParamKind::View(_), bind::Bound::Input(bind::Input::View(view)))
            | (ParamKind::View(_), bind::Bound::Output(view)) => Some(view),
            _ => None,
        })
    }
}
