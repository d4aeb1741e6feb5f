//! WGSL made from programs: some texts as they are, and all that can be said, taken by naga.

use bessemer_core::DType;
use bessemer_program::{
    Atomic, Binary, Builder, Compare, Direction, Fold, Index, Literal, Place, Program, Scope, Type,
    Unary,
    wgsl::{self, Sharing},
};

/// Fails with naga's words if `text` is no WGSL.
#[track_caller]
fn accepted(text: &str) {
    let module = naga::front::wgsl::parse_str(text);
    let module = module.unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    let flags = naga::valid::ValidationFlags::all();
    let mut validator =
        naga::valid::Validator::new(flags, naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32);
    if let Err(error) = validator.validate(&module) {
        panic!("{}", error.emit_to_string(text));
    }
}

/// The part of a text that is not in every text.
fn own(text: &str) -> String {
    text.replace(wgsl::MATHS, "…maths…\n")
        .replace(wgsl::PACKED, "…packed…\n")
        .replace(wgsl::WIDE, "…wide…\n")
}

fn parse(text: &str) -> Program {
    Program::parse("test.bp", text).unwrap()
}

#[test]
fn a_map_with_packed_elements() {
    let program = parse(
        "program blend(in view a: f16, in view b: u8, out view c: bf16, uniform k: f32, uniform on: bool) {
            %x = load a[@]
            %n = load b[@]
            %y = f32 %n
            %z = fma %x, k, %y
            %e = exp %z
            %w = select on, %e, -inf
            store c[@], %w
        }",
    );
    let text = wgsl::map(&program, 2, &Sharing::none());
    accepted(&text);
    insta::assert_snapshot!(own(&text));
}

#[test]
fn what_a_reduction_folds() {
    let program = parse(
        "program square(in view a: f32, in buffer table: i32) {
            %x = load a[@]
            %i = index
            %t = load table[%i]
            %s = f32 %t
            %y = mul %x, %s
            yield %y
        }",
    );
    let text = wgsl::value(&program, 1, 2, DType::F32, &Sharing::none());
    accepted(&text);
    insta::assert_snapshot!(own(&text));
}

#[test]
fn a_kernel_with_loops_atomics_and_reductions() {
    let program = parse(
        "program busy(in buffer x: f32, inout buffer bins: u32, uniform n: u32) {
            shared seen: i32[16]
            %i = global.x
            %t = linear
            %c = mov 0
            loop {
                %done = ge %i, n
                break %done
                %v = load x[%i]
                %small = lt %v, 0.5
                %step = block.x
                %i = add %i, %step
                continue %small
                %old = atomic_add bins[%t], 1u
                %c = add %c, 1
            }
            %o = atomic_max seen[0u], %c
            barrier
            %m = load seen[0u]
            %f = f32 %m
            %s = group_sum %f
            %w = simd_max %s
            %u = u32 %w
            store bins[0u], %u
        }",
    );
    let text = wgsl::kernel(&program, [64, 1, 1], &Sharing::none());
    accepted(&text);
    insta::assert_snapshot!(own(&text));
}

#[test]
fn a_map_of_pairs_of_words() {
    let program = parse(
        "program pairs(in view a: i64, in view b: i8, out view c: u64, uniform k: i64) {
            %x = load a[@]
            %n = load b[@]
            %y = i64 %n
            %z = mul %x, %y
            %less = lt %z, k
            %w = select %less, %z, -9223372036854775808i64
            %u = u64 %w
            store c[@], %u
        }",
    );
    let text = wgsl::map(&program, 1, &Sharing::none());
    accepted(&text);
    insta::assert_snapshot!(own(&text));
}

/// The dtypes that programs have and WGSL too.
fn dtypes() -> impl Iterator<Item = DType> {
    let known = |dtype: &DType| Type::of(*dtype).is_some_and(|ty| ty != Type::F64);
    DType::PLAIN.into_iter().filter(known)
}

fn types() -> impl Iterator<Item = Type> {
    Type::ALL.into_iter().filter(|&ty| ty != Type::F64)
}

fn dtype(ty: Type) -> DType {
    ty.dtype()
}

