//! Programs of random instructions, all of them exact, so that devices may not differ by a bit.

use super::run;
use arbitrary::{Result, Unstructured};
use bessemer_core::DType;
use bessemer_program::{
    Atomic, Binary, Builder, Compare, Direction, Fold, Index, Literal, Operand, ParamId, Place,
    Program, Reg, Scope, SharedId, Type, Unary,
};

/// Bytes as decisions of a builder. What the program computes on the reference it has to compute on the
/// CPU, and one that the reference refuses or fails the CPU must too.
pub fn program_built(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok(builder) = build(&mut u) else {
        return;
    };
    // Rules about barriers and values that are missing on a path are the verifier's to find.
    let Ok(program) = builder.finish() else {
        return;
    };
    let text = program.to_string();
    assert_eq!(Program::parse("built.bp", &text).as_ref(), Ok(&program));
    let [reference, others @ ..] = &run::devices()[..] else {
        return;
    };
    let wanted = run::run(&program, &**reference);
    for device in others {
        match (&wanted, run::run(&program, &**device)) {
            (Err(error), _) if run::is_slow(error) => {}
            (_, Err(error)) if run::is_slow(&error) => {}
            (Ok(wanted), Ok(found)) => {
                let same = wanted.iter().zip(&found).all(|(a, b)| same(a, b));
                assert!(same, "{device:?}: {found:?}, not {wanted:?}\n{text}");
            }
            (Err(_), Err(_)) => {}
            (wanted, found) => panic!("{device:?}: {found:?}, not {wanted:?}\n{text}"),
        }
    }
}

/// The same bytes, but for what NaN they are.
fn same((dtype, a): &(DType, Vec<u8>), (_, b): &(DType, Vec<u8>)) -> bool {
    let nan = |x: &[u8]| match (dtype, x) {
        (DType::F64, _) => x.try_into().is_ok_and(|x| f64::from_le_bytes(x).is_nan()),
        (DType::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).is_nan(),
        (DType::BF16, &[a, b]) => f32::from_le_bytes([0, 0, a, b]).is_nan(),
        (DType::F16, &[a, b]) => u16::from_le_bytes([a, b]) & 0x7FFF > 0x7C00,
        _ => false,
    };
    let size = dtype.block_bytes();
    a.len() == b.len()
        && a.chunks(size).zip(b.chunks(size)).all(|(a, b)| a == b || nan(a) && nan(b))
}

/// What a program can use at one place of it.
struct Known {
    values: Vec<Operand>,
    variables: Vec<Reg>,
    memory: Vec<(ParamId, Direction, Type)>,
    shared: Option<SharedId>,
    kernel: bool,
    /// Loops around what is being built: they end by a count.
    depth: usize,
    /// Instructions that may still be added.
    left: usize,
}

/// All but complex numbers, which programs have as pairs of views.
const DTYPES: [DType; 13] = [
    DType::F32,
    DType::F16,
    DType::BF16,
    DType::I32,
    DType::U32,
    DType::U8,
    DType::Bool,
    DType::F64,
    DType::I8,
    DType::I16,
    DType::I64,
    DType::U16,
    DType::U64,
];

/// Instructions of floats that give the same bits everywhere. `min` and `max` may give either zero.
const EXACT: [Binary; 4] = [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div];
const EXACT_UNARY: [Unary; 8] = [
    Unary::Neg,
    Unary::Abs,
    Unary::Sign,
    Unary::Sqrt,
    Unary::Floor,
    Unary::Ceil,
    Unary::Round,
    Unary::Trunc,
];

fn build(u: &mut Unstructured<'_>) -> Result<Builder> {
    let mut b = Builder::new("built");
    let kernel = u.arbitrary()?;
    let mut known = Known {
        values: Vec::new(),
        variables: Vec::new(),
        memory: Vec::new(),
        shared: None,
        kernel,
        depth: 0,
        left: 40,
    };
    for i in 0..u.int_in_range(1..=4)? {
        let name = format!("p{i}");
        let dtype = *u.choose(&DTYPES)?;
        let direction = *u.choose(&[Direction::In, Direction::InOut, Direction::Out])?;
        let param = match kernel {
            true => b.buffer(&name, dtype, direction),
            false => b.view(&name, dtype, direction),
        };
        known.memory.push((param, direction, Type::of(dtype).unwrap_or(Type::F32)));
    }
    known.values.push(b.uniform("k", *u.choose(&Type::ALL)?));
    if kernel && u.arbitrary()? {
        known.shared = Some(b.shared("s", *u.choose(&Type::ALL)?, u.int_in_range(1..=64)?));
    }
    for ty in Type::ALL {
        let start = literal(u, ty)?;
        known.variables.push(b.var(start));
        known.values.push(start);
    }
    block(&mut b, u, &mut known)?;
    // What was computed has to be seen.
    for &(param, direction, ty) in &known.memory {
        if direction.writes() {
            store(&mut b, u, &known, param, ty)?;
        }
    }
    if !kernel && u.ratio(1, 4)? {
        let value = *u.choose(&known.values)?;
        b.yield_(value);
    }
    Ok(b)
}

