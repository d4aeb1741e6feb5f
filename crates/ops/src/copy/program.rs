//! Copies on GPUs as maps: the program that makes one dtype of another. Blocks are not here.

use crate::{Map, bind};
use bessemer_core::{DType, DeviceKind, Result, View};
use bessemer_program::{
    Binary, Builder, Compare, Direction, Literal, Operand, Program, Type, Unary,
};

/// The map that copies `x` to `out`, of one shape, on a GPU.
pub(super) fn map(x: &View, out: &View, device: DeviceKind) -> Result<Map> {
    let (from, to) = (x.dtype(), out.dtype());
    // What programs of GPUs cannot compute with they can still move.
    let moved = from == to && matches!(from, DType::F64 | DType::Complex64);
    if from != to && (from == DType::F64 || to == DType::F64) {
        return Err(bind::no_doubles("copy", device));
    }
    let (x, out) = if moved { (words(x)?, words(out)?) } else { (x.clone(), out.clone()) };
    let program = program(x.dtype(), out.dtype());
    Ok(Map { program, inputs: vec![x.into()], outputs: vec![out] })
}

/// Elements of 64 bits as integers of the same bits.
fn words(view: &View) -> Result<View> {
    View::at(view.buffer(), DType::U64, *view.shape(), *view.strides(), view.offset())
}

/// Stores elements of one dtype as another: towards zero, saturating, rounded once.
fn program(from: DType, to: DType) -> Program {
    let mut b = Builder::new("copy");
    let x = b.view("x", from, Direction::In);
    let out = b.view("out", to, Direction::Out);
    let x = b.load(x);
    let ty = b.type_of(x);
    let value = match (ty.is_integer(), to) {
        (true, DType::BF16) => rounded_once(&mut b, x),
        (true, _) if to.is_integer() => {
            let x = saturated(&mut b, x, to);
            b.cast(to, x)
        }
        _ => b.cast(to, x),
    };
    b.store(out, value);
    b.finish().expect("a copy is a right program")
}

/// The nearest integer that `to` has too.
fn saturated(b: &mut Builder, x: Operand, to: DType) -> Operand {
    let ty = b.type_of(x);
    let (least, most) = range(ty.dtype());
    let (wanted_least, wanted_most) = range(to);
    let literal = |x: i128| Literal::from_bits(ty, x as u64);
    let x = if wanted_least > least { b.max(x, literal(wanted_least)) } else { x };
    if wanted_most < most { b.min(x, literal(wanted_most)) } else { x }
}

/// The least and the most of an integer dtype.
fn range(dtype: DType) -> (i128, i128) {
    let bits = 8 * dtype.block_bytes() as u32;
    match dtype.is_signed_integer() {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    }
}

/// A whole number as a float that rounds to the same bfloat16 as the number does: where no float is
/// equal to it, the nearest one towards zero, with its last bit set.
fn rounded_once(b: &mut Builder, x: Operand) -> Operand {
    let ty = b.type_of(x);
    let unsigned = if ty.is_wide() { Type::U64 } else { Type::U32 };
    let size = if ty.is_signed() { b.unary(Unary::Abs, x) } else { x };
    let size = b.convert(unsigned, size);
    let near = b.convert(Type::F32, size);
    let back = b.convert(unsigned, near);
    let above = b.compare(Compare::Gt, back, size);
    let above = b.convert(Type::U32, above);
    let inexact = b.compare(Compare::Ne, back, size);
    let inexact = b.convert(Type::U32, inexact);
    let bits = b.bits(Type::U32, near);
    let bits = b.sub(bits, above);
    let bits = b.binary(Binary::Or, bits, inexact);
    let value = b.bits(Type::F32, bits);
    if !ty.is_signed() {
        return value;
    }
    let below = b.compare(Compare::Lt, x, Literal::from_bits(ty, 0));
    let turned = b.unary(Unary::Neg, value);
    b.select(below, turned, value)
}
