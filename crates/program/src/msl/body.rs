//! Instructions as statements. Registers are variables `r0`, `r1`, …; parameters `p0`, `p1`, …;
//! threadgroup memory `s0`, `s1`, ….

use super::{Dialect, loaded, stored};
use crate::{
    Atomic, Binary, Fold, Index, Inst, Literal, MAX_ROUNDS, Operand, ParamKind, Place, Program,
    Scope, Type, Unary,
};
use bessemer_core::DType;
use std::fmt::Write;

/// Writes the statements of one program.
pub(super) struct Body<'p> {
    pub(super) program: &'p Program,
    pub(super) dialect: Dialect,
    pub(super) text: String,
    depth: usize,
    /// Whether threads of a group fold values.
    pub(super) folds: bool,
    /// Numbers of the fold functions, each once.
    pub(super) fold_functions: Vec<(Fold, Scope, Type)>,
}

/// The MSL type of a register. Ops refuse programs with `f64`, which GPUs lack.
pub fn name(ty: Type) -> &'static str {
    match ty {
        Type::F32 => "float",
        Type::I32 => "int",
        Type::U32 => "uint",
        Type::Bool => "bool",
        Type::F64 => "double",
        Type::I64 => "long",
        Type::U64 => "ulong",
    }
}

/// The name of a fold function.
pub(super) fn fold_name((op, scope, ty): (Fold, Scope, Type)) -> String {
    format!("{scope}_{op}_{ty}")
}

impl<'p> Body<'p> {
    pub(super) fn new(program: &'p Program, dialect: Dialect) -> Body<'p> {
        let mut body = Body {
            program,
            dialect,
            text: String::new(),
            depth: 1,
            folds: false,
            fold_functions: Vec::new(),
        };
        for ty in Type::ALL {
            let of_type = program.registers().iter().enumerate().filter(|(_, own)| **own == ty);
            let names: Vec<String> = of_type.map(|(number, _)| format!("r{number}")).collect();
            if !names.is_empty() {
                body.line(&format!("{} {};", name(ty), names.join(", ")));
            }
        }
        if program.body().iter().any(has_loop) {
            body.line(&format!("uint rounds = {MAX_ROUNDS}u;"));
        }
        body.block(program.body());
        body
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:indent$}{line}", "", indent = 4 * self.depth);
    }

    fn block(&mut self, block: &[Inst]) {
        for inst in block {
            self.inst(inst);
        }
    }

    fn inside(&mut self, block: &[Inst]) {
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
    }

