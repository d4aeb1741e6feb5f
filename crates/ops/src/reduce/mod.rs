//! Reduce: a program over every element, whose values are reduced along some dimensions. All
//! reductions use it, so the values to reduce can be computed in the same pass.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::bind::{self, Input};
use bessemer_core::{
    Access, Cost, DType, Host, MAX_RANK, Operation, Result, Shape, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::{Form, ParamKind, Program, Type};
use std::fmt;

/// How values become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceKind {
    /// Their sum; 0 of none. Floats are summed in double precision or better; integers wrap, in 64
    /// bits if the result has as many.
    Sum,
    /// Their mean, which is a float; NaN of none.
    Mean,
    /// Their product; 1 of none. Floats in double precision, integers as in sums.
    Prod,
    /// The smallest; NaN if any is.
    Min,
    /// The largest; NaN if any is.
    Max,
    /// Where the smallest is first, or the first NaN: its number among those reduced, as
    /// `u32` or `i64`.
    ArgMin,
    /// Where the largest is first, or the first NaN: its number among those reduced, as
    /// `u32` or `i64`.
    ArgMax,
    /// Whether any is true; false of none.
    Any,
    /// Whether all are true; true of none.
    All,
}

impl ReduceKind {
    /// Every kind.
    pub const ALL: [ReduceKind; 9] = [
        ReduceKind::Sum,
        ReduceKind::Mean,
        ReduceKind::Prod,
        ReduceKind::Min,
        ReduceKind::Max,
        ReduceKind::ArgMin,
        ReduceKind::ArgMax,
        ReduceKind::Any,
        ReduceKind::All,
    ];

    /// Its name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            ReduceKind::Sum => "sum",
            ReduceKind::Mean => "mean",
            ReduceKind::Prod => "prod",
            ReduceKind::Min => "min",
            ReduceKind::Max => "max",
            ReduceKind::ArgMin => "argmin",
            ReduceKind::ArgMax => "argmax",
            ReduceKind::Any => "any",
            ReduceKind::All => "all",
        }
    }

    /// Whether it takes values of type `ty` and gives results stored as `out`.
    pub fn fits(self, ty: Type, out: DType) -> bool {
        let stored = Type::of(out);
        match self {
            ReduceKind::Sum | ReduceKind::Prod => {
                let widened = match ty {
                    Type::I32 => out == DType::I64,
                    Type::U32 => out == DType::U64,
                    _ => false,
                };
                ty.is_number() && (widened || stored == Some(ty))
            }
            ReduceKind::Min | ReduceKind::Max => ty.is_number() && stored == Some(ty),
            ReduceKind::Mean => {
                let alike = (ty == Type::F64) == (out == DType::F64);
                ty.is_number() && out.is_float() && alike
            }
            ReduceKind::ArgMin | ReduceKind::ArgMax => {
                ty.is_number() && matches!(out, DType::U32 | DType::I64)
            }
            ReduceKind::Any | ReduceKind::All => ty == Type::Bool && out == DType::Bool,
        }
    }

    /// Whether nothing can be reduced by it.
    pub const fn takes_none(self) -> bool {
        !matches!(self, ReduceKind::Min | ReduceKind::Max | ReduceKind::ArgMin | ReduceKind::ArgMax)
    }
}

impl fmt::Display for ReduceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What `program` yields for every element of the inputs' common shape, folded along `axes`.
///
/// Results do not depend on the number of threads. A sum of n floats is off by at most half a
/// unit in its last place plus n · 2⁻⁵³ times the sum of magnitudes.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::{Reduce, ReduceKind};
/// use bessemer_program::Program;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // The sum of squares of each row.
/// let text = "program square(in view x: f32) {
///     %v = load x[@]
///     %s = mul %v, %v
///     yield %s
/// }";
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
/// let output = View::alloc(&device, x.dtype(), &[2])?;
/// let mut batch = Batch::new();
/// batch.push(Reduce {
///     program: Program::parse("square.bp", text)?,
///     kind: ReduceKind::Sum,
///     axes: vec![1],
///     keepdim: false,
///     inputs: vec![x.into()],
///     output: output.clone(),
/// })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(output.to_vec::<f32>(&device)?, [5.0, 25.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Reduce {
    /// What is folded, in map form.
    pub program: Program,
    /// How.
    pub kind: ReduceKind,
    /// The dimensions that are folded, each once. None of them is the identity.
    pub axes: Vec<usize>,
    /// Whether folded dimensions stay, with size 1.
    pub keepdim: bool,
    /// What the program reads; views broadcast to one shape by NumPy's rule.
    pub inputs: Vec<Input>,
    /// The result.
    pub output: View,
}

