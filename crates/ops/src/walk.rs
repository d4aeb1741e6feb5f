//! How a GPU walks the elements of a domain: along few axes, in groups, with steps of 32 bits. Shared by
//! map, reduce, kernel and copy.

use crate::{
    bind::{self, Bound, Input},
    gpu::Members,
};
use bessemer_core::{
    DeviceKind, Error, MAX_RANK, Result, Shape, View,
    gpu::{Binding, GpuTraits, Source},
};
use bessemer_program::{
    ParamKind, Program, Type,
    cpu::Steps,
    msl::{Dialect, Groups},
};
use std::sync::Arc;

/// The axes of a domain, those of each group one after the other; neighbours that no view tells apart
/// are one.
pub(crate) struct Walk {
    pub(crate) sizes: Vec<usize>,
    /// Axes of each group.
    pub(crate) groups: Vec<usize>,
    /// For each list of steps given, those along the axes.
    pub(crate) steps: Vec<Vec<isize>>,
}

impl Walk {
    /// Walks `groups` of the axes of `domain`, where each of `steps` says how far apart neighbours are.
    pub(crate) fn new(domain: &Shape, groups: &[Vec<usize>], steps: &[Steps]) -> Walk {
        let mut walk =
            Walk { sizes: Vec::new(), groups: Vec::new(), steps: vec![Vec::new(); steps.len()] };
        for group in groups {
            let first = walk.sizes.len();
            for &axis in group.iter().filter(|&&axis| domain[axis] != 1) {
                let size = domain[axis];
                let joins = walk.sizes.len() > first
                    && walk.steps.iter().zip(steps).all(|(known, steps)| {
                        known.last() == Some(&(steps[axis].wrapping_mul(size as isize)))
                    });
                match joins {
                    true => *walk.sizes.last_mut().expect("there is one") *= size,
                    false => walk.sizes.push(size),
                }
                for (known, steps) in walk.steps.iter_mut().zip(steps) {
                    if joins {
                        known.pop();
                    }
                    known.push(steps[axis]);
                }
            }
            walk.groups.push(walk.sizes.len() - first);
        }
        walk
    }
}

/// The row-major steps of a domain.
pub(crate) fn numbers(domain: &Shape) -> Steps {
    let mut steps = [0; MAX_RANK];
    let mut step = 1;
    for axis in (0..domain.rank()).rev() {
        steps[axis] = step;
        step *= domain[axis] as isize;
    }
    steps
}

/// The most elements a launch walks: their numbers, and a few beyond, fit 32 bits.
pub(crate) const MOST: usize = (u32::MAX - (1 << 16)) as usize;

/// An op that is too large for this kind of device.
pub(crate) fn too_large(op: &'static str) -> Error {
    let why = "it has more elements than 32 bits can number; split it, or use `cpu`";
    Error::NoKernel { op, device: DeviceKind::Metal, why }
}

/// What MSL may be made of for this GPU.
pub(crate) fn dialect(gpu: &GpuTraits) -> Dialect {
    Dialect { bf16: gpu.bf16, simd: gpu.simd_reduce && gpu.simd_width == 32 }
}

/// A program bound to its operands over a domain: what a launch is made of.
pub(crate) struct BoundProgram {
    pub(crate) walk: Walk,
    pub(crate) bindings: Vec<Binding>,
    /// The numbers after the kernel's own, as [`bessemer_program::msl::Element`] declares them.
    pub(crate) members: Members,
    pub(crate) wide: bool,
}

impl BoundProgram {
    /// `more` are steps of the kernel's own operands, kept apart by the walk; they come first in its
    /// lists.
    pub(crate) fn new(
        op: &'static str,
        program: &Program,
        (inputs, outputs): (&[Input], &[View]),
        domain: &Shape,
        groups: &[Vec<usize>],
        more: &[Steps],
    ) -> Result<BoundProgram> {
        bind::refuse_doubles(op, program, DeviceKind::Metal)?;
        let bound = bind::bound(program, inputs, outputs).expect("checked: as many as parameters");
        let numbered = bessemer_program::msl::is_numbered(program);
        let mut steps: Vec<Steps> = more.to_vec();
        if numbered {
            steps.push(numbers(domain));
        }
        let mut views = Vec::new();
        let (mut bindings, mut wide) = (Vec::new(), false);
        for (param, bound) in program.params().iter().zip(&bound) {
            let (view, write) = match bound {
                Bound::Input(Input::Value(_)) => continue,
                Bound::Input(Input::View(view)) => (view, false),
                Bound::Output(view) => (*view, true),
            };
            let view = match param.kind {
                ParamKind::View(_) => bind::broadcast(view, domain),
                _ => view.clone(),
            };
            let reach = view.range().len() / view.dtype().block_bytes();
            wide |= i32::try_from(reach).is_err();
            if matches!(param.kind, ParamKind::View(_)) {
                steps.push(bind::steps(&view, domain));
            }
            if u32::try_from(reach).is_err() {
                return Err(too_large(op));
            }
            views.push(view.clone());
            bindings.push(if write { Binding::Write(view) } else { Binding::Read(view) });
        }
        let walk = Walk::new(domain, groups, &steps);
        let own = more.len() + usize::from(numbered);
        let mut members =
            Members::default().uints("sizes", walk.sizes.iter().map(|&size| size as u32));
        if numbered {
            let steps = walk.steps[more.len()].iter();
            members = members.uints("numbers", steps.map(|&step| step as u32));
        }
        let (mut view, mut steps) = (views.iter(), walk.steps[own..].iter());
        for (number, (param, bound)) in program.params().iter().zip(&bound).enumerate() {
            members = match (param.kind, bound) {
                (_, Bound::Input(Input::Value(value))) => {
                    let (name, bits) = (format_args!("p{number}"), value.low());
                    match value.ty() {
                        Type::F32 => members.float(name, f32::from_bits(bits)),
                        Type::I32 => members.int(name, bits.cast_signed()),
                        Type::U32 | Type::Bool => members.uint(name, bits),
                        Type::F64 | Type::I64 | Type::U64 => members
                            .uint(name, bits)
                            .uint(format_args!("p{number}_high"), (value.bits() >> 32) as u32),
                    }
                }
                (ParamKind::View(_), _) => {
                    let lead = view.next().map_or(0, View::lead) as u32;
                    let steps = steps.next().map_or(&[][..], Vec::as_slice).iter();
                    members
                        .uint(format_args!("lead{number}"), lead)
                        .ints(format_args!("steps{number}"), steps.map(|&step| step as i32))
                }
                _ => {
                    let elements = view.next().map_or(0, View::elements);
                    members.uint(format_args!("p{number}"), elements as u32)
                }
            };
        }
        Ok(BoundProgram { walk, bindings, members, wide })
    }

    /// How its axes are walked, for the text.
    pub(crate) fn groups(&self) -> Groups {
        Groups { axes: self.walk.groups.clone(), wide: self.wide }
    }
}

/// A program's text as a source.
pub(crate) fn source(program: &Program, key: &str, make: impl FnOnce() -> String) -> Source {
    let text = program.text(key, make);
    let name: Arc<str> = format!("{}.metal", program.name()).into();
    Source::Made { name, text }
}