    fn inst(&mut self, inst: &Inst) {
        let of = |operand: &Operand| self.operand(*operand);
        let ty = |operand: &Operand| self.program.type_of(*operand);
        let value = match inst {
            Inst::Mov { a, .. } => of(a),
            Inst::Unary { op, a, .. } => unary(*op, ty(a), &of(a)),
            Inst::Binary { op, a, b, .. } => binary(*op, ty(a), &of(a), &of(b)),
            Inst::Compare { op, a, b, .. } => format!("{} {} {}", of(a), op.sign(), of(b)),
            Inst::Fma { a, b, c, .. } => format!("fma({}, {}, {})", of(a), of(b), of(c)),
            Inst::Select { cond, a, b, .. } => format!("{} ? {} : {}", of(cond), of(a), of(b)),
            Inst::Convert { to, a, .. } => convert(ty(a), *to, &of(a)),
            Inst::Bits { to, a, .. } => format!("as_type<{}>({})", name(*to), of(a)),
            Inst::Index { index, .. } => index_name(*index).to_owned(),
            Inst::Load { from, .. } => self.load(from),
            Inst::Atomic { op, at, value, .. } => self.atomic(*op, at, *value),
            Inst::Reduce { op, scope, a, .. } => {
                let function = (*op, *scope, ty(a));
                let value = of(a);
                self.folds = true;
                if !self.fold_functions.contains(&function) {
                    self.fold_functions.push(function);
                }
                let parts = if ty(a).is_wide() { "wide_parts" } else { "parts" };
                format!("{}({value}, {parts}, linear, threads)", fold_name(function))
            }
            Inst::Store { to, value } => return self.store(to, *value),
            Inst::Yield { value } => return self.line(&format!("return {};", of(value))),
            Inst::Barrier => {
                let flags = "mem_flags::mem_device | mem_flags::mem_threadgroup";
                return self.line(&format!("threadgroup_barrier({flags});"));
            }
            Inst::If { cond, then, other } => {
                self.line(&format!("if ({}) {{", of(cond)));
                self.inside(then);
                if !other.is_empty() {
                    self.line("} else {");
                    self.inside(other);
                }
                return self.line("}");
            }
            Inst::Loop { body } => {
                self.line("while (rounds != 0u) {");
                self.depth += 1;
                self.line("rounds -= 1u;");
                self.depth -= 1;
                self.inside(body);
                return self.line("}");
            }
            Inst::Break { cond } => return self.line(&format!("if ({}) break;", of(cond))),
            Inst::Continue { cond } => return self.line(&format!("if ({}) continue;", of(cond))),
        };
        if let Some(dst) = inst.dst() {
            self.line(&format!("r{} = {value};", dst.index()));
        }
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Reg(reg) => format!("r{}", reg.index()),
            Operand::Literal(value) => literal(value),
            Operand::Uniform(param) => {
                let number = param.index();
                match self.program.type_of(operand) {
                    Type::Bool => format!("(params.p{number} != 0u)"),
                    // Two members, so that none needs an alignment of its own.
                    ty if ty.is_wide() => format!(
                        "{}(ulong(params.p{number}_high) << 32 | ulong(params.p{number}))",
                        name(ty)
                    ),
                    _ => format!("params.p{number}"),
                }
            }
        }
    }

    fn dtype(&self, place: &Place) -> DType {
        match place {
            Place::Here(param) | Place::Buffer(param, _) => {
                self.program.params()[param.index()].dtype
            }
            Place::Shared(shared, _) => self.program.shared()[shared.index()].ty.dtype(),
        }
    }

    /// The memory of a place, and what must hold for it to be there.
    fn at(&self, place: &Place) -> (String, Option<String>) {
        // A negative index is a huge one.
        let number = |index: Operand| match self.program.type_of(index) {
            Type::U32 => self.operand(index),
            _ => format!("uint({})", self.operand(index)),
        };
        match *place {
            Place::Here(param) => {
                let param = param.index();
                (format!("p{param}[at.p{param}]"), None)
            }
            Place::Buffer(param, index) => {
                let (param, index) = (param.index(), number(index));
                (format!("p{param}[{index}]"), Some(format!("{index} < params.p{param}")))
            }
            Place::Shared(shared, index) => {
                let (index, len) = (number(index), self.program.shared()[shared.index()].len);
                (format!("s{}[{index}]", shared.index()), Some(format!("{index} < {len}u")))
            }
        }
    }

    /// Booleans of threadgroup memory are `bool`; in device memory they are bytes.
    fn is_stored_as_is(place: &Place) -> bool {
        matches!(place, Place::Shared(..))
    }

    fn load(&self, place: &Place) -> String {
        let (element, there) = self.at(place);
        let value = match Self::is_stored_as_is(place) {
            true => element,
            false => loaded(self.dtype(place), self.dialect, &element),
        };
        match there {
            None => value,
            Some(there) => {
                let ty = Type::of(self.dtype(place)).unwrap_or(Type::F32);
                format!("{there} ? {value} : {}", literal(Literal::from_bits(ty, 0)))
            }
        }
    }

    fn store(&mut self, place: &Place, value: Operand) {
        let (element, there) = self.at(place);
        let value = self.operand(value);
        let value = match Self::is_stored_as_is(place) {
            true => value,
            false => stored(self.dtype(place), self.dialect, &value),
        };
        match there {
            None => self.line(&format!("{element} = {value};")),
            Some(there) => self.line(&format!("if ({there}) {element} = {value};")),
        }
    }

    fn atomic(&self, op: Atomic, place: &Place, value: Operand) -> String {
        let (element, there) = self.at(place);
        let space = if Self::is_stored_as_is(place) { "threadgroup" } else { "device" };
        let ty = name(self.program.type_of(value));
        let function = match op {
            Atomic::Add => "atomic_fetch_add_explicit",
            Atomic::Min => "atomic_fetch_min_explicit",
            Atomic::Max => "atomic_fetch_max_explicit",
            Atomic::And => "atomic_fetch_and_explicit",
            Atomic::Or => "atomic_fetch_or_explicit",
            Atomic::Xor => "atomic_fetch_xor_explicit",
            Atomic::Exchange => "atomic_exchange_explicit",
        };
        let value = self.operand(value);
        let call =
            format!("{function}(({space} atomic_{ty} *)&{element}, {value}, memory_order_relaxed)");
        match there {
            None => call,
            Some(there) => format!("{there} ? {call} : {ty}(0)"),
        }
    }
}

