//! What a GPU can do at most, measured by ops of its own: the roofs of its roofline.

use super::{
    limits::{Limits, best},
    operands::Operands,
};
use bessemer::{
    DType, Device, Result,
    ops::{Copy, Map, Reduce, ReduceKind},
    program::Program,
};
use std::fmt::Write;

/// Elements to read: as many as every adapter can bind, and more than most caches hold.
const ELEMENTS: usize = 32 << 20;
/// Elements to compute with, and multiply-adds of each.
const BUSY: usize = 1 << 20;
const STEPS: usize = 256;
/// Multiply-adds that do not wait for each other.
const CHAINS: usize = 4;

/// Reads memory, then computes in registers; each in two ways, of which the better counts. Drivers
/// differ in what they make of a fused multiply-add.
pub(super) fn measure(device: &Device) -> Result<Limits> {
    let mut operands = Operands::new(device);
    let read = Reduce {
        program: parse("program same(in view a: f32) {\n%a = load a[@]\nyield %a\n}")?,
        kind: ReduceKind::Sum,
        axes: vec![0],
        keepdim: false,
        inputs: vec![operands.input(DType::F32, &[ELEMENTS])?.into()],
        output: operands.output(DType::F32, &[])?,
    };
    let bytes = 4.0 * ELEMENTS as f64;
    let read = bytes / best(device, read)?.as_secs_f64();
    let (x, out) = (
        operands.input(DType::F32, &[ELEMENTS / 2])?,
        operands.output(DType::F32, &[ELEMENTS / 2])?,
    );
    let copied = bytes / best(device, Copy { x, out })?.as_secs_f64();
    device.trim();
    let mut flops = 0.0f64;
    for fused in [true, false] {
        let busy = Map {
            program: parse(&multiply_adds(fused))?,
            inputs: vec![operands.input(DType::F32, &[BUSY])?.into()],
            outputs: vec![operands.output(DType::F32, &[BUSY])?],
        };
        flops = flops.max(2.0 * (BUSY * STEPS) as f64 / best(device, busy)?.as_secs_f64());
    }
    Ok(Limits {
        threads: device.info().threads,
        read_bytes: read.max(copied),
        f32_flops: flops,
        // Kernels turn 8-bit weights into floats.
        int8_ops: flops,
    })
}

fn multiply_adds(fused: bool) -> String {
    let mut text =
        String::from("program busy(in view a: f32, out view b: f32) {\n%a = load a[@]\n");
    for chain in 0..CHAINS {
        let _ = writeln!(text, "%x{chain} = add %a, {chain}.5");
    }
    for step in 0..STEPS {
        let chain = step % CHAINS;
        let _ = match fused {
            true => writeln!(text, "%x{chain} = fma %x{chain}, %a, %a"),
            false => {
                writeln!(text, "%y{step} = mul %x{chain}, %a\n%x{chain} = add %y{step}, %a")
            }
        };
    }
    for chain in 1..CHAINS {
        let _ = writeln!(text, "%x0 = add %x0, %x{chain}");
    }
    text.push_str("store b[@], %x0\n}");
    text
}

fn parse(text: &str) -> Result<Program> {
    Ok(Program::parse("limits", text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_that_keep_a_gpu_busy_are_programs() {
        for fused in [true, false] {
            let program = parse(&multiply_adds(fused)).unwrap();
            assert_eq!(program.params().len(), 2);
        }
    }
}
