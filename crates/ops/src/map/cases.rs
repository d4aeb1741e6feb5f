//! Conformance cases.

use super::Map;
use crate::{
    bind::Input,
    case::{Case, Fixture, Tolerance, Wgsl},
};
use bessemer_core::{
    DType::{self, BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64},
    Result, View,
};
use bessemer_program::{
    Binary, Builder, Compare, Direction, Index, Operand, ParamId, Program, Type, Unary,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    unaries(&mut cases);
    binaries(&mut cases);
    casts(&mut cases);
    shapes(&mut cases);
    chains(&mut cases);
    cases
}

/// `out = f(inputs…)`, where views of `inputs` have these dtypes.
fn program(
    name: &str,
    inputs: &[DType],
    out: DType,
    f: impl Fn(&mut Builder, &[Operand]) -> Operand,
) -> Program {
    let mut b = Builder::new(name);
    let views: Vec<ParamId> =
        (0..inputs.len()).map(|i| b.view(&format!("x{i}"), inputs[i], Direction::In)).collect();
    let out = b.view("out", out, Direction::Out);
    let values: Vec<Operand> = views.into_iter().map(|view| b.load(view)).collect();
    let value = f(&mut b, &values);
    b.store(out, value);
    b.finish().expect("a case's program is right")
}

/// Numbers of all kinds: NaN, infinities, zeros, tiny and large ones among normal ones.
fn mixed(f: &mut Fixture<'_>, dtype: DType, dims: &[usize]) -> Result<View> {
    const SPECIAL: [f64; 12] = [
        0.0,
        -0.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e-40,
        -3e-42,
        1.0,
        -1.0,
        0.5,
        60000.0,
        -87.5,
    ];
    if dtype.is_integer() {
        let bits = 8 * dtype.block_bytes();
        let spread = if bits == 8 { 256.0 } else { 100.0 };
        // The least, the most and their neighbours, among small ones of both signs.
        return f.integers(dtype, dims, |f, i| match i % 7 {
            3 => [1 << (bits - 1), (1 << (bits - 1)) - 1, u64::MAX, u64::MAX - 1][i % 4],
            5 if bits == 64 => f.uniform().to_bits() << 5,
            _ => (f.uniform() * spread - 50.0).floor() as i64 as u64,
        });
    }
    f.operand(dtype, dims, |f, i| match dtype {
        Bool => f.uniform().round(),
        _ if i % 5 == 2 => SPECIAL[(i / 5) % SPECIAL.len()],
        _ => 4.0 * f.normal(),
    })
}

/// The case of a function, which perhaps `jumps` at zero: there it shows if numbers too small for a
/// normal `f32` are read as zeros. 16-bit floats have none of those, but bfloats do.
fn where_zero_counts(case: Case, dtype: DType, jumps: bool) -> Case {
    if jumps && matches!(dtype, F32 | BF16) { case.wgsl(Wgsl::Subnormals) } else { case }
}

fn unaries(cases: &mut Vec<Case>) {
    for &op in Unary::ALL {
        for &ty in op.types() {
            let dtypes: &[DType] = match ty {
                Type::F32 => &[F32, F16, BF16],
                Type::I32 => &[I32, I16, I8],
                Type::U32 => &[U32, U16, U8],
                Type::Bool => &[Bool],
                Type::F64 => &[F64],
                Type::I64 => &[I64],
                Type::U64 => &[U64],
            };
            for &dtype in dtypes {
                let name = format!("{op} {dtype}");
                let case = Case::new("map", name, Tolerance::of(dtype), move |f| {
                    let program = program(op.name(), &[dtype], dtype, |b, x| b.unary(op, x[0]));
                    let x = mixed(f, dtype, &[3, 97])?;
                    Ok(Map {
                        program,
                        inputs: vec![x.into()],
                        outputs: vec![f.output(dtype, &[3, 97])?],
                    })
                });
                let quick = matches!(op, Unary::Exp | Unary::Tanh) && dtype == F32;
                let case = if quick { case.quick() } else { case };
                let jumps = matches!(op, Unary::Floor | Unary::Ceil);
                cases.push(where_zero_counts(case, dtype, jumps));
            }
        }
    }
}