fn has_loop(inst: &Inst) -> bool {
    matches!(inst, Inst::Loop { .. }) || inst.blocks().into_iter().flatten().any(has_loop)
}

/// Whether the program asks for the number of its element.
pub(super) fn asks_number(block: &[Inst]) -> bool {
    block.iter().any(|inst| {
        matches!(inst, Inst::Index { index: Index::Element, .. })
            || inst.blocks().into_iter().any(asks_number)
    })
}

/// The declaration of a parameter among the numbers of a launch.
pub(super) fn is_memory(kind: ParamKind) -> bool {
    !matches!(kind, ParamKind::Uniform)
}

fn literal(value: Literal) -> String {
    match value.ty() {
        Type::F32 => {
            let number = f32::from_bits(value.low());
            match number.is_normal() || number == 0.0 {
                true => format!("{number:?}f"),
                false => format!("as_type<float>({:#010x}u)", value.bits()),
            }
        }
        Type::I32 if value.bits() == 0x8000_0000 => "int(0x80000000u)".to_owned(),
        Type::I32 => format!("{}", value.low() as i32),
        Type::U32 => format!("{}u", value.bits()),
        Type::Bool => format!("{}", value.bits() != 0),
        ty => format!("{}({:#x}ul)", name(ty), value.bits()),
    }
}

fn unary(op: Unary, ty: Type, a: &str) -> String {
    if matches!(ty, Type::I32 | Type::I64) {
        let (signed, unsigned) = (name(ty), unsigned(ty));
        let zero = if ty.is_wide() { "0ul" } else { "0u" };
        return match op {
            Unary::Neg => format!("{signed}({zero} - {unsigned}({a}))"),
            Unary::Abs => format!("{a} < 0 ? {signed}({zero} - {unsigned}({a})) : {a}"),
            Unary::Sign => format!("{signed}({a} > 0) - {signed}({a} < 0)"),
            _ => format!("~{a}"),
        };
    }
    match op {
        Unary::Not if ty == Type::Bool => format!("!{a}"),
        Unary::Not => format!("~{a}"),
        Unary::Neg => format!("-({a})"),
        Unary::Abs => format!("fabs({a})"),
        Unary::Sign => format!("signum({a})"),
        Unary::Recip => format!("1.0f / {a}"),
        Unary::Rsqrt => format!("1.0f / precise::sqrt({a})"),
        Unary::Round => format!("rint({a})"),
        Unary::Floor | Unary::Ceil | Unary::Trunc => format!("{op}({a})"),
        Unary::Sigmoid
        | Unary::Silu
        | Unary::Gelu
        | Unary::GeluTanh
        | Unary::Erf
        | Unary::Expm1
        | Unary::Log1p => format!("{op}({a})"),
        _ => format!("precise::{op}({a})"),
    }
}

/// The unsigned type of as many bits: signed arithmetic wraps only there.
fn unsigned(ty: Type) -> &'static str {
    if ty.is_wide() { "ulong" } else { "uint" }
}

