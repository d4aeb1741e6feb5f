//! Which types instructions take and what they give. The builder and the verifier share it.

use crate::{
    Binary, Compare, Direction, Fold, Inst, Operand, ParamKind, Place, Type, Unary, program::Source,
};

/// The type that `inst` gives to its register (`None` if it assigns none), or the rule it breaks.
pub(crate) fn result_type(source: &Source, inst: &Inst) -> Result<Option<Type>, String> {
    bounded(source, inst)?;
    let ty = |operand: &Operand| source.type_of(*operand);
    let want = |what: &str, found: Type, wanted: Type| {
        if found == wanted {
            Ok(())
        } else {
            Err(format!("{what} is {found}, but must be {wanted}"))
        }
    };
    let same = |a: &Operand, b: &Operand| match (ty(a), ty(b)) {
        (a, b) if a == b => Ok(a),
        (a, b) => Err(format!("the operands are {a} and {b}, but must be of one type")),
    };
    let takes = |name: &str, found: Type, kinds: &[Type]| {
        if kinds.contains(&found) {
            return Ok(found);
        }
        let kinds: Vec<&str> = kinds.iter().map(|ty| ty.name()).collect();
        let kinds = match &*kinds {
            [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
            _ => kinds.join(", "),
        };
        Err(format!("{name} takes {kinds}, but is given {found}"))
    };
    Ok(Some(match inst {
        Inst::Mov { a, .. } => ty(a),
        Inst::Unary { op, a, .. } => takes(op.name(), ty(a), op.types())?,
        Inst::Binary { op, a, b, .. } => takes(op.name(), same(a, b)?, op.types())?,
        Inst::Compare { op, a, b, .. } => {
            takes(op.name(), same(a, b)?, op.types())?;
            Type::Bool
        }
        Inst::Fma { a, b, c, .. } => {
            let found = takes("fma", ty(a), FLOATS)?;
            for operand in [b, c] {
                want("an operand of fma", ty(operand), found)?;
            }
            found
        }
        Inst::Select { cond, a, b, .. } => {
            want("the condition", ty(cond), Type::Bool)?;
            same(a, b)?
        }
        Inst::Convert { to, .. } => *to,
        Inst::Bits { to, a, .. } => {
            let from = takes("bits", ty(a), NUMBERS)?;
            if from.is_wide() != to.is_wide() {
                return Err(format!("{from} and {to} have different numbers of bits"));
            }
            takes("bits", *to, NUMBERS)?
        }
        Inst::Index { .. } => Type::U32,
        Inst::Load { from, .. } => element(source, from, Direction::reads, "read")?,
        Inst::Store { to, value } => {
            let wanted = element(source, to, Direction::writes, "written")?;
            want("the value", ty(value), wanted)?;
            return Ok(None);
        }
        Inst::Atomic { at, value, .. } => {
            let wanted = element(source, at, |d| d == Direction::InOut, "read and written")?;
            if let Place::Here(_) = at {
                return Err("the place is an element of a view, but must be one of a buffer or of threadgroup memory".into());
            }
            if let Place::Buffer(param, _) = at
                && source.params[param.index()].dtype != wanted.dtype()
            {
                let found = source.params[param.index()].dtype;
                return Err(format!("the elements are {found}, but must be i32 or u32"));
            }
            takes("an atomic", wanted, &[Type::I32, Type::U32])?;
            want("the value", ty(value), wanted)?;
            wanted
        }
        Inst::Reduce { op, a, .. } => takes(op.name(), ty(a), op.types())?,
        Inst::If { cond, .. } | Inst::Break { cond } | Inst::Continue { cond } => {
            want("the condition", ty(cond), Type::Bool)?;
            return Ok(None);
        }
        Inst::Barrier | Inst::Loop { .. } | Inst::Yield { .. } => return Ok(None),
    }))
}

/// Every id that is read is one of this program.
fn bounded(source: &Source, inst: &Inst) -> Result<(), String> {
    let mut stray = None;
    let mut check = |what: &str, id: usize, count: usize| {
        if id >= count {
            stray = Some(format!("{what} {id} belongs to another program"));
        }
    };
    inst.for_each_operand(|operand| match operand {
        Operand::Reg(reg) => check("register", reg.index(), source.registers.len()),
        Operand::Uniform(param) => check("parameter", param.index(), source.params.len()),
        Operand::Literal(_) => {}
    });
    if let Inst::Load { from: at, .. } | Inst::Store { to: at, .. } | Inst::Atomic { at, .. } = inst
    {
        match at {
            Place::Here(param) | Place::Buffer(param, _) => {
                check("parameter", param.index(), source.params.len());
            }
            Place::Shared(shared, _) => {
                check("threadgroup memory", shared.index(), source.shared.len());
            }
        }
    }
    stray.map_or(Ok(()), Err)
}

/// The type of the elements of a place that may be used as `allowed` says.
fn element(
    source: &Source,
    place: &Place,
    allowed: impl Fn(Direction) -> bool,
    how: &str,
) -> Result<Type, String> {
    let (param, is_view, index) = match place {
        Place::Here(param) => (param, true, None),
        Place::Buffer(param, index) => (param, false, Some(index)),
        Place::Shared(shared, index) => {
            index_type(source, index)?;
            return Ok(source.shared[shared.index()].ty);
        }
    };
    let param = &source.params[param.index()];
    let name = &param.name;
    let direction = match (param.kind, is_view) {
        (ParamKind::View(direction), true) | (ParamKind::Buffer(direction), false) => direction,
        (ParamKind::View(_), false) => {
            return Err(format!("`{name}` is a view and has no index; use {name}[@]"));
        }
        (ParamKind::Buffer(_), true) => {
            return Err(format!("`{name}` is a buffer and needs an index; use {name}[INDEX]"));
        }
        (ParamKind::Uniform, _) => {
            return Err(format!("`{name}` is a uniform, not memory; use it as an operand"));
        }
    };
    if let Some(index) = index {
        index_type(source, index)?;
    }
    if !allowed(direction) {
        return Err(format!("`{name}` is declared `{}`, so it cannot be {how}", direction.name()));
    }
    Ok(param.ty())
}

fn index_type(source: &Source, index: &Operand) -> Result<(), String> {
    match source.type_of(*index) {
        Type::U32 | Type::I32 => Ok(()),
        other => Err(format!("the index is {other}, but must be u32 or i32")),
    }
}

const FLOATS: &[Type] = &[Type::F32, Type::F64];
const BITS: &[Type] = &[Type::I32, Type::U32, Type::I64, Type::U64, Type::Bool];
const INTEGERS: &[Type] = &[Type::I32, Type::U32, Type::I64, Type::U64];
const NUMBERS: &[Type] = &[Type::F32, Type::I32, Type::U32, Type::F64, Type::I64, Type::U64];
const SIGNED: &[Type] = &[Type::F32, Type::I32, Type::F64, Type::I64];

impl Unary {
    /// The types it takes.
    pub const fn types(self) -> &'static [Type] {
        match self {
            Unary::Neg | Unary::Abs | Unary::Sign => SIGNED,
            Unary::Not => BITS,
            _ => FLOATS,
        }
    }
}

impl Binary {
    /// The types it takes.
    pub const fn types(self) -> &'static [Type] {
        match self {
            Binary::Add
            | Binary::Sub
            | Binary::Mul
            | Binary::Div
            | Binary::Rem
            | Binary::Min
            | Binary::Max => NUMBERS,
            Binary::Pow | Binary::Atan2 | Binary::Hypot | Binary::Copysign | Binary::Nextafter => {
                FLOATS
            }
            Binary::And | Binary::Or | Binary::Xor => BITS,
            Binary::Shl | Binary::Shr => INTEGERS,
        }
    }
}

impl Compare {
    /// The types it takes.
    pub const fn types(self) -> &'static [Type] {
        match self {
            Compare::Eq | Compare::Ne => &Type::ALL,
            _ => NUMBERS,
        }
    }
}

impl Fold {
    /// The types it takes.
    pub const fn types(self) -> &'static [Type] {
        match self {
            Fold::Any | Fold::All => &[Type::Bool],
            _ => NUMBERS,
        }
    }
}
