//! The text form: round trips, errors with places, and hostile texts.

mod common;

use bessemer_core::DType;
use bessemer_program::{Builder, Direction, Error, Fold, Index, Program, Scope, Type, Unary};
use common::{EVERYTHING, any_program};
use proptest::prelude::*;

#[test]
fn every_kind_of_instruction_round_trips() {
    let program = Program::parse("everything.bp", EVERYTHING).unwrap();
    let text = program.to_string();
    assert_eq!(Program::parse("again", &text).unwrap(), program, "{text}");
    assert_eq!(Program::parse("again", &text).unwrap().to_string(), text);
}

fn error(body: &str) -> String {
    let text = format!(
        "program p(in view a: f32, out view c: f32, in buffer b: i32, uniform k: f32) {{\n{body}\n}}"
    );
    Program::parse("p.bp", &text).unwrap_err().to_string()
}

fn kernel_error(body: &str) -> String {
    let text = format!("program p(inout buffer b: f32, uniform k: u32) {{\n{body}\n}}");
    Program::parse("p.bp", &text).unwrap_err().to_string()
}

#[test]
fn errors_say_where_and_what() {
    let cases = [
        (
            "%x = load a[@]\n  %y = add %x, 1",
            "p.bp:3:3: `%1 = add %0, 1`: the operands are f32 and i32",
        ),
        ("%x = ad 1, 2", "p.bp:2:6: unknown instruction `ad`"),
        ("%x = add %y, 2", "p.bp:2:10: `%y` has no value yet"),
        ("%x = exp 1", "exp takes f32 or f64, but is given i32"),
        ("%x = add 1 2", "expected `,`, found `2`"),
        ("%x = load a[0]", "`a` is a view and has no index; use a[@]"),
        ("%x = load b[@]", "`b` is a buffer and needs an index; use b[INDEX]"),
        ("%x = load b[k]", "the index is f32"),
        ("%x = load c[@]", "`c` is declared `out`, so it cannot be read"),
        ("store a[@], 1.0", "`a` is declared `in`, so it cannot be written"),
        ("store c[@], 1", "the value is i32, but must be f32"),
        ("%x = mov 1\n%x = mov 2.0", "the result is f32, but the register is i32"),
        (
            "if true {\n%x = mov 1\n}\n%y = neg %x",
            "p.bp:5:1: `%1 = neg %0`: %0 may have no value yet",
        ),
        ("break true", "outside of any loop"),
        ("loop {\n%x = mov 1\n}", "the loop has no break"),
        ("barrier", "barriers cannot be used"),
        ("%x = thread.x", "thread indices cannot be used"),
        ("yield k\nyield k", "the second yield"),
        ("if true {\nyield k\n}", "the yield is inside a block"),
        ("%x = mov 99999999999", "is not a number"),
        ("%x = mov q", "the program has no parameter `q`"),
        ("%x = mov $", "expected an operand, found `$`"),
        ("shared t: f32[4]\n%x = load t[0]", "threadgroup memory cannot be used"),
    ];
    for (body, wanted) in cases {
        let found = error(body);
        assert!(found.contains(wanted), "{body}\n  gave {found}\n  not {wanted}");
    }
}

#[test]
fn threads_must_meet_where_flow_is_uniform() {
    let cases = [
        ("%i = thread.x\n%c = lt %i, 3u\nif %c {\nbarrier\n}", "p.bp:5:1: `barrier`"),
        (
            "%i = thread.x\nloop {\n%c = gt %i, 3u\nbreak %c\n%i = add %i, 1u\n%s = group_sum %i\n}",
            "a condition before it differs",
        ),
        ("%x = load b[0]\n%c = gt %x, 0.0\nif %c {\nbarrier\n}", "a condition before it differs"),
        ("shared t: f32[8193]", "32772 bytes of threadgroup memory are too many; at most 32768"),
    ];
    for (body, wanted) in cases {
        let found = kernel_error(body);
        assert!(found.contains(wanted), "{body}\n  gave {found}\n  not {wanted}");
    }
    let fine = "program p(inout buffer b: f32, uniform k: u32) {
        %g = group.x
        %n = mov 0u
        loop {
            %done = ge %n, k
            break %done
            barrier
            %n = add %n, 1u
            %i = thread.x
            %x = load b[%i]
            %s = group_sum %x
            %big = gt %s, 1.0
            if %big {
                barrier
            }
        }
    }";
    Program::parse("p.bp", fine).unwrap();
}

#[test]
fn limits_hold() {
    let many = (0..40).map(|i| format!("in view v{i}: f32")).collect::<Vec<_>>().join(", ");
    let refused = |text: &str| Program::parse("p", text).unwrap_err().to_string();
    assert!(refused(&format!("program p({many}) {{\n}}")).contains("more than 30 parameters"));
    let deep =
        format!("program p() {{\n{}{}\n}}", "if true {\n".repeat(100_000), "}\n".repeat(100_000));
    assert!(refused(&deep).contains("nested too deep"));
    let long = format!("program p() {{\n{}\n}}", "%x = mov 1\n".repeat(20_000));
    assert!(refused(&long).contains("more than 16384 instructions"));
    let wide: String = (0..5000).map(|i| format!("%x{i} = mov 1\n")).collect();
    assert!(refused(&format!("program p() {{\n{wide}}}")).contains("more than 4096 registers"));
    assert!(refused("program p(in view a: q4_0) {\n}").contains("cannot be q4_0"));
    assert!(
        refused("program p(in view a: f32, in view a: f32) {\n}").contains("is already declared")
    );
}

#[test]
fn builders_can_not_mix_programs() {
    let mut other = Builder::new("other");
    let stray = (0..3).map(|_| other.unary(Unary::Exp, 1.0)).last().unwrap();
    let mut b = Builder::new("p");
    b.add(stray, 1.0);
    let Err(Error::Instruction { rule, .. }) = b.finish() else {
        panic!("a register of another program was taken");
    };
    assert!(rule.contains("belongs to another program"), "{rule}");
}

#[test]
fn equal_programs_are_one() {
    let make = || {
        let mut b = Builder::new("twice");
        let a = b.view("a", DType::F32, Direction::InOut);
        let unused = b.register(Type::I32);
        let x = b.load(a);
        let y = b.add(x, x);
        b.store(a, y);
        assert_eq!(b.type_of(unused), Type::I32);
        b.finish().unwrap()
    };
    let (first, second) = (make(), make());
    assert!(std::ptr::eq(first.body(), second.body()));
    assert_eq!(first.registers(), [Type::F32, Type::F32]);
}

proptest! {
    #[test]
    fn any_program_round_trips(program in any_program()) {
        let text = program.to_string();
        prop_assert_eq!(Program::parse("p", &text).unwrap(), program);
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        let _ = Program::parse("p", &text);
    }

    #[test]
    fn any_damage_is_read_or_refused(at in any::<prop::sample::Index>(), with in ".{0,3}", cut in 0..9usize) {
        let start = at.index(EVERYTHING.len());
        let end = (start + cut).min(EVERYTHING.len());
        let text = format!("{}{with}{}", &EVERYTHING[..start], &EVERYTHING[end..]);
        if let Ok(program) = Program::parse("p", &text) {
            prop_assert_eq!(Program::parse("p", &program.to_string()).unwrap(), program);
        }
    }
}

#[test]
fn names_are_known() {
    assert_eq!(Index::from_name("thread.y"), Some(Index::ThreadY));
    assert_eq!(Scope::from_name("simd"), Some(Scope::Simd));
    assert_eq!(Fold::from_name("avg"), None);
}
