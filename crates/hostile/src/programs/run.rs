//! Runs a program on a device, over a few elements or threads and for a moment only.

use bessemer_core::{Batch, DType, Device, Error, Result, Shape, View};
use bessemer_cpu::{Cpu, CpuOptions, Reference};
use bessemer_ops::{Input, Kernel, Map, Reduce, ReduceKind};
use bessemer_program::{Form, LaunchConfig, Literal, Param, Program, Type};
use std::{cell::OnceCell, sync::Arc, time::Duration};

/// Elements of each view and buffer: more than a vector, and not a whole number of them.
const ELEMENTS: usize = 37;

/// How long a program may run.
const TIME_LIMIT: Duration = Duration::from_millis(50);

thread_local! {
    static DEVICES: OnceCell<Vec<Arc<dyn Device>>> = const { OnceCell::new() };
}

/// The reference, and the CPU with its widest and its plainest instructions.
pub(super) fn devices() -> Vec<Arc<dyn Device>> {
    let open = || {
        let options = CpuOptions { threads: Some(1), ..Default::default() };
        let plain = CpuOptions { isa: Some(bessemer_simd::Isa::Portable), ..options };
        vec![
            Arc::new(Reference::new()) as Arc<dyn Device>,
            Arc::new(Cpu::open(options).expect("a CPU")),
            Arc::new(Cpu::open(plain).expect("a CPU")),
        ]
    };
    DEVICES.with(|devices| devices.get_or_init(open).clone())
}

/// The bytes of everything that the program wrote, or why it failed.
pub(super) fn run(program: &Program, device: &dyn Device) -> Result<Vec<(DType, Vec<u8>)>> {
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for (seed, param) in program.params().iter().enumerate() {
        match param.direction() {
            None => inputs.push(Input::Value(Literal::from_f64(param.ty(), (seed * 3) as f64))),
            Some(direction) => {
                let view = View::alloc(device, param.dtype, &[ELEMENTS])?;
                device.write(&view.slice()?, &bytes(param, seed))?;
                match direction.writes() {
                    true => outputs.push(view),
                    false => inputs.push(Input::View(view)),
                }
            }
        }
    }
    let program = program.clone();
    let mut batch = Batch::new();
    batch.set_time_limit(Some(TIME_LIMIT));
    match (program.form(), program.yields()) {
        (Form::Kernel, _) => {
            let launch = LaunchConfig { grid: [2, 1, 1], block: [11, 3, 1] };
            batch.push(Kernel { program, launch, inputs, outputs: outputs.clone() })?;
        }
        (Form::Map, None) => batch.push(Map { program, inputs, outputs: outputs.clone() })?,
        (Form::Map, Some(ty)) => {
            let (kind, dtype) = match ty {
                Type::F32 => (ReduceKind::Max, DType::F32),
                Type::I32 => (ReduceKind::Sum, DType::I32),
                Type::U32 => (ReduceKind::Sum, DType::U32),
                Type::Bool => (ReduceKind::Any, DType::Bool),
                Type::F64 => (ReduceKind::Max, DType::F64),
                Type::I64 => (ReduceKind::Sum, DType::I64),
                Type::U64 => (ReduceKind::Prod, DType::U64),
            };
            let output = View::alloc(device, dtype, &Shape::SCALAR)?;
            outputs.push(output.clone());
            batch.push(Reduce { program, kind, axes: vec![0], keepdim: false, inputs, output })?;
        }
    }
    device.wait(device.submit(&batch)?)?;
    let read = |view: &View| {
        let slice = view.slice()?;
        let mut bytes = vec![0; view.elements() * view.dtype().block_bytes()];
        device.read(&slice, &mut bytes)?;
        Ok((view.dtype(), bytes))
    };
    outputs.iter().map(read).collect()
}

/// Whether an error says that the time was over, which depends on the machine.
pub(super) fn is_slow(error: &Error) -> bool {
    matches!(error, Error::Stopped { .. })
}

/// What is in memory at first: small numbers, and a few that are special.
fn bytes(param: &Param, seed: usize) -> Vec<u8> {
    let size = param.dtype.block_bytes();
    let number = |i: usize| (i * 7 + seed * 13) % 41;
    let element = |i: usize| -> u64 {
        let x = match i % 11 {
            3 => f32::NAN,
            5 => f32::NEG_INFINITY,
            _ => number(i) as f32 - 9.5,
        };
        match param.dtype {
            DType::F32 => x.to_bits().into(),
            DType::F64 => f64::from(x).to_bits(),
            // A half of the same sign and about the same size; its low bits don't matter.
            DType::F16 | DType::BF16 => {
                (((number(i) as f32 - 9.5).to_bits() >> 16) & 0xBFFF).into()
            }
            DType::Bool => (number(i) % 2) as u64,
            _ if i % 13 == 4 && size >= 4 => u64::MAX,
            _ => number(i) as u64,
        }
    };
    (0..ELEMENTS).flat_map(|i| element(i).to_le_bytes()[..size].to_vec()).collect()
}