fn binaries(cases: &mut Vec<Case>) {
    for dtype in [F32, F16, I32, U32, U8, Bool, F64, I8, I16, U16, I64, U64] {
        let ty = Type::of(dtype).unwrap_or(Type::F32);
        for &op in Binary::ALL.iter().filter(|op| op.types().contains(&ty)) {
            let name = format!("{op} {dtype}");
            let case = Case::new("map", name, Tolerance::of(dtype), move |f| {
                let program =
                    program(op.name(), &[dtype; 2], dtype, |b, x| b.binary(op, x[0], x[1]));
                let (x, y) = (mixed(f, dtype, &[1031])?, mixed(f, dtype, &[1031])?);
                Ok(Map {
                    program,
                    inputs: vec![x.into(), y.into()],
                    outputs: vec![f.output(dtype, &[1031])?],
                })
            });
            let jumps = matches!(op, Binary::Div | Binary::Pow | Binary::Atan2);
            cases.push(where_zero_counts(case, dtype, jumps));
        }
        for &op in Compare::ALL.iter().filter(|op| op.types().contains(&ty)) {
            cases.push(Case::new("map", format!("{op} {dtype}"), Tolerance::EXACT, move |f| {
                let program =
                    program(op.name(), &[dtype; 2], Bool, |b, x| b.compare(op, x[0], x[1]));
                let (x, y) = (mixed(f, dtype, &[5, 33])?, mixed(f, dtype, &[5, 33])?);
                Ok(Map {
                    program,
                    inputs: vec![x.into(), y.into()],
                    outputs: vec![f.output(Bool, &[5, 33])?],
                })
            }));
        }
    }
}

fn casts(cases: &mut Vec<Case>) {
    let dtypes = DType::PLAIN.into_iter().filter(|dtype| !dtype.is_complex());
    for from in dtypes.clone() {
        for to in dtypes.clone() {
            let name = format!("cast {from} to {to}");
            cases.push(Case::new("map", name, Tolerance::EXACT, move |f| {
                let program = program("cast", &[from], to, |b, x| b.cast(to, x[0]));
                let x = mixed(f, from, &[7, 41])?;
                Ok(Map { program, inputs: vec![x.into()], outputs: vec![f.output(to, &[7, 41])?] })
            }));
        }
    }
}