fn block(b: &mut Builder, u: &mut Unstructured<'_>, known: &mut Known) -> Result<()> {
    for _ in 0..u.int_in_range(1..=10)? {
        let Some(left) = known.left.checked_sub(1) else {
            return Ok(());
        };
        known.left = left;
        statement(b, u, known)?;
    }
    Ok(())
}

fn statement(b: &mut Builder, u: &mut Unstructured<'_>, known: &mut Known) -> Result<()> {
    let value = match u.int_in_range(0..=15)? {
        0..=4 => compute(b, u, known)?,
        5 | 6 => {
            let (param, direction, _) = *u.choose(&known.memory)?;
            if !direction.reads() {
                return Ok(());
            }
            match known.kernel {
                true => {
                    let index = index(b, u, known)?;
                    b.load_at(param, index)
                }
                false => b.load(param),
            }
        }
        7 => {
            let (param, direction, ty) = *u.choose(&known.memory)?;
            return if direction.writes() { store(b, u, known, param, ty) } else { Ok(()) };
        }
        8 | 9 => {
            // A new value for a variable of its type.
            let value = *u.choose(&known.values)?;
            let ty = b.type_of(value);
            let of_type = known.variables.iter().find(|&&reg| b.type_of(reg) == ty);
            if let Some(&variable) = of_type {
                b.assign(variable, value);
            }
            return Ok(());
        }
        10 => {
            let cond = typed(b, u, known, Type::Bool)?;
            return branch(b, u, known, cond);
        }
        11 if known.depth < 3 => return counted_loop(b, u, known),
        12 if known.kernel => b.index(*u.choose(Index::ALL)?),
        12 => b.index(Index::Element),
        13 if known.kernel => {
            let a = *u.choose(&known.values)?;
            let folds: &[Fold] = match b.type_of(a) {
                // Sums of floats depend on the order.
                Type::F32 | Type::F64 => return Ok(()),
                Type::Bool => &[Fold::Any, Fold::All],
                _ => &[Fold::Sum, Fold::Prod, Fold::Min, Fold::Max],
            };
            b.reduce(*u.choose(Scope::ALL)?, *u.choose(folds)?, a)
        }
        14 if known.kernel => return in_shared(b, u, known),
        15 if known.kernel => {
            b.barrier();
            return Ok(());
        }
        _ => {
            let ty = *u.choose(&Type::ALL)?;
            literal(u, ty)?
        }
    };
    known.values.push(value);
    Ok(())
}

