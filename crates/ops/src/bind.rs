//! Bindings of program parameters: shared by map, reduce and kernel.

use bessemer_core::{DType, DeviceKind, Error, MAX_RANK, Result, Shape, View};
use bessemer_program::{
    Literal, ParamId, ParamKind, Program, Type,
    cpu::{Binding, BufferAt, Steps, ViewAt},
    reference::Memory,
};
use smallvec::SmallVec;

/// An input of a program: a view, or one value for all elements.
///
/// ```
/// use bessemer_core::View;
/// use bessemer_ops::Input;
///
/// let device = bessemer_cpu::Reference::new();
/// let view = View::from_slice(&device, &[1.0f32, 2.0], &[2])?;
/// let inputs: Vec<Input> = vec![view.into(), 0.5f32.into(), true.into()];
/// assert!(matches!(inputs[0], Input::View(_)));
/// assert!(matches!(inputs[1], Input::Value(value) if value.to_f64() == 0.5));
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Input {
    /// For a view or buffer of the program.
    View(View),
    /// For a uniform.
    Value(Literal),
}

impl From<View> for Input {
    fn from(view: View) -> Input {
        Input::View(view)
    }
}

impl From<&View> for Input {
    fn from(view: &View) -> Input {
        Input::View(view.clone())
    }
}

macro_rules! value {
    ($($type:ty)*) => {$(
        impl From<$type> for Input {
            fn from(value: $type) -> Input {
                Input::Value(value.into())
            }
        }
    )*};
}

value!(f32 i32 u32 i64 u64 bool Literal);

/// A parameter with what it is bound to: `inputs` in order to what is only read, `outputs` in
/// order to what is written.
pub(crate) enum Bound<'a> {
    Input(&'a Input),
    Output(&'a View),
}

/// The binding of each parameter, if there are as many as are needed.
pub(crate) fn bound<'a>(
    program: &Program,
    inputs: &'a [Input],
    outputs: &'a [View],
) -> Option<SmallVec<[Bound<'a>; 8]>> {
    let (mut inputs, mut outputs) = (inputs.iter(), outputs.iter());
    let mut bound = SmallVec::new();
    for param in program.params() {
        let written = param.direction().is_some_and(|direction| direction.writes());
        bound.push(match written {
            true => Bound::Output(outputs.next()?),
            false => Bound::Input(inputs.next()?),
        });
    }
    (inputs.next().is_none() && outputs.next().is_none()).then_some(bound)
}

