//! Programs from recipes: how each step is written in the instruction set.

use super::recipe::{Arg, Recipe, Step};
use crate::node::MapOp;
use bessemer_core::DType;
use bessemer_program::{
    Binary, Builder, Compare, Direction, Literal, Operand, Program, Type, Unary,
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
    let inputs: Vec<_> = recipe
        .inputs
        .iter()
        .enumerate()
        .map(|(i, &dtype)| b.view(&letter(i), dtype, Direction::In))
        .collect();
    let uniforms: Vec<Operand> = recipe
        .uniforms
        .iter()
        .enumerate()
        .map(|(i, &dtype)| b.uniform(&format!("c{i}"), register(dtype)))
        .collect();
    let out = recipe.fold.is_none().then(|| b.view("out", recipe.dtype, Direction::Out));
    let mut values = Values {
        inputs: inputs.iter().map(|&input| b.load(input)).collect(),
        uniforms,
        literals: recipe.literals.iter().map(|&(bits, dtype)| literal(bits, dtype)).collect(),
        steps: Vec::with_capacity(recipe.steps.len()),
    };
    for step in &recipe.steps {
        let value = write_step(&mut b, recipe, step, &values);
        values.steps.push(value);
    }
    let result = values.get(recipe.result);
    match out {
        Some(out) => b.store(out, result),
        None => b.yield_(result),
    }
    b.finish()
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
    inputs: Vec<Operand>,
    uniforms: Vec<Operand>,
    literals: Vec<Operand>,
    steps: Vec<Operand>,
}

impl Values {
    fn get(&self, arg: Arg) -> Operand {
        match arg {
            Arg::Input(i) => self.inputs[usize::from(i)],
            Arg::Step(i) => self.steps[usize::from(i)],
            Arg::Uniform(i) => self.uniforms[usize::from(i)],
            Arg::Literal(i) => self.literals[usize::from(i)],
        }
    }
}

fn literal(bits: u64, dtype: DType) -> Operand {
    Operand::Literal(Literal::from_f64(register(dtype), f64::from_bits(bits)))
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

fn write_step(b: &mut Builder, recipe: &Recipe, step: &Step, values: &Values) -> Operand {
    let [first, second, third] = step.args;
    let x = values.get(first);
    match step.op {
        MapOp::Unary(op) => {
            let y = b.unary(op, x);
            // Bytes have wider registers: what they would lose in memory goes at once.
            if op == Unary::Not { narrow(b, step.dtype, y) } else { y }
        }
        MapOp::Binary(op) => {
            let y = values.get(second);
            let z = b.binary(op, x, y);
            match op {
                Binary::Add | Binary::Sub | Binary::Mul | Binary::Shl => narrow(b, step.dtype, z),
                _ => z,
            }
        }
        MapOp::Compare(op) => b.compare(op, x, values.get(second)),
        MapOp::Select => b.select(x, values.get(second), values.get(third)),
        MapOp::Cast => cast(b, dtype_of(recipe, first), step.dtype, x),
    }
}

/// The lowest bits, as many as `dtype` has.
fn narrow(b: &mut Builder, dtype: DType, x: Operand) -> Operand {
    if dtype == DType::U8 { b.binary(Binary::And, x, 255u32) } else { x }
}

fn cast(b: &mut Builder, from: DType, to: DType, x: Operand) -> Operand {
    match to {
        DType::Bool if from != DType::Bool => {
            let zero = Literal::from_f64(register(from), 0.0);
            b.compare(Compare::Ne, x, Operand::Literal(zero))
        }
        DType::U8 if from.is_float() => {
            let whole = b.convert(Type::U32, x);
            b.min(whole, 255u32)
        }
        DType::U8 if from == DType::I32 || from == DType::U32 => {
            let whole = b.convert(Type::U32, x);
            narrow(b, to, whole)
        }
        _ => b.convert(register(to), x),
    }
}
