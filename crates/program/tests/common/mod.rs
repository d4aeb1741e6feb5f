//! Programs for tests of the text form.

use bessemer_core::DType;
use bessemer_program::{
    Binary, Builder, Compare, Direction, Literal, Operand, Program, Type, Unary,
};
use proptest::prelude::*;

/// A text with every kind of instruction.
pub(crate) const EVERYTHING: &str = "
program everything(in buffer a: bf16, inout buffer c: i32, uniform k: f32, uniform h: f64) {
    shared t: f32[64]
    shared flags: bool[3]
    %i = global.x
    %l = linear
    %in = lt %i, 99u
    %x = mov 0.0
    if %in {
        %y = load a[%i]
        %x = fma %y, k, -1.5e-3
    } else {
        %x = mov nan:7fc00001
    }
    store t[%l], %x
    barrier
    %s = group_sum %x
    %m = simd_max %s
    %j = mov 0
    loop {
        %done = ge %j, 10
        break %done
        %j = add %j, 1
        %odd = and %j, 1
        %b = bool %odd
        continue %b
        %old = atomic_add c[%j], -7
    }
    %bits = bits_u32 %m
    %w = select true, %bits, 3u
    %v = load t[0u]
    %big = gt %v, inf
    %d = f64 %v
    %d = fma %d, h, -1.5e-300f64
    %d = select %big, %d, nan64:fff8000000000001
    %e = bits_u64 %d
    %e = shl %e, 18446744073709551615u64
    %g = i64 %e
    %g = max %g, -9223372036854775808i64
    %z = eq %d, -inf64
    if %big {
        store c[2], %j
    }
}";

/// A program of random instructions over a few registers of each type.
pub(crate) fn any_program() -> impl Strategy<Value = Program> {
    prop::collection::vec((0..10u8, any::<u32>(), any::<u32>(), any::<u32>()), 1..60).prop_map(
        |codes| {
            let mut b = Builder::new("any");
            let view = b.view("v", DType::F16, Direction::InOut);
            let uniform = b.uniform("u", Type::I32);
            let mut floats = vec![b.load(view)];
            let mut integers = vec![uniform];
            let mut truths = vec![b.compare(Compare::Lt, floats[0], 0.5)];
            for (code, x, y, z) in codes {
                let pick = |list: &[Operand], i: u32| list[i as usize % list.len()];
                let (f, g) = (pick(&floats, x), pick(&floats, y));
                let (i, j) = (pick(&integers, x), pick(&integers, y));
                match code {
                    0 => floats.push(Literal::from_bits(Type::F32, z.into()).into()),
                    1 => integers.push(Literal::from_bits(Type::I32, z.into()).into()),
                    2 => {
                        let op = *Unary::ALL.iter().cycle().nth(z as usize % 100).unwrap();
                        floats.push(if op == Unary::Not { f } else { b.unary(op, f) });
                    }
                    3 => floats.push(b.add(f, g)),
                    4 => integers.push(b.binary(Binary::Xor, i, j)),
                    5 => floats.push(b.convert(Type::F32, i)),
                    6 => truths.push(b.compare(Compare::Ne, i, j)),
                    7 => floats.push(b.select(pick(&truths, z), f, g)),
                    8 => {
                        let literal =
                            Literal::from_bits(Type::F64, u64::from(x) << 32 | u64::from(z));
                        let wide = b.convert(Type::F64, f);
                        let wide = b.add(wide, literal);
                        let whole =
                            Literal::from_bits(Type::I64, u64::from(z) << 31 | u64::from(y));
                        let number = b.convert(Type::I64, wide);
                        let number = b.max(number, whole);
                        floats.push(b.convert(Type::F32, number));
                    }
                    _ => {
                        let var = b.var(f);
                        b.if_else(
                            pick(&truths, z),
                            |b| b.assign(var, g),
                            |b| {
                                b.loop_(|b| {
                                    let more = b.fma(var, 0.5, g);
                                    b.assign(var, more);
                                    b.break_if(true);
                                });
                            },
                        );
                        floats.push(var.into());
                    }
                }
            }
            let last = *floats.last().unwrap();
            b.store(view, last);
            b.finish().unwrap()
        },
    )
}
