//! Copies on Metal: maps of programs that convert. Blocks are copied as the bytes they are.

use crate::Map;
use bessemer_core::{
    DType, Operation, Result, Shape, Strides, View,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::{Binary, Builder, Compare, Direction, Operand, Program, Type, Unary};

/// The launches that copy `x` to `out`, of one shape.
pub(crate) fn copy(x: &View, out: &View, gpu: &GpuTraits) -> Result<Launches> {
    let (x, out) = match x.dtype().is_block() {
        true if x.elements() == 0 => return Ok(Launches::default()),
        true => (bytes(x)?, bytes(out)?),
        false => (x.clone(), out.clone()),
    };
    let program = program(x.dtype(), out.dtype());
    Map { program, inputs: vec![x.into()], outputs: vec![out] }.metal(gpu)
}

/// A view of blocks as the bytes they are.
fn bytes(view: &View) -> Result<View> {
    let dtype = view.dtype();
    let (len, bytes) = (dtype.block_len(), dtype.block_bytes());
    let last = view.shape().rank() - 1;
    let mut sizes = view.shape().to_vec();
    sizes[last] = sizes[last] / len * bytes;
    let steps = view.strides().iter().enumerate().map(|(axis, &step)| match axis == last {
        true => 1,
        false => step / len as isize * bytes as isize,
    });
    let steps: Vec<isize> = steps.collect();
    let (shape, strides) = (Shape::new(&sizes)?, Strides::new(&steps)?);
    View::at(view.buffer(), DType::U8, shape, strides, view.offset())
}

/// A program that stores elements of one dtype as another: towards zero, saturating, rounded once.
fn program(from: DType, to: DType) -> Program {
    let mut b = Builder::new(&format!("copy_{from}_{to}"));
    let x = b.view("x", from, Direction::In);
    let out = b.view("out", to, Direction::Out);
    let x = b.load(x);
    let (ty, wanted) = (b_type(from), b_type(to));
    let value = match (ty, wanted) {
        (Type::I32, Type::U32) => {
            let x = b.max(x, 0i32);
            b.convert(Type::U32, x)
        }
        (Type::U32, Type::I32) => {
            let x = b.min(x, i32::MAX as u32);
            b.convert(Type::I32, x)
        }
        (Type::I32 | Type::U32, Type::F32) if to == DType::BF16 => to_short_float(&mut b, ty, x),
        _ => b.convert(wanted, x),
    };
    let value = if to == DType::U8 { b.min(value, 255u32) } else { value };
    b.store(out, value);
    b.finish().expect("a copy is a right program")
}

fn b_type(dtype: DType) -> Type {
    Type::of(dtype).unwrap_or(Type::F32)
}

/// A float from which an integer can be rounded on: what does not fit its 24 bits leaves a trace in the
/// last of them, so that the two roundings are as one.
fn to_short_float(b: &mut Builder, ty: Type, x: Operand) -> Operand {
    let magnitude = match ty {
        Type::I32 => {
            let magnitude = b.unary(Unary::Abs, x);
            b.bits(Type::U32, magnitude)
        }
        _ => x,
    };
    let high = b.binary(Binary::Shr, magnitude, 8u32);
    let low = b.binary(Binary::And, magnitude, 255u32);
    let trace = b.compare(Compare::Ne, low, 0u32);
    let trace = b.convert(Type::U32, trace);
    let high = b.binary(Binary::Or, high, trace);
    let high = b.convert(Type::F32, high);
    let high = b.mul(high, 256.0f32);
    let whole = b.convert(Type::F32, magnitude);
    let large = b.compare(Compare::Ge, magnitude, 1u32 << 24);
    let value = b.select(large, high, whole);
    match ty {
        Type::I32 => {
            let negative = b.compare(Compare::Lt, x, 0i32);
            let turned = b.unary(Unary::Neg, value);
            b.select(negative, turned, value)
        }
        _ => value,
    }
}
