//! `bessemer program run`: one program, on arrays from files.

use super::arguments::{Arguments, Sizes};
use crate::{args::Global, fault::Fault, files::write_whole, text};
use anyhow::{Context, Result, anyhow, bail};
use bessemer::{
    Array, Batch, DType, Device, Shape, View,
    core::estimate,
    ops::{Input, Kernel, Map},
    program::{Direction, Form, LaunchConfig, Param, ParamKind, Program},
};
use clap::Args;
use std::{
    io::Write,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Run a program on arrays from .npy files
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Run {
    /// The program file, or - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The array for the next input parameter, or for the parameter NAME
    #[arg(long = "in", value_name = "[NAME=]FILE")]
    inputs: Vec<String>,

    /// The file for the next output parameter, or for the parameter NAME; outputs without a file
    /// are printed
    #[arg(long = "out", value_name = "[NAME=]FILE")]
    outputs: Vec<String>,

    /// The value of a uniform
    #[arg(long = "set", value_name = "NAME=VALUE")]
    values: Vec<String>,

    /// The shape of the outputs [default: for a map, the broadcast shape of all inputs; for a kernel,
    /// the shape of the first input]
    #[arg(long, value_name = "SIZES")]
    shape: Option<Sizes>,

    /// Number of threadgroups of a kernel, as X or X,Y,Z [default: enough for one thread per element]
    #[arg(long, value_name = "SIZES")]
    grid: Option<Sizes>,

    /// Number of threads per threadgroup, as X or X,Y,Z [default: 256]
    #[arg(long, value_name = "SIZES")]
    block: Option<Sizes>,

    /// Stop the program after this time; 0 is no limit
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    timeout: Duration,
}

const EXAMPLES: &str = "\
Examples:
  bessemer program run add.bp --in a.npy --in b.npy --out c.npy
  bessemer program run axpy.bp --in x=x.npy --in y=y.npy --set k=2.5
  bessemer program run sum.bp --in a.npy --shape 64 --grid 64 --block 256 --device reference

Arrays are converted to the dtype of their parameter. A parameter that is read and written (inout)
takes its initial values from --in and is written to --out.

The time limit counts from the launch. GPUs do not have it: the operating system stops work that
takes seconds.";

impl Run {
    pub(crate) fn run(self, global: &Global, out: &mut dyn Write) -> Result<(), Fault> {
        let program = super::read(&self.file)?;
        let names: Vec<&str> = program.params().iter().map(|p| p.name.as_str()).collect();
        let mut given = Given {
            inputs: Arguments::new("--in", &self.inputs, &names)?,
            outputs: Arguments::new("--out", &self.outputs, &names)?,
            values: Arguments::new("--set", &self.values, &names)?,
        };
        if program.form() == Form::Map && (self.grid.is_some() || self.block.is_some()) {
            return Err(Fault::usage(format!(
                "{} is launched over elements: --grid and --block are for kernels",
                program.name()
            )));
        }
        let device = global.open()?;
        let bound = self.bind(&program, &device, &mut given)?;
        given.finish()?;
        let launch = self.launch(bound.elements)?;
        let name = program.name().to_owned();
        let mut batch = Batch::new();
        batch.set_time_limit((!self.timeout.is_zero()).then_some(self.timeout));
        let outputs: Vec<View> = bound.outputs.iter().map(|output| output.view.clone()).collect();
        let inputs = bound.inputs;
        match program.form() {
            Form::Map => batch.push(Map { program, inputs, outputs })?,
            Form::Kernel => batch.push(Kernel { program, launch, inputs, outputs })?,
        }
        let start = Instant::now();
        let ran = device.submit(&batch).and_then(|ticket| device.wait(ticket));
        ran.map_err(|error| explained(error, &name))?;
        let time = start.elapsed();
        for output in &bound.outputs {
            output.tell(&device, out)?;
        }
        let seconds = text::seconds(time.as_secs_f64());
        Ok(writeln!(out, "ran on {} in {seconds}", device.info().kind)?)
    }

    /// Makes the operands of the program, in the order of its parameters.
    fn bind(&self, program: &Program, device: &Device, given: &mut Given<'_>) -> Result<Bound> {
        let mut bound = Bound { inputs: Vec::new(), outputs: Vec::new(), elements: 0 };
        let mut written = Vec::new();
        let (mut common, mut first) = (Shape::SCALAR, None);
        for param in program.params() {
            let Some(direction) = param.direction() else {
                bound.inputs.push(Input::Value(given.value(param)?));
                continue;
            };
            let array = match direction.reads() {
                true => Some(given.array(param, device)?),
                false => None,
            };
            if let Some(array) = &array {
                if matches!(param.kind, ParamKind::View(_)) {
                    common = common.broadcast(array.shape())?;
                }
                first.get_or_insert(*array.shape());
            }
            match (direction, array) {
                (Direction::In, Some(array)) => {
                    bound.inputs.push(Input::View(gapless(&array, device)?));
                }
                (_, array) => written.push((param, array)),
            }
        }
        let shape = match (&self.shape, program.form(), first) {
            (Some(sizes), _, _) => Shape::new(sizes)?,
            (None, Form::Map, _) => common,
            (None, Form::Kernel, Some(first)) => first,
            (None, Form::Kernel, None) => {
                bail!("{}: give the shape of what it writes by --shape", program.name())
            }
        };
        bound.elements = shape.elements();
        for (param, array) in written {
            let view = match &array {
                Some(array) => copied(array, device)?,
                None => empty(param.dtype, shape, device)?,
            };
            let file = given.outputs.take(&param.name).map(PathBuf::from);
            bound.outputs.push(Output { name: param.name.clone(), view, file });
        }
        Ok(bound)
    }

    fn launch(&self, elements: usize) -> Result<LaunchConfig> {
        let block = match &self.block {
            Some(sizes) => sizes.three("--block")?,
            None => [256, 1, 1],
        };
        let grid = match &self.grid {
            Some(sizes) => sizes.three("--grid")?,
            None => {
                let threads = block.iter().map(|&n| n as usize).product::<usize>().max(1);
                let groups = u32::try_from(elements.div_ceil(threads));
                [groups.context("too many elements for a grid; give --grid")?, 1, 1]
            }
        };
        Ok(LaunchConfig { grid, block })
    }
}

/// Says what to do about a program that was stopped.
fn explained(error: bessemer::core::Error, program: &str) -> anyhow::Error {
    match error {
        bessemer::core::Error::Stopped { limit, .. } => anyhow!(
            "program {program}: stopped after {} s; if it is not endless, allow it more time with \
             --timeout SECONDS, or any time with --timeout 0",
            limit.as_secs_f64()
        ),
        error => error.into(),
    }
}

/// A time on the command line, in seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok();
    let time = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    time.ok_or_else(|| "a time is a number of seconds of at least 0".to_owned())
}