/// `x + y` of two views and an output, made as the case says.
fn add(
    name: &str,
    make: impl Fn(&mut Fixture<'_>) -> Result<[View; 3]> + Send + Sync + 'static,
) -> Case {
    Case::new("map", format!("add f32 {name}"), Tolerance::of(F32), move |f| {
        let program = program("add", &[F32; 2], F32, |b, x| b.add(x[0], x[1]));
        let [x, y, out] = make(f)?;
        Ok(Map { program, inputs: vec![x.into(), y.into()], outputs: vec![out] })
    })
}

fn shapes(cases: &mut Vec<Case>) {
    for dims in [
        &[][..],
        &[1],
        &[0],
        &[3, 0, 2],
        &[15],
        &[16],
        &[1024],
        &[1025],
        &[70_001],
        &[7, 513],
        &[2, 3, 4, 5, 2, 3],
    ] {
        let name = format!("{dims:?}");
        let dims = dims.to_vec();
        cases.push(add(&name, move |f| {
            Ok([f.random(F32, &dims)?, f.random(F32, &dims)?, f.output(F32, &dims)?])
        }));
    }
    for (left, right, out) in [
        (&[5, 1][..], &[7][..], &[5, 7][..]),
        (&[1], &[3000], &[3000]),
        (&[600, 3], &[3], &[600, 3]),
        (&[4, 1, 6], &[5, 1], &[4, 5, 6]),
        (&[2, 1100], &[2, 1], &[2, 1100]),
        (&[], &[2, 2], &[2, 2]),
        (&[1], &[1], &[3, 5]),
    ] {
        cases.push(add(&format!("{left:?} + {right:?} to {out:?}"), move |f| {
            Ok([f.random(F32, left)?, f.random(F32, right)?, f.output(F32, out)?])
        }));
    }
    cases.push(add("transposed", |f| {
        let y = f.random(F32, &[131, 77])?.transpose()?;
        Ok([f.random(F32, &[77, 131])?, y, f.output(F32, &[77, 131])?])
    }));
    cases.push(add("all transposed", |f| {
        let turned = |view: View| view.transpose();
        Ok([
            turned(f.random(F32, &[50, 70])?)?,
            turned(f.random(F32, &[50, 70])?)?,
            turned(f.output(F32, &[50, 70])?)?,
        ])
    }));
    cases.push(add("every third, backwards, into gaps", |f| {
        let x = f.random(F32, &[40, 300])?.step(1, 299, 100, -3)?;
        let y = f.random(F32, &[80, 100])?.step(0, 1, 40, 2)?;
        Ok([x, y, f.strided_output(F32, &[40, 100], &[220, 2], 5, 40 * 220)?])
    }));
    cases.push(add("permuted", |f| {
        let x = f.random(F32, &[5, 6, 7])?.permute(&[2, 0, 1])?;
        let y = f.random(F32, &[6, 7, 5])?.permute(&[1, 2, 0])?;
        Ok([x, y, f.output(F32, &[7, 5, 6])?])
    }));
    cases.push(
        add("in place", |f| {
            let x = f.random(F32, &[3, 2000])?;
            Ok([x.clone(), f.random(F32, &[2000])?, x])
        })
        .quick(),
    );
    cases.push(add("both in place", |f| {
        let x = f.random(F32, &[33, 50])?.transpose()?;
        Ok([x.clone(), x.clone(), x])
    }));
}

fn chains(cases: &mut Vec<Case>) {
    cases.push(Case::new("map", "relu(a * b + c), clamp, uniform", Tolerance::of(F16), |f| {
        let mut b = Builder::new("chain");
        let [x, y, z] = ["x", "y", "z"].map(|name| b.view(name, F32, Direction::In));
        let top = b.uniform("top", Type::F32);
        let out = b.view("out", F16, Direction::Out);
        let (x, y, z) = (b.load(x), b.load(y), b.load(z));
        let value = b.mul(x, y);
        let value = b.add(value, z);
        let value = b.max(value, 0.0);
        let value = b.min(value, top);
        b.store(out, value);
        let inputs: [Input; 4] = [
            f.random(F32, &[9, 700])?.into(),
            f.random(F32, &[700])?.into(),
            f.random(F32, &[9, 1])?.into(),
            1.5f32.into(),
        ];
        Ok(Map {
            program: b.finish().expect("a case's program is right"),
            inputs: inputs.into(),
            outputs: vec![f.output(F16, &[9, 700])?],
        })
    }));
    cases.push(Case::new("map", "two outputs, one in place", Tolerance::of(F32), |f| {
        // The first store changes what the second value is computed from, on memory though not
        // in the register.
        let mut b = Builder::new("two");
        let x = b.view("x", F32, Direction::In);
        let [first, second] = ["first", "second"].map(|name| b.view(name, F32, Direction::Out));
        let value = b.load(x);
        let twice = b.add(value, value);
        b.store(first, twice);
        let square = b.mul(value, value);
        b.store(second, square);
        let x = f.random(F32, &[2500])?;
        Ok(Map {
            program: b.finish().expect("a case's program is right"),
            inputs: vec![x.clone().into()],
            outputs: vec![x, f.output(F32, &[2500])?],
        })
    }));
    cases.push(Case::new("map", "gather by index and select", Tolerance::EXACT, |f| {
        let mut b = Builder::new("gather");
        let table = b.buffer("table", I32, Direction::In);
        let out = b.view("out", I32, Direction::InOut);
        let number = b.index(Index::Element);
        let at = b.binary(Binary::Rem, number, 10u32);
        let found = b.load_at(table, at);
        let even = b.binary(Binary::And, number, 1u32);
        let even = b.compare(Compare::Eq, even, 0u32);
        b.if_(even, |b| b.store(out, found));
        let out = f.random(I32, &[40, 30])?.transpose()?;
        Ok(Map {
            program: b.finish().expect("a case's program is right"),
            inputs: vec![f.random(I32, &[10])?.into()],
            outputs: vec![out],
        })
    }));
    cases.push(Case::new("map", "a loop per element", Tolerance::EXACT, |f| {
        let text = "program collatz(in view x: u32, out view steps: u32) {
            %n = load x[@]
            %n = add %n, 1u
            %steps = mov 0u
            loop {
                %done = eq %n, 1u
                break %done
                %low = and %n, 1u
                %odd = eq %low, 1u
                if %odd {
                    %n = mul %n, 3u
                    %n = add %n, 1u
                } else {
                    %n = shr %n, 1u
                }
                %steps = add %steps, 1u
            }
            store steps[@], %steps
        }";
        Ok(Map {
            program: Program::parse("collatz.bp", text).expect("a case's program is right"),
            inputs: vec![f.random(U32, &[1500])?.into()],
            outputs: vec![f.output(U32, &[1500])?],
        })
    }));
}