pub(super) fn binary(op: Binary, ty: Type, a: &str, b: &str) -> String {
    let sign = match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::Shl => "<<",
        Binary::Shr => ">>",
        Binary::Div => "/",
        _ => "",
    };
    match (ty, op) {
        (Type::Bool, Binary::And) => format!("{a} && {b}"),
        (Type::Bool, Binary::Or) => format!("{a} || {b}"),
        (Type::Bool, _) => format!("{a} != {b}"),
        (Type::F32, Binary::Rem) => format!("fmod({a}, {b})"),
        (Type::F32, Binary::Min) => format!("nan_min({a}, {b})"),
        (Type::F32, Binary::Max) => format!("nan_max({a}, {b})"),
        (Type::F32, Binary::Pow) => format!("precise::pow({a}, {b})"),
        (Type::F32, Binary::Atan2) => format!("precise::atan2({a}, {b})"),
        (Type::F32, Binary::Copysign) => format!("copysign({a}, {b})"),
        (Type::F32, Binary::Hypot) => format!("hypotenuse({a}, {b})"),
        (Type::F32, Binary::Nextafter) => format!("next_to({a}, {b})"),
        (Type::F32, _) => format!("{a} {sign} {b}"),
        (_, Binary::Div) => format!("{}_div({a}, {b})", name(ty)),
        (_, Binary::Rem) => format!("{}_rem({a}, {b})", name(ty)),
        (Type::I32 | Type::U32, Binary::Min) => format!("min({a}, {b})"),
        (Type::I32 | Type::U32, Binary::Max) => format!("max({a}, {b})"),
        (_, Binary::Min) => format!("({a} < {b} ? {a} : {b})"),
        (_, Binary::Max) => format!("({a} > {b} ? {a} : {b})"),
        (_, Binary::Shl | Binary::Shr) => {
            let by = format!("(uint({b}) & {}u)", if ty.is_wide() { 63 } else { 31 });
            match (ty, op) {
                (Type::I32 | Type::I64, Binary::Shl) => {
                    format!("{}({}({a}) << {by})", name(ty), unsigned(ty))
                }
                _ => format!("{a} {sign} {by}"),
            }
        }
        (Type::I32 | Type::I64, Binary::Add | Binary::Sub | Binary::Mul) => {
            let unsigned = unsigned(ty);
            format!("{}({unsigned}({a}) {sign} {unsigned}({b}))", name(ty))
        }
        _ => format!("{a} {sign} {b}"),
    }
}

fn convert(from: Type, to: Type, a: &str) -> String {
    match (from, to) {
        (Type::F32, Type::I32) => format!("to_int({a})"),
        (Type::F32, Type::U32) => format!("to_uint({a})"),
        (Type::F32, Type::I64) => format!("to_long({a})"),
        (Type::F32, Type::U64) => format!("to_ulong({a})"),
        (Type::F32, Type::Bool) => format!("{a} != 0.0f"),
        (_, Type::Bool) if from != Type::Bool => format!("{a} != 0"),
        _ => format!("{}({a})", name(to)),
    }
}

fn index_name(index: Index) -> &'static str {
    match index {
        Index::Element => "at.number",
        Index::ThreadX => "local.x",
        Index::ThreadY => "local.y",
        Index::ThreadZ => "local.z",
        Index::GroupX => "group.x",
        Index::GroupY => "group.y",
        Index::GroupZ => "group.z",
        Index::GlobalX => "group.x * block.x + local.x",
        Index::GlobalY => "group.y * block.y + local.y",
        Index::GlobalZ => "group.z * block.z + local.z",
        Index::BlockX => "block.x",
        Index::BlockY => "block.y",
        Index::BlockZ => "block.z",
        Index::GridX => "grid.x",
        Index::GridY => "grid.y",
        Index::GridZ => "grid.z",
        Index::Linear => "linear",
        Index::Lane => "linear % 32u",
        Index::Simdgroup => "linear / 32u",
    }
}
