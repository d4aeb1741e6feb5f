//! Single instructions as WGSL expressions. Blocks, memory and threads are in `body`.

use crate::{Binary, Compare, Fold, Literal, Operand, Program, Type, Unary};

/// An operand as an expression.
pub(super) fn operand(program: &Program, operand: Operand) -> String {
    match operand {
        Operand::Reg(reg) => format!("r{}", reg.index()),
        Operand::Literal(literal) => self::literal(literal),
        Operand::Uniform(param) => {
            let index = param.index();
            match program.params()[index].ty() {
                Type::Bool => format!("(params.p{index} != 0u)"),
                _ => format!("params.p{index}"),
            }
        }
    }
}

fn literal(literal: Literal) -> String {
    match literal.ty() {
        Type::F32 => {
            let value = f32::from_bits(literal.bits());
            // WGSL has no text for what is not finite, and adapters may make zeros of subnormals.
            match value.is_normal() || literal.bits() == 0 {
                true => format!("{value:?}f"),
                false => format!("from_bits({:#010x}u)", literal.bits()),
            }
        }
        Type::I32 => match literal.bits() as i32 {
            i32::MIN => "bitcast<i32>(0x80000000u)".to_owned(),
            value => format!("({value}i)"),
        },
        Type::U32 => format!("{}u", literal.bits()),
        Type::Bool => (literal.bits() != 0).to_string(),
    }
}

pub(super) fn unary(op: Unary, ty: Type, a: &str) -> String {
    match (op, ty) {
        (Unary::Not, Type::Bool) => format!("!{a}"),
        (Unary::Not, _) => format!("~{a}"),
        (Unary::Neg, Type::I32) => format!("0i - {a}"),
        (Unary::Neg, _) => format!("from_bits(bitcast<u32>({a}) ^ 0x80000000u)"),
        (Unary::Abs, _) => format!("abs({a})"),
        (Unary::Sign, Type::I32) => format!("sign({a})"),
        (Unary::Floor | Unary::Ceil | Unary::Round | Unary::Trunc, _) => format!("{op}({a})"),
        _ => format!("{op}_f32({a})"),
    }
}

pub(super) fn binary(op: Binary, ty: Type, a: &str, b: &str) -> String {
    match (op, ty) {
        (Binary::Add, _) => format!("{a} + {b}"),
        (Binary::Sub, _) => format!("{a} - {b}"),
        (Binary::Mul, _) => format!("{a} * {b}"),
        (Binary::Div, Type::F32) => format!("{a} / {b}"),
        (Binary::Xor, Type::Bool) => format!("{a} != {b}"),
        (Binary::And, _) => format!("{a} & {b}"),
        (Binary::Or, _) => format!("{a} | {b}"),
        (Binary::Xor, _) => format!("{a} ^ {b}"),
        (Binary::Shl, Type::I32) => format!("{a} << (bitcast<u32>({b}) & 31u)"),
        (Binary::Shr, Type::I32) => format!("{a} >> (bitcast<u32>({b}) & 31u)"),
        (Binary::Shl, _) => format!("{a} << ({b} & 31u)"),
        (Binary::Shr, _) => format!("{a} >> ({b} & 31u)"),
        (Binary::Min | Binary::Max, Type::I32 | Type::U32) => format!("{op}({a}, {b})"),
        _ => format!("{op}_{ty}({a}, {b})"),
    }
}

pub(super) fn compare(op: Compare, ty: Type, a: &str, b: &str) -> String {
    if ty == Type::F32 {
        return match op {
            Compare::Eq => format!("eq_f32({a}, {b})"),
            Compare::Ne => format!("!eq_f32({a}, {b})"),
            Compare::Lt => format!("lt_f32({a}, {b})"),
            Compare::Le => format!("le_f32({a}, {b})"),
            Compare::Gt => format!("lt_f32({b}, {a})"),
            Compare::Ge => format!("le_f32({b}, {a})"),
        };
    }
    format!("{a} {} {b}", op.sign())
}

pub(super) fn convert(from: Type, to: Type, a: &str) -> String {
    match (from, to) {
        _ if from == to => a.to_owned(),
        (Type::F32, Type::Bool) => format!("is_true({a})"),
        (Type::F32, _) => format!("to_{to}({a})"),
        (Type::I32, Type::Bool) => format!("{a} != 0i"),
        (Type::U32, Type::Bool) => format!("{a} != 0u"),
        (Type::Bool, Type::F32) => format!("select(0.0f, 1.0f, {a})"),
        (Type::Bool, Type::I32) => format!("select(0i, 1i, {a})"),
        (Type::Bool, _) => format!("select(0u, 1u, {a})"),
        (_, Type::F32) => format!("f32({a})"),
        _ => format!("bitcast<{to}>({a})"),
    }
}

/// Two values as one.
pub(super) fn fold(op: Fold, ty: Type, a: &str, b: &str) -> String {
    binary(op.of_two(), ty, a, b)
}
