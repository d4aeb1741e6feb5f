//! Kernel: any program over a grid of threadgroups.

mod cases;
mod metal;
mod webgpu;

pub(crate) use cases::cases;

use crate::bind::{self, Input, Lists};
use bessemer_core::{
    Access, Cost, Host, Meter, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::{Form, LaunchConfig, Program, cpu::Grid, reference::run_grid};

/// `program` for every thread of `launch`.
///
/// `inputs` are bound, in order, to the parameters that the program only reads, `outputs` to
/// those it writes. Buffers are gapless views, and no two of them overlap. An index outside of a
/// buffer fails the op on the CPU; outputs then hold whatever was written before.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::Kernel;
/// use bessemer_program::{LaunchConfig, Program};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = "program reverse(in buffer x: f32, out buffer y: f32, uniform last: u32) {
///     %i = global.x
///     %from = sub last, %i
///     %v = load x[%from]
///     store y[%i], %v
/// }";
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0], &[4])?;
/// let y = View::alloc(&device, x.dtype(), x.shape())?;
/// let mut batch = Batch::new();
/// batch.push(Kernel {
///     program: Program::parse("reverse.bp", text)?,
///     launch: LaunchConfig::linear(4, 4),
///     inputs: vec![x.into(), 3u32.into()],
///     outputs: vec![y.clone()],
/// })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(y.to_vec::<f32>(&device)?, [4.0, 3.0, 2.0, 1.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Kernel {
    /// What to do, in kernel form.
    pub program: Program,
    /// How many threads do it.
    pub launch: LaunchConfig,
    /// What it reads.
    pub inputs: Vec<Input>,
    /// What it writes.
    pub outputs: Vec<View>,
}

impl Operation for Kernel {
    fn name(&self) -> &'static str {
        "kernel"
    }

    fn check(&self) -> Result<()> {
        let Kernel { program, launch, inputs, outputs } = self;
        let refuse = |rule: String| Err(bind::refusal("kernel", program, inputs, outputs, rule));
        if program.form() != Form::Kernel {
            return refuse("the program works on elements; run it as a map or a reduction".into());
        }
        if let Err(error) = launch.check(program.name()) {
            return refuse(error.to_string());
        }
        bind::check("kernel", program, inputs, outputs, None)
    }

    fn access(&self) -> Access {
        Access {
            reads: bind::reads(&self.program, &self.inputs, None),
            writes: self.outputs.clone(),
            room: 0,
            in_place: false,
        }
    }

    fn cost(&self) -> Cost {
        let threads = (self.launch.groups() as u64).saturating_mul(self.launch.threads() as u64);
        Cost::of(&self.access(), threads.saturating_mul(self.program.flops()))
    }

    fn reference(&self, host: &mut Host<'_>) {
        let mut lists = Lists::new(host, &self.program, &self.inputs, &self.outputs, None);
        let uniforms = lists.uniforms.clone();
        let mut meter = Meter::new(host.deadline());
        let run = run_grid(&self.program, &uniforms, self.launch, &mut lists, &mut meter);
        if let Err(why) = run {
            bind::fail(why);
        }
        lists.write(host, &self.outputs);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        let nothing = bessemer_core::Shape::SCALAR;
        let bindings = bind::bindings(&self.program, &self.inputs, &self.outputs, &nothing);
        let grid = Grid::new(&self.program, cpu.isa(), self.launch, &bindings);
        let grid = grid.until(cpu.deadline());
        cpu.split(self.launch.groups(), 1, |groups| {
            // SAFETY: the buffers are those of `access`, which this context keeps for us alone.
            if let Err(why) = unsafe { grid.run(groups) } {
                bind::fail(why);
            }
        });
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::launches(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
