//! Quantising and back on Metal: a thread per block, or per sixteen elements.

use super::{Dequantize, Quantize};
use crate::{
    bind,
    gpu::{Members, msl, msl_type},
    walk,
};
use bessemer_core::{
    Result, View,
    gpu::{Binding, GpuTraits, Kernel, Launch, Launches, Source},
};
use bessemer_program::msl::storage;

const THREADS: u32 = 256;

pub(super) fn dequantize(op: &Dequantize, gpu: &GpuTraits) -> Result<Launches> {
    let source = msl!("../../gpu/types.metal", DECODE, "dequantize.metal");
    launches("dequantize", source, (&op.x, &op.out), &op.x, gpu)
}

pub(super) fn quantize(op: &Quantize, gpu: &GpuTraits) -> Result<Launches> {
    let source = msl!(ENCODE, "quantize.metal");
    launches("quantize", source, (&op.x, &op.out), &op.out, gpu)
}

/// One thread for each sixteen elements if the blocks are `x`, else for each block.
fn launches(
    name: &'static str,
    source: Source,
    (x, out): (&View, &View),
    blocks: &View,
    gpu: &GpuTraits,
) -> Result<Launches> {
    let domain = x.shape();
    let (count, format) = (x.elements(), blocks.dtype());
    if count > walk::MOST {
        return Err(walk::too_large(name));
    }
    if count == 0 {
        return Ok(Launches::default());
    }
    let axes: Vec<usize> = (0..domain.rank()).collect();
    let steps = [bind::steps(x, domain), bind::steps(out, domain)];
    let mut walk = walk::Walk::new(domain, &[axes], &steps);
    if walk.sizes.is_empty() {
        walk.sizes.push(1);
        walk.steps.iter_mut().for_each(|steps| steps.push(0));
    }
    let members = Members::default()
        .uint("count", count as u32)
        .uint("x_lead", x.lead() as u32)
        .uint("out_lead", out.lead() as u32)
        .uints("sizes", walk.sizes.iter().map(|&size| size as u32))
        .ints("x_steps", walk.steps[0].iter().map(|&step| step as i32))
        .ints("out_steps", walk.steps[1].iter().map(|&step| step as i32));
    let floats = if std::ptr::eq(blocks, x) { out } else { x };
    let dialect = walk::dialect(gpu);
    let (len, bytes) = (format.block_len(), format.block_bytes());
    let number = walk.sizes.len();
    let (format, threads) = match std::ptr::eq(blocks, x) {
        true => (msl_type(format), count / 16),
        false => (format.name(), count / len),
    };
    let kernel = Kernel::new(source, name)
        .define("RANK", number.to_string())
        .define("FORMAT", format)
        .define("LEN", len.to_string())
        .define("BYTES", bytes.to_string())
        .define("FLOAT", storage(floats.dtype(), dialect));
    let bindings = vec![Binding::Read(x.clone()), Binding::Write(out.clone())];
    Ok(Launch {
        params: members.finish(&kernel, bindings.len()),
        kernel,
        bindings,
        groups: [(threads as u32).div_ceil(THREADS), 1, 1],
        threads: [THREADS, 1, 1],
    }
    .into())
}