/// Values that are made inside of a block may have none behind it, and are forgotten there.
fn inside(
    b: &mut Builder,
    u: &mut Unstructured<'_>,
    known: &mut Known,
    work: impl FnOnce(&mut Builder, &mut Unstructured<'_>, &mut Known) -> Result<()>,
) -> Result<()> {
    let before = known.values.len();
    known.depth += 1;
    let result = work(b, u, known);
    known.depth -= 1;
    known.values.truncate(before);
    result
}

fn branch(
    b: &mut Builder,
    u: &mut Unstructured<'_>,
    known: &mut Known,
    cond: Operand,
) -> Result<()> {
    if known.depth >= 3 {
        return Ok(());
    }
    let (mut first, mut second) = (Ok(()), Ok(()));
    // Both blocks are built one after the other, from the same bytes.
    let shared = std::cell::RefCell::new((u, known));
    let build = |b: &mut Builder| {
        let (u, known) = &mut *shared.borrow_mut();
        inside(b, u, known, block)
    };
    b.if_else(cond, |b| first = build(b), |b| second = build(b));
    first.and(second)
}

/// A loop of a few rounds, some of which may end early.
fn counted_loop(b: &mut Builder, u: &mut Unstructured<'_>, known: &mut Known) -> Result<()> {
    let rounds = u.int_in_range(0..=9u32)?;
    let count = b.var(0u32);
    let mut result = Ok(());
    b.loop_(|b| {
        let done = b.compare(Compare::Ge, count, rounds);
        b.break_if(done);
        let next = b.add(count, 1u32);
        b.assign(count, next);
        result = inside(b, u, known, |b, u, known| {
            block(b, u, known)?;
            let cond = typed(b, u, known, Type::Bool)?;
            match u.int_in_range(0..=2)? {
                0 => b.break_if(cond),
                1 => b.continue_if(cond),
                _ => return Ok(()),
            }
            block(b, u, known)
        });
    });
    result
}

fn compute(b: &mut Builder, u: &mut Unstructured<'_>, known: &Known) -> Result<Operand> {
    let a = *u.choose(&known.values)?;
    let ty = b.type_of(a);
    let other = typed(b, u, known, ty)?;
    Ok(match (u.int_in_range(0..=6)?, ty) {
        (0, Type::F32 | Type::F64) => b.unary(*u.choose(&EXACT_UNARY)?, a),
        (0, Type::I32 | Type::I64) => {
            b.unary(*u.choose(&[Unary::Neg, Unary::Abs, Unary::Sign, Unary::Not])?, a)
        }
        (0, _) => b.unary(Unary::Not, a),
        (1 | 2, Type::F32 | Type::F64) => b.binary(*u.choose(&EXACT)?, a, other),
        (1 | 2, Type::Bool) => {
            b.binary(*u.choose(&[Binary::And, Binary::Or, Binary::Xor])?, a, other)
        }
        (1 | 2, _) => {
            let op = *u.choose(Binary::ALL)?;
            let op = if matches!(op, Binary::Pow | Binary::Atan2) { Binary::Rem } else { op };
            b.binary(op, a, other)
        }
        (3, Type::Bool) => b.compare(*u.choose(&[Compare::Eq, Compare::Ne])?, a, other),
        (3, _) => b.compare(*u.choose(Compare::ALL)?, a, other),
        (4, _) => {
            let cond = typed(b, u, known, Type::Bool)?;
            b.select(cond, a, other)
        }
        (5, Type::I32 | Type::U32) => b.bits(*u.choose(&[Type::F32, Type::I32, Type::U32])?, a),
        (5, Type::I64 | Type::U64) => b.bits(*u.choose(&[Type::F64, Type::I64, Type::U64])?, a),
        _ => b.convert(*u.choose(&Type::ALL)?, a),
    })
}

fn in_shared(b: &mut Builder, u: &mut Unstructured<'_>, known: &mut Known) -> Result<()> {
    let index = index(b, u, known)?;
    let Some(shared) = known.shared else {
        let (param, ..) = *u.choose(&known.memory)?;
        let ty = *u.choose(&[Type::I32, Type::U32])?;
        let value = typed(b, u, known, ty)?;
        let old = b.atomic(*u.choose(Atomic::ALL)?, Place::Buffer(param, index), value);
        known.values.push(old);
        return Ok(());
    };
    let loaded = b.load_shared(shared, index);
    if u.arbitrary()? {
        let value = typed(b, u, known, b.type_of(loaded))?;
        b.store_shared(shared, index, value);
    }
    known.values.push(loaded);
    Ok(())
}

fn store(
    b: &mut Builder,
    u: &mut Unstructured<'_>,
    known: &Known,
    param: ParamId,
    ty: Type,
) -> Result<()> {
    let value = typed(b, u, known, ty)?;
    if known.kernel {
        let index = index(b, u, known)?;
        b.store_at(param, index, value);
    } else {
        b.store(param, value);
    }
    Ok(())
}

/// An index, which mostly is inside of memory.
fn index(b: &mut Builder, u: &mut Unstructured<'_>, known: &Known) -> Result<Operand> {
    let ty = *u.choose(&[Type::I32, Type::U32])?;
    let index = typed(b, u, known, ty)?;
    Ok(match (u.ratio(1, 12)?, b.type_of(index)) {
        (true, _) => index,
        (false, Type::I32) => b.binary(Binary::And, index, 31),
        (false, _) => b.binary(Binary::And, index, 31u32),
    })
}

/// A value of a type: one that is known, or a literal.
fn typed(b: &Builder, u: &mut Unstructured<'_>, known: &Known, ty: Type) -> Result<Operand> {
    let all = known.values.iter().copied().chain(known.variables.iter().map(|&reg| reg.into()));
    let fitting: Vec<Operand> = all.filter(|&value| b.type_of(value) == ty).collect();
    match fitting.is_empty() || u.ratio(1, 8)? {
        true => literal(u, ty),
        false => Ok(*u.choose(&fitting)?),
    }
}

fn literal(u: &mut Unstructured<'_>, ty: Type) -> Result<Operand> {
    let odd = [0, 1, 2, 31, 32, 255, 256, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x3F80_0000];
    let low: u32 = if u.arbitrary()? { *u.choose(&odd)? } else { u.arbitrary()? };
    let high: u32 = match ty.is_wide() {
        false => 0,
        true if u.arbitrary()? => *u.choose(&[0, 0x3FF0_0000, 0x7FFF_FFFF, u32::MAX])?,
        true => u.arbitrary()?,
    };
    let bits = u64::from(high) << 32 | u64::from(low);
    Ok(Literal::from_bits(ty, bits).into())
}
