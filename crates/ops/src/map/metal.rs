//! Map on Metal: the elements of the domain, in a loop over the whole grid.

use super::Map;
use crate::{bind, gpu::Members, walk};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Kernel, Launch, Launches},
};
use bessemer_program::msl::{Element, with_helpers};

/// Threads of a threadgroup.
const THREADS: u32 = 256;
/// From so many threads on, each takes four elements: fewer threads to start, and loads to overlap.
const MANY: usize = 1 << 18;

pub(super) fn launches(op: &Map, gpu: &GpuTraits) -> Result<Launches> {
    let Some(domain) = op.domain() else {
        return Ok(Launches::default());
    };
    let count = domain.elements();
    if count > walk::MOST {
        return Err(walk::too_large("map"));
    }
    if count == 0 {
        return Ok(Launches::default());
    }
    // Along the output, so that neighbouring threads write neighbouring elements.
    let mut axes: Vec<usize> = (0..domain.rank()).collect();
    let steps = bind::steps(&op.outputs[0], domain);
    axes.sort_by_key(|&axis| std::cmp::Reverse(steps[axis].unsigned_abs()));
    let operands = (&op.inputs[..], &op.outputs[..]);
    let bound = walk::BoundProgram::new("map", &op.program, operands, domain, &[axes], &[])?;
    let (groups, dialect) = (bound.groups(), walk::dialect(gpu));
    let key = format!("map {groups:?} {dialect:?}");
    let source = walk::source(&op.program, &key, || {
        let element =
            Element::new(&op.program, dialect, &groups, "    uint count;\n    uint threads;\n");
        text(&element)
    });
    let each = if count >= MANY { 4 } else { 1 };
    let blocks = count.div_ceil(THREADS as usize * each) as u32;
    let kernel = Kernel::new(source, "run");
    let own = Members::default().uint("count", count as u32).uint("threads", blocks * THREADS);
    Ok(Launch {
        params: own.then(bound.members).finish(&kernel, bound.bindings.len()),
        kernel,
        bindings: bound.bindings,
        groups: [blocks, 1, 1],
        threads: [THREADS, 1, 1],
    }
    .into())
}

fn text(element: &Element) -> String {
    let Element { text, arguments, passed, bindings } = element;
    with_helpers(&format!(
        "{text}[[kernel, max_total_threads_per_threadgroup({THREADS})]] void run(
{arguments}    constant Params &params [[buffer({bindings})]],
    uint first [[thread_position_in_grid]]) {{
    for (uint i = first; i < params.count; i += params.threads) {{
        element({passed}params, walk0(params, start(params), i));
    }}
}}
"
    ))
}
