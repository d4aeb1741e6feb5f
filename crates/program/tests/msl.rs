//! Programs as MSL, pinned: what is emitted changes only when somebody means it to.

use bessemer_program::{
    Program,
    msl::{Dialect, Element, Groups, kernel, with_helpers},
};

const ALL: Dialect = Dialect { bf16: true, simd: true };
const LEAST: Dialect = Dialect { bf16: false, simd: false };

fn program(text: &str) -> Program {
    Program::parse("test.bp", text).unwrap()
}

#[test]
fn a_map_over_two_axes() {
    let program = program(
        "program chain(in view x: f16, in view y: bf16, out view out: u8, uniform top: f32) {
            %x = load x[@]
            %y = load y[@]
            %n = index
            %f = f32 %n
            %v = fma %x, %y, %f
            %v = gelu %v
            %v = min %v, top
            %c = lt %v, nan
            %v = select %c, %v, -inf
            %u = u32 %v
            store out[@], %u
        }",
    );
    for (name, dialect) in [("all", ALL), ("least", LEAST)] {
        let groups = Groups { axes: vec![2], wide: name == "least" };
        let element = Element::new(&program, dialect, &groups, "    uint count;\n");
        let text = with_helpers(&format!("{}// {}\n", element.text, element.arguments.trim()));
        insta::assert_snapshot!(format!("map_{name}"), text);
    }
}

#[test]
fn a_map_of_64_bits() {
    let program = program(
        "program wide(in view a: i64, in view b: i16, out view c: u64, uniform k: i64) {
            %x = load a[@]
            %n = load b[@]
            %y = i64 %n
            %z = mul %x, %y
            %q = div %z, -9223372036854775808i64
            %q = shl %q, 70i64
            %less = lt %q, k
            %w = select %less, %z, -7i64
            %f = f32 %w
            %u = u64 %f
            store c[@], %u
        }",
    );
    let element = Element::new(&program, ALL, &Groups { axes: vec![1], wide: false }, "");
    insta::assert_snapshot!("wide", with_helpers(&element.text));
}

#[test]
fn a_fold_over_an_axis_beside_another() {
    let program = program(
        "program square(in view x: bool, in buffer table: i32) {
            %x = load x[@]
            %i = u32 %x
            %t = load table[%i]
            %t = div %t, -3
            %t = shl %t, 33
            yield %t
        }",
    );
    let groups = Groups { axes: vec![1, 1], wide: false };
    let element = Element::new(&program, ALL, &groups, "");
    insta::assert_snapshot!("fold", with_helpers(&element.text));
}

#[test]
fn a_kernel_with_everything() {
    let program = program(
        "program all(in buffer x: f32, inout buffer bins: u32, uniform flag: bool, uniform k: i32) {
            shared part: f32[64]
            shared seen: bool[2]
            %t = linear
            %i = global.x
            %x = load x[%i]
            store part[%t], %x
            store seen[0u], flag
            barrier
            %n = mov 0u
            loop {
                %done = ge %n, 3u
                break %done
                %n = add %n, 1u
                %odd = and %n, 1u
                %skip = eq %odd, 1u
                continue %skip
                %old = atomic_max bins[%n], %i
            }
            %s = simd_sum %x
            %m = group_max %s
            %b = gt %m, 0.5
            %any = group_any %b
            if %any {
                %k = abs k
                %u = bits_u32 %k
                store bins[%u], %t
            } else {
                store bins[0], 7u
            }
        }",
    );
    insta::assert_snapshot!("kernel_all", kernel(&program, ALL));
    insta::assert_snapshot!("kernel_least", kernel(&program, LEAST));
}
