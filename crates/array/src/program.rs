//! Programs of the caller's own over arrays. Fused programs are made in `eval`.

use crate::{Array, Error, Operand, Result, build_map::broadcast};
use bessemer_core::{Batch, Error as CoreError, View};
use bessemer_ops::{Input, Map};
use bessemer_program::{Direction, Literal, ParamKind, Program};

impl Array {
    /// Runs a program of map form over arrays, now: one argument for each parameter that it reads, in
    /// order, and one array as result for each that it writes. Arrays are broadcast, and numbers are
    /// converted to the types of their uniforms.
    ///
    /// ```
    /// use bessemer_array::{Array, Error};
    /// use bessemer_program::Program;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let program = Program::parse("scale.bp", "program scale(in view a: f32, out view c: f32, uniform k: f32) {
    ///     %x = load a[@]
    ///     %y = mul %x, k
    ///     store c[@], %y
    /// }")?;
    /// let a = Array::new(&device, [1.0f32, 2.0])?;
    /// let results = Array::run_program(&program, &[(&a).into(), 10.into()])?;
    /// assert_eq!(results[0].to_vec::<f32>()?, [10.0, 20.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn run_program(program: &Program, arguments: &[Operand<'_>]) -> Result<Vec<Array>> {
        const OP: &str = "run_program";
        let refuse = |why: String| {
            let rule = format!("{}: {why}", program.name());
            Err(Error::Rule { op: OP, rule, operands: String::new() })
        };
        let reads = |kind: ParamKind| !matches!(kind, ParamKind::View(Direction::Out));
        let read: Vec<_> = program.params().iter().filter(|param| reads(param.kind)).collect();
        if read.len() != arguments.len() {
            let names: Vec<&str> = read.iter().map(|param| param.name.as_str()).collect();
            return refuse(format!(
                "{} arguments were given; it takes {} ({})",
                arguments.len(),
                read.len(),
                names.join(", ")
            ));
        }
        let arrays = arguments.iter().filter_map(|argument| match argument {
            Operand::Array(array) => Some(("argument", *array)),
            Operand::Scalar(_) => None,
        });
        let arrays: Vec<_> = arrays.collect();
        let Some(&(_, first)) = arrays.first() else {
            return refuse(
                "there is no array among the arguments, so there is nothing to run over".into(),
            );
        };
        for (_, array) in &arrays {
            array.check()?;
            if array.device().info().id != first.device().info().id {
                let rule = "the arrays are on different devices; use one device for all";
                return Err(Error::rule(OP, rule, &arrays));
            }
        }
        let shape = broadcast(OP, &arrays)?;
        Array::eval_all(&arrays.iter().map(|(_, array)| *array).collect::<Vec<_>>())?;
        let device = first.device();
        let room = |dtype: bessemer_core::DType| -> Result<View> {
            let bytes = dtype.bytes_for(shape.elements()).unwrap_or(usize::MAX);
            Ok(View::new(&device.alloc(bytes)?, dtype, shape)?)
        };
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        let mut given = arguments.iter();
        for param in program.params() {
            if param.kind == ParamKind::View(Direction::Out) {
                outputs.push(room(param.dtype)?);
                continue;
            }
            match (given.next(), param.kind) {
                (Some(Operand::Scalar(number)), ParamKind::Uniform) => {
                    inputs.push(Input::Value(Literal::from_number(param.ty(), number.number())));
                }
                (Some(Operand::Array(array)), ParamKind::View(Direction::In)) => {
                    inputs.push(Input::View(array.view()?));
                }
                (Some(Operand::Array(array)), ParamKind::View(_)) => {
                    // Arrays do not change: the program writes to a copy.
                    outputs.push(array.broadcast_to(&shape).copied().view()?);
                }
                (_, kind) => {
                    let wanted = if kind == ParamKind::Uniform { "a number" } else { "an array" };
                    return refuse(format!("{} must be {wanted}", param.name));
                }
            }
        }
        let mut batch = Batch::new();
        batch.push(Map { program: program.clone(), inputs, outputs: outputs.clone() })?;
        let ticket = device.submit(&batch)?;
        device.wait(ticket)?;
        let array = |view: View| match view.shape() == &shape {
            true => Ok(Array::ready(device, view)),
            false => Err(CoreError::view("run_program: an output has another shape").into()),
        };
        outputs.into_iter().map(array).collect()
    }
}