/// The rule for the operands of `op`: as many as the program has parameters, each of its kind and
/// dtype; views broadcast to `domain`, buffers are gapless.
pub(crate) fn check(
    op: &'static str,
    program: &Program,
    inputs: &[Input],
    outputs: &[View],
    domain: Option<&Shape>,
) -> Result<()> {
    let refuse = |rule: String| Err(refusal(op, program, inputs, outputs, rule));
    let Some(bound) = bound(program, inputs, outputs) else {
        let params: Vec<&str> = program.params().iter().map(|p| p.name.as_str()).collect();
        return refuse(format!(
            "{} inputs and {} outputs do not match its parameters {}",
            inputs.len(),
            outputs.len(),
            params.join(", ")
        ));
    };
    for (param, bound) in program.params().iter().zip(bound) {
        let name = &param.name;
        let view = match (bound, param.kind) {
            (Bound::Input(Input::Value(value)), ParamKind::Uniform) => {
                if value.ty() != param.ty() {
                    return refuse(format!(
                        "{name} is given {}, but must be {}",
                        value.ty(),
                        param.ty()
                    ));
                }
                continue;
            }
            (Bound::Input(Input::Value(_)), _) => {
                return refuse(format!("{name} is given a value, but must be a view"));
            }
            (_, ParamKind::Uniform) => {
                return refuse(format!("{name} is given a view, but must be a value"));
            }
            (Bound::Input(Input::View(view)) | Bound::Output(view), _) => view,
        };
        if view.dtype() != param.dtype {
            return refuse(format!("{name} is {}, but must be {}", view.dtype(), param.dtype));
        }
        match (param.kind, domain) {
            (ParamKind::View(_), Some(domain)) if view.shape() == domain => {}
            (ParamKind::View(_), Some(domain)) => {
                if let Err(error) = view.broadcast_to(*domain) {
                    return refuse(format!("{name}: {error}"));
                }
            }
            _ if !view.is_contiguous() => {
                return refuse(format!("{name} is a buffer, so its view must be contiguous"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// A broken rule, with the operands.
pub(crate) fn refusal(
    op: &'static str,
    program: &Program,
    inputs: &[Input],
    outputs: &[View],
    rule: impl Into<String>,
) -> Error {
    let reads = inputs.iter().filter_map(|input| match input {
        Input::View(view) => Some(("input", view)),
        Input::Value(_) => None,
    });
    let operands: Vec<(&str, &View)> =
        reads.chain(outputs.iter().map(|view| ("output", view))).collect();
    Error::rule(op, format!("{}: {}", program.name(), rule.into()), &operands)
}

/// A view in the shape of the domain; checked before.
pub(crate) fn broadcast(view: &View, domain: &Shape) -> View {
    if view.shape() == domain {
        return view.clone();
    }
    view.broadcast_to(*domain).expect("checked: it broadcasts")
}

/// The views that are read, in the shape of the domain where the program sees elements only.
pub(crate) fn reads(program: &Program, inputs: &[Input], domain: Option<&Shape>) -> Vec<View> {
    let params = program.params().iter();
    let params = params.filter(|p| !p.direction().is_some_and(|direction| direction.writes()));
    let read = |(param, input): (&bessemer_program::Param, &Input)| match (input, domain) {
        (Input::Value(_), _) => None,
        (Input::View(view), Some(domain)) if matches!(param.kind, ParamKind::View(_)) => {
            Some(view.broadcast_to(*domain).unwrap_or_else(|_| view.clone()))
        }
        (Input::View(view), _) => Some(view.clone()),
    };
    params.zip(inputs).filter_map(read).collect()
}

/// Addresses for the CPU.
pub(crate) fn bindings(
    program: &Program,
    inputs: &[Input],
    outputs: &[View],
    domain: &Shape,
) -> SmallVec<[Binding; 4]> {
    let bound = bound(program, inputs, outputs).expect("checked: as many as parameters");
    let bind = |(param, bound): (&bessemer_program::Param, &Bound<'_>)| {
        let view = match bound {
            Bound::Input(Input::Value(value)) => return Binding::Uniform(*value),
            Bound::Input(Input::View(view)) => view,
            Bound::Output(view) => *view,
        };
        let ParamKind::View(_) = param.kind else {
            return Binding::Buffer(BufferAt {
                first: first(view),
                dtype: view.dtype(),
                len: view.elements(),
            });
        };
        // Only what is in place of an output is shared; inputs may well be the same view.
        let is_output = matches!(bound, Bound::Output(_));
        let shared = match is_output {
            true => inputs.iter().any(|i| matches!(i, Input::View(v) if v.overlaps(view))),
            false => outputs.iter().any(|output| output.overlaps(view)),
        };
        let both = param.direction() == Some(bessemer_program::Direction::InOut);
        Binding::View(ViewAt {
            first: first(view),
            dtype: view.dtype(),
            steps: steps(view, domain),
            shared: shared || both,
        })
    };
    program.params().iter().zip(&bound).map(bind).collect()
}

/// The steps of a view along the dimensions of a domain it broadcasts to.
pub(crate) fn steps(view: &View, domain: &Shape) -> Steps {
    let mut steps = [0; MAX_RANK];
    let added = domain.rank() - view.shape().rank();
    for (axis, (&size, &step)) in view.shape().iter().zip(&**view.strides()).enumerate() {
        steps[axis + added] = if size == 1 { 0 } else { step };
    }
    steps
}

/// The address of a view's first element.
pub(crate) fn first(view: &View) -> *mut u8 {
    let host = view.buffer().host().expect("buffers of a CPU device are on the host");
    // The offset of a view lies within its buffer.
    host.as_ptr().wrapping_add(view.offset())
}

/// Ends the op: the program did something it may not do, which only its run can tell.
pub(crate) fn fail(why: String) -> ! {
    // Not a panic of ours: the device reports it as the op's failure.
    std::panic::resume_unwind(Box::new(why))
}

/// Operands as they are stored, for the meaning of programs. Views at one place are one list.
pub(crate) struct Lists {
    /// By parameter: which list, and how its elements are stored.
    params: Vec<(usize, DType)>,
    lists: Vec<Vec<u64>>,
    pub(crate) uniforms: Vec<Literal>,
    places: Vec<View>,
}

impl Lists {
    pub(crate) fn new(
        host: &bessemer_core::Host<'_>,
        program: &Program,
        inputs: &[Input],
        outputs: &[View],
        domain: Option<&Shape>,
    ) -> Lists {
        let bound = bound(program, inputs, outputs).expect("checked: as many as parameters");
        let mut lists = Lists {
            params: Vec::new(),
            lists: Vec::new(),
            uniforms: Vec::new(),
            places: Vec::new(),
        };
        for (param, bound) in program.params().iter().zip(bound) {
            let view = match bound {
                Bound::Input(Input::Value(value)) => {
                    lists.uniforms.push(*value);
                    lists.params.push((usize::MAX, param.dtype));
                    continue;
                }
                Bound::Input(Input::View(view)) | Bound::Output(view) => view,
            };
            let view = match (param.kind, domain) {
                (ParamKind::View(_), Some(domain)) => broadcast(view, domain),
                _ => view.clone(),
            };
            let known = lists.places.iter().position(|place| place.is_same_place(&view));
            let number = known.unwrap_or_else(|| {
                lists.lists.push(host.read_bits(&view));
                lists.places.push(view.clone());
                lists.lists.len() - 1
            });
            lists.params.push((number, view.dtype()));
            lists.uniforms.push(Literal::from_bits(Type::F32, 0));
        }
        lists
    }

    /// Writes the outputs back.
    pub(crate) fn write(self, host: &mut bessemer_core::Host<'_>, outputs: &[View]) {
        for output in outputs {
            let number = self.places.iter().position(|place| place.is_same_place(output));
            let number = number.expect("outputs are parameters");
            host.write_bits(output, &self.lists[number]);
        }
    }
}

impl Memory for Lists {
    fn load(&mut self, param: ParamId, index: usize) -> Option<Literal> {
        let (list, dtype) = self.params[param.index()];
        self.lists[list].get(index).map(|&bits| Literal::from_stored(dtype, bits))
    }

    fn store(&mut self, param: ParamId, index: usize, value: Literal) -> Option<()> {
        let (list, dtype) = self.params[param.index()];
        *self.lists[list].get_mut(index)? = value.stored(dtype);
        Some(())
    }
}

/// A program that a GPU cannot run: none has doubles.
pub(crate) fn refuse_doubles(
    op: &'static str,
    program: &Program,
    device: DeviceKind,
) -> Result<()> {
    match program.uses(Type::F64) {
        true => Err(no_doubles(op, device)),
        false => Ok(()),
    }
}

/// What a GPU says of doubles.
pub(crate) fn no_doubles(op: &'static str, device: DeviceKind) -> Error {
    let why = "GPUs have no f64; compute in f32 (`astype`), or use `cpu`";
    Error::NoKernel { op, device, why }
}