/// What the command line gives, by parameter.
struct Given<'a> {
    inputs: Arguments<'a>,
    outputs: Arguments<'a>,
    values: Arguments<'a>,
}

/// The operands of a program.
struct Bound {
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    /// The elements of an output.
    elements: usize,
}

/// What is written, and where it goes.
struct Output {
    name: String,
    view: View,
    file: Option<PathBuf>,
}

impl Given<'_> {
    fn array(&mut self, param: &Param, device: &Device) -> Result<Array> {
        let Some(file) = self.inputs.take(&param.name) else {
            bail!("{} {} is read: give its array by --in", param.dtype, param.name);
        };
        let array = Array::load_npy(device, Path::new(file))?;
        Ok(if array.dtype() == param.dtype { array } else { array.astype(param.dtype) })
    }

    fn value(&mut self, param: &Param) -> Result<bessemer::program::Literal> {
        let name = &param.name;
        let Some(text) = self.values.take(name) else {
            bail!("{name} is one {} for all threads: give it by --set {name}=VALUE", param.ty());
        };
        let number = match text {
            "true" => Some(1.0),
            "false" => Some(0.0),
            text => text.parse::<f64>().ok(),
        };
        let number = number.ok_or_else(|| anyhow!("--set {name}: `{text}` is not a number"))?;
        let value = bessemer::program::Literal::from_f64(param.ty(), number);
        let whole = param.ty() != bessemer::program::Type::F32;
        if whole && value.to_f64() != number {
            bail!("--set {name}: {text} is not of type {}", param.ty());
        }
        Ok(value)
    }

    /// Whether all that was given was of use.
    fn finish(self) -> Result<(), Fault> {
        for arguments in [&self.inputs, &self.outputs, &self.values] {
            arguments.finish()?;
        }
        Ok(())
    }
}

impl Output {
    fn tell(&self, device: &Device, out: &mut dyn Write) -> Result<()> {
        let array = Array::from_view(device, &self.view)?;
        let Output { name, file, .. } = self;
        let (dtype, shape) = (array.dtype(), array.shape());
        let Some(file) = file else {
            return Ok(writeln!(out, "{name}: {dtype} {shape}\n{array}")?);
        };
        // NumPy has no bf16.
        let saved = if dtype == DType::BF16 { array.astype(DType::F32) } else { array.clone() };
        let mut bytes = Vec::new();
        saved.write_npy(&mut bytes)?;
        write_whole(file, &bytes)?;
        Ok(writeln!(out, "{name}: {dtype} {shape} written to {}", file.display())?)
    }
}

/// The elements of an array in memory of its own, to be written to.
fn copied(array: &Array, device: &Device) -> Result<View> {
    let view = empty(array.dtype(), *array.shape(), device)?;
    let mut batch = Batch::new();
    batch.push(bessemer::ops::Copy { x: array.view()?, out: view.clone() })?;
    let ticket = device.submit(&batch)?;
    device.wait(ticket)?;
    Ok(view)
}

/// The elements of an array, gapless as kernels need them.
fn gapless(array: &Array, device: &Device) -> Result<View> {
    let view = array.view()?;
    if view.is_contiguous() { Ok(view) } else { copied(array, device) }
}

/// Memory for an output; zeros.
fn empty(dtype: DType, shape: Shape, device: &Device) -> Result<View> {
    let bytes = estimate::tensor(dtype, shape.rows(), shape.width())?;
    let view = View::new(&device.alloc(bytes)?, dtype, shape)?;
    device.write(&view.slice()?, &vec![0; bytes])?;
    Ok(view)
}
