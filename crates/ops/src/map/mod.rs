//! Map: a program over every element. All elementwise ops are maps of different programs.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::bind::{self, Input};
use bessemer_core::{
    Access, Cost, Host, Operation, Result, Shape, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::{Form, Program};

/// `program` for every element of the outputs, which are all of one shape; inputs broadcast to
/// it by NumPy's rule.
///
/// `inputs` are bound, in order, to the parameters that the program only reads, `outputs` to
/// those it writes. An output may be the very same view as an input.
///
/// ```
/// use bessemer_core::{Batch, DType, Device, Element, Shape, View};
/// use bessemer_ops::Map;
/// use bessemer_program::Program;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let device = bessemer_cpu::Cpu::open(Default::default())?;
/// let view = View::new(&device.alloc(12)?, DType::F32, Shape::new(&[3])?)?;
/// device.write(&view.slice()?, f32::as_bytes(&[1.0, -2.0, 3.0]))?;
/// let text = "program p(in view a: f32, out view c: f32, uniform k: f32) {
///     %x = load a[@]
///     %y = mul %x, k
///     store c[@], %y
/// }";
/// let program = Program::parse("p.bp", text)?;
/// let mut batch = Batch::new();
/// batch.push(Map {
///     program,
///     inputs: vec![view.clone().into(), 10.0f32.into()],
///     outputs: vec![view.clone()],
/// })?;
/// device.wait(device.submit(&batch)?)?;
/// let mut result = [0.0f32; 3];
/// device.read(&view.slice()?, f32::as_bytes_mut(&mut result))?;
/// assert_eq!(result, [10.0, -20.0, 30.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Map {
    /// What to do, in map form.
    pub program: Program,
    /// What it reads.
    pub inputs: Vec<Input>,
    /// What it writes.
    pub outputs: Vec<View>,
}

impl Map {
    /// The shape of the outputs.
    fn domain(&self) -> Option<&Shape> {
        self.outputs.first().map(View::shape)
    }
}

impl Operation for Map {
    fn name(&self) -> &'static str {
        "map"
    }

    fn check(&self) -> Result<()> {
        let Map { program, inputs, outputs } = self;
        let refuse = |rule: &str| Err(bind::refusal("map", program, inputs, outputs, rule));
        if program.form() != Form::Map || program.yields().is_some() {
            return refuse("the program is not a map: it has buffers or yields a value");
        }
        let Some(domain) = self.domain() else {
            return refuse("there is no output");
        };
        if outputs.iter().any(|output| output.shape() != domain) {
            return refuse("the outputs have different shapes");
        }
        bind::check("map", program, inputs, outputs, Some(domain))
    }

    fn access(&self) -> Access {
        Access {
            reads: bind::reads(&self.program, &self.inputs, self.domain()),
            writes: self.outputs.clone(),
            room: 0,
            in_place: true,
        }
    }

    fn cost(&self) -> Cost {
        let elements = self.domain().map_or(0, Shape::elements) as u64;
        Cost::of(&self.access(), elements.saturating_mul(self.program.flops()))
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::map(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::map(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::launches(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