#[test]
fn every_instruction_is_taken() {
    let literals = |ty: Type| match ty {
        Type::F32 => [0.5f32, f32::NAN, f32::NEG_INFINITY, 1e-42].map(Literal::from),
        Type::I32 => [3, -3, i32::MIN, i32::MAX].map(Literal::from),
        Type::U32 => [0u32, 1, 31, u32::MAX].map(Literal::from),
        Type::Bool => [true, false, true, false].map(Literal::from),
        Type::U64 => [0u64, 1, 63, u64::MAX].map(Literal::from),
        _ => [3i64, -3, i64::MIN, i64::MAX].map(Literal::from),
    };
    for ty in types() {
        let mut b = Builder::new("all");
        let x = b.view("x", dtype(ty), Direction::In);
        let out = b.view("out", dtype(ty), Direction::Out);
        let flag = b.view("flag", DType::Bool, Direction::Out);
        let x = b.load(x);
        for &op in Unary::ALL.iter().filter(|op| op.types().contains(&ty)) {
            let value = b.unary(op, x);
            b.store(out, value);
        }
        for literal in literals(ty) {
            for &op in Binary::ALL.iter().filter(|op| op.types().contains(&ty)) {
                let value = b.binary(op, x, literal);
                b.store(out, value);
            }
            for &op in Compare::ALL.iter().filter(|op| op.types().contains(&ty)) {
                let value = b.compare(op, x, literal);
                b.store(flag, value);
            }
        }
        accepted(&wgsl::map(&b.finish().unwrap(), 3, &Sharing::none()));
    }
}

#[test]
fn every_conversion_and_dtype_is_taken() {
    for from in dtypes() {
        for to in dtypes() {
            let mut b = Builder::new("cast");
            let x = b.view("x", from, Direction::In);
            let out = b.view("out", to, Direction::InOut);
            let x = b.load(x);
            let old = b.load(out);
            let value = b.cast(to, x);
            let same = b.compare(Compare::Eq, value, old);
            let value = b.select(same, old, value);
            b.store(out, value);
            accepted(&wgsl::map(&b.finish().unwrap(), 0, &Sharing::none()));
        }
    }
}

#[test]
fn every_index_fold_and_atomic_is_taken() {
    let mut b = Builder::new("threads");
    let out = b.buffer("out", DType::U32, Direction::InOut);
    let part = b.shared("part", Type::I32, 8);
    for &index in Index::ALL.iter().filter(|&&index| index != Index::Element) {
        let value = b.index(index);
        b.store_at(out, 0u32, value);
    }
    for &scope in Scope::ALL {
        for &op in Fold::ALL {
            for &ty in op.types().iter().filter(|&&ty| ty != Type::F64) {
                let zero = Literal::from_bits(ty, 0);
                let value = b.reduce(scope, op, zero);
                let value = b.convert(Type::U32, value);
                b.store_at(out, 1i32, value);
            }
        }
    }
    for &op in Atomic::ALL {
        b.atomic(op, Place::Buffer(out, 0u32.into()), 1u32);
        b.atomic(op, Place::Shared(part, 0i32.into()), 1i32);
    }
    accepted(&wgsl::kernel(&b.finish().unwrap(), [8, 4, 3], &Sharing::none()));
}

#[test]
fn operands_that_share_a_binding_are_one_variable() {
    let program = parse(
        "program twice(in view a: f32, in view b: u8, out view c: f16) {
            %x = load a[@]
            %n = load b[@]
            %y = f32 %n
            %z = add %x, %y
            store c[@], %z
        }",
    );
    let text = wgsl::map(&program, 1, &Sharing::new(vec![0, 1, 0]));
    accepted(&text);
    let declared: Vec<&str> = text.lines().filter(|line| line.starts_with("@group")).collect();
    assert_eq!(
        declared,
        [
            "@group(0) @binding(0) var<storage, read_write> p0_memory: array<atomic<u32>>;",
            "@group(0) @binding(1) var<storage, read> p1_memory: array<u32>;",
            "@group(0) @binding(2) var<uniform> params: Params;",
        ]
    );
    assert!(text.contains("bitcast<f32>(atomicLoad(&p0_memory[params.p0_at + i]))"), "{text}");
    assert!(text.contains("atomicXor(&p0_memory[at >> 1u]"), "{text}");
}

#[test]
fn results_may_lie_with_what_they_are_made_of() {
    let program = parse(
        "program same(in view a: f32) {
            %x = load a[@]
            yield %x
        }",
    );
    let text = wgsl::value(&program, 1, 1, DType::F32, &Sharing::new(vec![0, 0]));
    accepted(&text);
    assert!(text.contains("p0_memory[params.result_at + i] = value;"), "{text}");
    assert!(text.contains("@binding(1) var<uniform> params"), "{text}");
}

#[test]
fn atomics_of_both_signs_cannot_share() {
    let program = parse(
        "program count(inout buffer a: i32, inout buffer b: u32) {
            %o = atomic_max a[0u], 1
            %p = atomic_max b[0u], 1u
        }",
    );
    assert!(wgsl::shareable(&program, &Sharing::none()));
    assert!(!wgsl::shareable(&program, &Sharing::new(vec![0, 0])));
}