impl Reduce {
    /// The shape that all views broadcast to.
    fn domain(&self) -> Result<Shape> {
        let params = self.program.params().iter().zip(&self.inputs);
        let mut shape = Shape::SCALAR;
        for (param, input) in params {
            if let (ParamKind::View(_), Input::View(view)) = (param.kind, input) {
                shape = shape.broadcast(view.shape())?;
            }
        }
        Ok(shape)
    }

    /// Which dimensions are folded.
    fn reduced(&self) -> [bool; MAX_RANK] {
        let mut reduced = [false; MAX_RANK];
        self.axes.iter().for_each(|&axis| reduced[axis] = true);
        reduced
    }

    /// The shape of the result.
    fn output_shape(&self, domain: &Shape) -> Result<Shape> {
        let reduced = self.reduced();
        let keep = |axis: usize| match (reduced[axis], self.keepdim) {
            (false, _) => Some(domain[axis]),
            (true, true) => Some(1),
            (true, false) => None,
        };
        let sizes: Vec<usize> = (0..domain.rank()).filter_map(keep).collect();
        Shape::new(&sizes)
    }
}

impl Operation for Reduce {
    fn name(&self) -> &'static str {
        self.kind.name()
    }

    fn check(&self) -> Result<()> {
        let Reduce { program, kind, axes, inputs, output, .. } = self;
        let outputs = std::slice::from_ref(output);
        let refuse = |rule: String| Err(bind::refusal(self.name(), program, inputs, outputs, rule));
        let (Form::Map, Some(ty)) = (program.form(), program.yields()) else {
            return refuse("the program yields no value to reduce".into());
        };
        if program.params().iter().any(|p| p.direction().is_some_and(|d| d.writes())) {
            return refuse("the program of a reduction must not write, but it does".into());
        }
        let domain = match self.domain() {
            Ok(domain) => domain,
            Err(error) => return refuse(error.to_string()),
        };
        bind::check(self.name(), program, inputs, &[], Some(&domain))?;
        let rank = domain.rank();
        if axes.iter().enumerate().any(|(i, a)| *a >= rank || axes[..i].contains(a)) {
            return refuse(format!("axes {axes:?} are out of range for {domain}, or repeated"));
        }
        let wanted = self.output_shape(&domain)?;
        if *output.shape() != wanted {
            return refuse(format!(
                "the output has shape {}, but {domain} reduced over axes {axes:?} is {wanted}",
                output.shape()
            ));
        }
        if !kind.fits(ty, output.dtype()) {
            return refuse(format!("the {kind} of {ty} cannot be stored as {}", output.dtype()));
        }
        let count: usize = axes.iter().map(|&axis| domain[axis]).product();
        if count == 0 && wanted.elements() > 0 && !kind.takes_none() {
            return refuse(format!("the {kind} of no elements is undefined"));
        }
        if matches!(kind, ReduceKind::ArgMin | ReduceKind::ArgMax) && u32::try_from(count).is_err()
        {
            return refuse(format!(
                "{kind} over {count} elements; split them, at most 2^32 are supported"
            ));
        }
        Ok(())
    }

    fn access(&self) -> Access {
        let domain = self.domain().ok();
        Access {
            reads: bind::reads(&self.program, &self.inputs, domain.as_ref()),
            writes: vec![self.output.clone()],
            room: 0,
            in_place: false,
        }
    }

    fn cost(&self) -> Cost {
        let elements = self.domain().map_or(0, |domain| domain.elements()) as u64;
        Cost::of(&self.access(), elements.saturating_mul(self.program.flops() + 1))
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::reduce(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::reduce(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::launches(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
