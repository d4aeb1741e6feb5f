//! Reduce on Metal: threads side by side over outputs and over what is folded into each; where there are
//! few outputs and much to fold, in parts that a second launch joins.

mod fold_text;

use super::{Reduce, ReduceKind};
use crate::{
    bind::{self, Input},
    gpu::Members,
    walk::{self, BoundProgram},
};
use bessemer_core::{
    DType, Result, Shape, View,
    gpu::{Binding, GpuTraits, Kernel, Launch, Launches, Source},
};
use bessemer_program::{Type, cpu::Steps, msl};

/// How the threads of a threadgroup are laid out: all are powers of 2.
struct Layout {
    /// Outputs of a threadgroup.
    outputs: u32,
    /// Threads for each.
    threads: u32,
    /// Whether the threads of one output are neighbours.
    inner: bool,
    /// Parts that each output is folded in.
    parts: u32,
}

/// Threads of a threadgroup.
const THREADS: u32 = 256;
/// What is worth a part of its own.
const PART: usize = 16384;
/// The most parts: one thread joins them.
const MOST_PARTS: usize = 128;
/// Bytes of what is kept of a part, at the most.
const KEPT: usize = 16;

impl Layout {
    fn new(outputs: usize, count: usize, inner: bool, gpu: &GpuTraits) -> Layout {
        let threads = match (inner, count) {
            (true, 0..=8) | (false, 0..=16) => 1,
            (true, 9..=1024) => 32,
            (true, _) => THREADS,
            (false, _) => 8,
        };
        let side = if threads == 1 || inner { THREADS / threads } else { 32 };
        let groups = outputs.div_ceil(side as usize);
        // Enough threadgroups to keep all cores busy.
        let few = groups < 4 * gpu.cores.max(1) as usize;
        let parts = if few { count.div_ceil(PART).clamp(1, MOST_PARTS) } else { 1 };
        Layout { outputs: side, threads, inner, parts: parts as u32 }
    }
}

pub(super) fn launches(op: &Reduce, gpu: &GpuTraits) -> Result<Launches> {
    let domain = op.domain()?;
    let outputs = op.output.elements();
    let count: usize = op.axes.iter().map(|&axis| domain[axis]).product();
    if domain.elements().max(count) > walk::MOST {
        return Err(walk::too_large(op.kind.name()));
    }
    if outputs == 0 {
        return Ok(Launches::default());
    }
    let reduced = op.reduced();
    let (folded, kept): (Vec<usize>, Vec<usize>) = (0..domain.rank()).partition(|&a| reduced[a]);
    let own = [output_steps(op, &domain, &kept)];
    let operands = (&op.inputs[..], &[][..]);
    let groups = [kept.clone(), folded.clone()];
    let bound = BoundProgram::new(op.kind.name(), &op.program, operands, &domain, &groups, &own)?;
    let layout = Layout::new(outputs, count, is_inner(op, &domain, &kept, &folded), gpu);
    let dialect = walk::dialect(gpu);
    let out = op.output.dtype();
    let groups = bound.groups();
    let key = format!("{} {out} {groups:?} {dialect:?}", op.kind);
    let source = walk::source(&op.program, &key, || {
        let fields = fields(groups.axes[0]);
        let element = msl::Element::new(&op.program, dialect, &groups, &fields);
        let ty = op.program.yields().unwrap_or(Type::F32);
        fold_text::text(&element, op.kind, ty, out, dialect, groups.axes[0])
    });
    Ok(assemble(op, source, bound, &layout, (outputs, count)))
}

/// The launches of a layout: the fold, and if it is in parts, what joins them.
fn assemble(
    op: &Reduce,
    source: Source,
    bound: BoundProgram,
    layout: &Layout,
    (outputs, count): (usize, usize),
) -> Launches {
    let chunk = count.div_ceil(layout.parts as usize);
    let out_steps = &bound.walk.steps[0][..bound.walk.groups[0]];
    let members = Members::default()
        .uint("outputs", outputs as u32)
        .uint("count", count as u32)
        .uint("parts", layout.parts)
        .uint("chunk", chunk as u32)
        .uint("out_lead", op.output.lead() as u32)
        .ints("out_steps", out_steps.iter().map(|&step| step as i32))
        .then(bound.members);
    let launch = |entry: &'static str, members: Members, bindings: Vec<Binding>, grid| {
        let kernel = Kernel::new(source.clone(), entry)
            .constant(0, layout.outputs)
            .constant(1, layout.threads)
            .constant(2, layout.inner);
        let (groups, threads): ([u32; 3], u32) = grid;
        let params = members.finish(&kernel, bindings.len());
        Launch { kernel, bindings, params, groups, threads: [threads, 1, 1] }
    };
    let blocks = outputs.div_ceil(layout.outputs as usize) as u32;
    let grid = ([blocks, layout.parts, 1], layout.outputs * layout.threads);
    let result = Binding::Write(op.output.clone());
    let mut bindings = bound.bindings;
    if layout.parts == 1 {
        bindings.push(result);
        return launch("fold", members, bindings, grid).into();
    }
    let scratch = outputs * layout.parts as usize * KEPT;
    let part = |write| Binding::Scratch { range: 0..scratch, write };
    bindings.push(part(true));
    let join = ([(outputs as u32).div_ceil(32), 1, 1], 32);
    let launches = vec![
        launch("fold_part", members.clone(), bindings, grid),
        launch("join", members, vec![part(false), result], join),
    ];
    Launches { launches, scratch }
}

/// The numbers of the kernel's own.
fn fields(kept: usize) -> String {
    let names = ["outputs", "count", "parts", "chunk", "out_lead"];
    let mut text: String = names.iter().map(|name| format!("    uint {name};\n")).collect();
    if kept > 0 {
        text.push_str(&format!("    int out_steps[{kept}];\n"));
    }
    text
}

/// The steps of the output along the axes of the domain.
fn output_steps(op: &Reduce, domain: &Shape, kept: &[usize]) -> Steps {
    let mut steps = [0; bessemer_core::MAX_RANK];
    for (place, &axis) in kept.iter().enumerate() {
        let own = if op.keepdim { axis } else { place };
        steps[axis] = if domain[axis] == 1 { 0 } else { op.output.strides()[own] };
    }
    steps
}

/// Whether what is folded lies nearer together than the outputs do.
fn is_inner(op: &Reduce, domain: &Shape, kept: &[usize], folded: &[usize]) -> bool {
    let views = op.inputs.iter().filter_map(|input| match input {
        Input::View(view) if view.dtype() != DType::Bool || view.elements() > 1 => Some(view),
        _ => None,
    });
    let Some(widest) = views.max_by_key(|view: &&View| view.elements()) else {
        return false;
    };
    if widest.broadcast_to(*domain).is_err() {
        return false;
    }
    let steps = bind::steps(widest, domain);
    let nearest = |axes: &[usize]| {
        let steps = axes.iter().filter(|&&axis| domain[axis] > 1).map(|&axis| steps[axis]);
        steps.map(isize::unsigned_abs).filter(|&step| step > 0).min().unwrap_or(usize::MAX)
    };
    nearest(folded) <= nearest(kept)
}

/// The kinds that fold numbers of 32 bits as floats in two parts.
pub(super) fn is_float_sum(kind: ReduceKind, ty: Type) -> bool {
    kind == ReduceKind::Mean || kind == ReduceKind::Sum && ty == Type::F32
}
