//! Programs from recipes: how each step is written in the instruction set. A complex number is two
//! registers, and a complex view two views of `f32`.

use super::recipe::{Arg, Recipe, Step};
use crate::{constant, node::MapOp};
use bessemer_core::DType;
use bessemer_program::{
    Binary, Builder, Compare, Direction, Literal, Operand, ParamId, Program, Type, Unary,
};
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// How many programs are kept; one that makes ever new ones starts over.
const KEPT: usize = 4096;

/// The program of a recipe: the one that is known, or a new one.
pub(super) fn program(recipe: &Recipe) -> bessemer_program::Result<Program> {
    static KNOWN: Mutex<Option<FxHashMap<Recipe, Program>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(program) = known.get(recipe) {
        return Ok(program.clone());
    }
    let program = write(recipe)?;
    if known.len() >= KEPT {
        known.clear();
    }
    known.insert(recipe.clone(), program.clone());
    Ok(program)
}

/// Names as people give them: a, b, … z, a1, b1, …
pub(super) fn letter(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    match index / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

fn write(recipe: &Recipe) -> bessemer_program::Result<Program> {
    let mut b = Builder::new(&name(recipe));
    let inputs: Vec<Views> = (recipe.inputs.iter().enumerate())
        .map(|(i, &dtype)| Views::new(&mut b, &letter(i), dtype, Direction::In))
        .collect();
    let uniforms: Vec<Value> = (recipe.uniforms.iter().enumerate())
        .map(|(i, &dtype)| uniform(&mut b, &format!("c{i}"), dtype))
        .collect();
    let out = recipe.fold.is_none();
    let out = out.then(|| Views::new(&mut b, "out", recipe.dtype, Direction::Out));
    let mut values = Values {
        inputs: inputs.iter().map(|input| input.load(&mut b)).collect(),
        uniforms,
        literals: recipe.literals.iter().map(|&(bits, dtype)| literal(bits, dtype)).collect(),
        steps: Vec::with_capacity(recipe.steps.len()),
    };
    for step in &recipe.steps {
        let value = write_step(&mut b, recipe, step, &values);
        values.steps.push(value);
    }
    match (out, values.get(recipe.result)) {
        (Some(Views::Real(out)), Value::Real(value)) => b.store(out, value),
        (Some(Views::Complex(out)), Value::Complex(value)) => {
            out.into_iter().zip(value).for_each(|(out, value)| b.store(out, value));
        }
        (_, value) => b.yield_(value.real()),
    }
    b.finish()
}

/// What a step gives.
#[derive(Clone, Copy)]
enum Value {
    Real(Operand),
    /// The real part and the imaginary one.
    Complex([Operand; 2]),
}

impl Value {
    /// The number; of a complex one the real part.
    fn real(self) -> Operand {
        match self {
            Value::Real(x) | Value::Complex([x, _]) => x,
        }
    }

    /// Both parts.
    fn parts(self) -> [Operand; 2] {
        match self {
            Value::Real(x) => [x, Literal::from(0.0f32).into()],
            Value::Complex(parts) => parts,
        }
    }
}

/// The parameters that a view of an array is.
enum Views {
    Real(ParamId),
    Complex([ParamId; 2]),
}

/// What the parts of a complex number add to its name.
const PARTS: [&str; 2] = ["re", "im"];

impl Views {
    fn new(b: &mut Builder, name: &str, dtype: DType, direction: Direction) -> Views {
        match dtype.is_complex() {
            false => Views::Real(b.view(name, dtype, direction)),
            true => Views::Complex(
                PARTS.map(|part| b.view(&format!("{name}_{part}"), DType::F32, direction)),
            ),
        }
    }

    fn load(&self, b: &mut Builder) -> Value {
        match *self {
            Views::Real(view) => Value::Real(b.load(view)),
            Views::Complex(views) => Value::Complex(views.map(|view| b.load(view))),
        }
    }
}

fn uniform(b: &mut Builder, name: &str, dtype: DType) -> Value {
    match dtype.is_complex() {
        false => Value::Real(b.uniform(name, register(dtype))),
        true => Value::Complex(PARTS.map(|part| b.uniform(&format!("{name}_{part}"), Type::F32))),
    }
}

fn literal(bits: u64, dtype: DType) -> Value {
    match *constant::literals(dtype, bits) {
        [re, im] => Value::Complex([re.into(), im.into()]),
        [ref one, ..] => Value::Real((*one).into()),
        [] => unreachable!("a value has a part"),
    }
}

/// A program is called by what it does, as far as that is short.
fn name(recipe: &Recipe) -> String {
    let mut parts: Vec<&str> = recipe.steps.iter().map(|step| step.op.name()).collect();
    parts.extend(recipe.fold.map(|fold| fold.name()));
    if parts.len() > 4 {
        let count = parts.len() - 3;
        let [first, second, .., last] = parts[..] else {
            return "fused".into();
        };
        return format!("{first}_{second}_{count}more_{last}");
    }
    match parts.as_slice() {
        [] => "copy".into(),
        parts => parts.join("_"),
    }
}

struct Values {
    inputs: Vec<Value>,
    uniforms: Vec<Value>,
    literals: Vec<Value>,
    steps: Vec<Value>,
}

impl Values {
    fn get(&self, arg: Arg) -> Value {
        match arg {
            Arg::Input(i) => self.inputs[usize::from(i)],
            Arg::Step(i) => self.steps[usize::from(i)],
            Arg::Uniform(i) => self.uniforms[usize::from(i)],
            Arg::Literal(i) => self.literals[usize::from(i)],
        }
    }
}

fn register(dtype: DType) -> Type {
    // Arrays are never of block formats, the only ones without.
    Type::of(dtype).unwrap_or(Type::F32)
}

fn dtype_of(recipe: &Recipe, arg: Arg) -> DType {
    match arg {
        Arg::Input(i) => recipe.inputs[usize::from(i)],
        Arg::Step(i) => recipe.steps[usize::from(i)].dtype,
        Arg::Uniform(i) => recipe.uniforms[usize::from(i)],
        Arg::Literal(i) => recipe.literals[usize::from(i)].1,
    }
}

fn write_step(b: &mut Builder, recipe: &Recipe, step: &Step, values: &Values) -> Value {
    let [first, second, third] = step.args;
    let x = values.get(first);
    let value = match step.op {
        MapOp::Unary(op) => {
            let y = b.unary(op, x.real());
            // Small integers have wider registers: what they would lose in memory goes at once.
            match op {
                Unary::Not | Unary::Neg | Unary::Abs => narrow(b, step.dtype, y),
                _ => y,
            }
        }
        MapOp::Binary(op) => {
            let y = values.get(second).real();
            let z = b.binary(op, x.real(), y);
            match op {
                Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Shl => {
                    narrow(b, step.dtype, z)
                }
                _ => z,
            }
        }
        MapOp::Compare(op) => b.compare(op, x.real(), values.get(second).real()),
        MapOp::Select if step.dtype.is_complex() => {
            let (a, c) = (values.get(second).parts(), values.get(third).parts());
            return Value::Complex([0, 1].map(|part| b.select(x.real(), a[part], c[part])));
        }
        MapOp::Select => b.select(x.real(), values.get(second).real(), values.get(third).real()),
        MapOp::Real => x.parts()[0],
        MapOp::Imag => x.parts()[1],
        MapOp::Complex => return Value::Complex([x.real(), values.get(second).real()]),
        MapOp::Cast => return cast(b, dtype_of(recipe, first), step.dtype, x),
    };
    Value::Real(value)
}

/// The value that the lowest bits have, as many as `dtype` has.
fn narrow(b: &mut Builder, dtype: DType, x: Operand) -> Operand {
    match dtype {
        DType::U8 => b.binary(Binary::And, x, 0xffu32),
        DType::U16 => b.binary(Binary::And, x, 0xffffu32),
        DType::I8 | DType::I16 => {
            let up = if dtype == DType::I8 { 24 } else { 16 };
            let x = b.binary(Binary::Shl, x, up);
            b.binary(Binary::Shr, x, up)
        }
        _ => x,
    }
}

fn cast(b: &mut Builder, from: DType, to: DType, x: Value) -> Value {
    if to.is_complex() {
        return match x {
            Value::Complex(_) => x,
            Value::Real(x) => Value::Complex([b.convert(Type::F32, x), 0.0f32.into()]),
        };
    }
    if to == DType::Bool && from.is_complex() {
        let truths = x.parts().map(|part| b.convert(Type::Bool, part));
        return Value::Real(b.binary(Binary::Or, truths[0], truths[1]));
    }
    let x = x.real();
    Value::Real(match to {
        DType::Bool if from != DType::Bool => {
            let zero = Literal::from_bits(register(from), 0);
            b.compare(Compare::Ne, x, zero)
        }
        _ if from.is_float() => b.cast(to, x),
        _ => {
            let whole = b.convert(register(to), x);
            // From what fits already nothing is lost.
            match holds(to, from) {
                true => whole,
                false => narrow(b, to, whole),
            }
        }
    })
}

/// Whether all integers of `from` are integers of `to` too.
fn holds(to: DType, from: DType) -> bool {
    if !to.is_integer() || from == DType::Bool {
        return true;
    }
    let ((least, most), (from_least, from_most)) = (constant::range(to), constant::range(from));
    least <= from_least && from_most <= most
}
