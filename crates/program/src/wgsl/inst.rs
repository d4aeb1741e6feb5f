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
                ty if ty.is_wide() => format!("vec2<u32>(params.p{index}, params.p{index}_high)"),
                _ => format!("params.p{index}"),
            }
        }
    }
}

fn literal(literal: Literal) -> String {
    match literal.ty() {
        Type::F32 => {
            let value = f32::from_bits(literal.low());
            // WGSL has no text for what is not finite, and adapters may make zeros of subnormals.
            match value.is_normal() || literal.bits() == 0 {
                true => format!("{value:?}f"),
                false => format!("from_bits({:#010x}u)", literal.bits()),
            }
        }
        Type::I32 => match literal.low() as i32 {
            i32::MIN => "bitcast<i32>(0x80000000u)".to_owned(),
            value => format!("({value}i)"),
        },
        Type::U32 => format!("{}u", literal.bits()),
        Type::Bool => (literal.bits() != 0).to_string(),
        Type::F64 | Type::I64 | Type::U64 => {
            let (low, high) = (literal.low(), literal.bits() >> 32);
            format!("vec2<u32>({low}u, {high}u)")
        }
    }
}

pub(super) fn unary(op: Unary, ty: Type, a: &str) -> String {
    match (op, ty) {
        (Unary::Not, Type::Bool) => format!("!{a}"),
        (Unary::Not, _) => format!("~{a}"),
        (Unary::Neg, Type::I64) => format!("neg_64({a})"),
        (Unary::Abs | Unary::Sign, Type::I64) => format!("{op}_i64({a})"),
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
        (Binary::Add | Binary::Sub | Binary::Mul, ty) if ty.is_wide() => {
            format!("{op}_64({a}, {b})")
        }
        (Binary::Shl, ty) if ty.is_wide() => format!("shl_64({a}, {b}.x)"),
        (Binary::Shr, ty) if ty.is_wide() => format!("shr_{ty}({a}, {b}.x)"),
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
    if ty.is_wide() {
        return match op {
            Compare::Eq => format!("all({a} == {b})"),
            Compare::Ne => format!("any({a} != {b})"),
            Compare::Lt => format!("lt_{ty}({a}, {b})"),
            Compare::Le => format!("!lt_{ty}({b}, {a})"),
            Compare::Gt => format!("lt_{ty}({b}, {a})"),
            Compare::Ge => format!("!lt_{ty}({a}, {b})"),
        };
    }
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
        (Type::I64 | Type::U64, Type::Bool) => format!("any({a} != vec2<u32>())"),
        (Type::I64 | Type::U64, Type::F32) => format!("float_{from}({a})"),
        (Type::I64 | Type::U64, Type::I32) => format!("bitcast<i32>({a}.x)"),
        (Type::I64 | Type::U64, Type::U32) => format!("{a}.x"),
        (Type::I64 | Type::U64, _) => a.to_owned(),
        (Type::I32 | Type::U32 | Type::Bool, to) if to.is_wide() => format!("wide_{from}({a})"),
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
