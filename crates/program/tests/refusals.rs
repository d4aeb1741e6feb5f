//! The text of every refusal of the parser, the verifier, the builder and launches, as a snapshot;
//! a text in their source that is not reached from here fails the test.

#[path = "../../core/tests/texts/mod.rs"]
mod texts;

use bessemer_program::{Builder, LaunchConfig, Program, Type, Unary};

/// Programs whose parameters are views and a number.
const MAPS: &[&str] = &[
    "%x = add 1, 2.0",
    "%x = exp 1",
    "%x = fma 1.0, 2.0, 3",
    "%x = select 1, 2, 3",
    "%x = bits_i32 true",
    "%x = bits_f16 1",
    "%x = bits_f64 1",
    "%x = fma 1.0f64, 2.0, 3.0",
    "%x = mov nan64:12",
    "%x = load a[0]",
    "%x = load b[@]",
    "%x = load k[0]",
    "%x = load c[@]",
    "%x = load b[1.5]",
    "%x = load q[@]",
    "store a[@], 1.0",
    "store c[@], 1",
    "store b[0], 1.0",
    "%x = atomic_add c[@], 1",
    "%x = atomic_add e[@], 1",
    "%x = load d[0]",
    "%x = mov 1\n%x = mov 2.0",
    "if true {\n%x = mov 1\n}\n%y = neg %x",
    "if 1 {\n}",
    "break true",
    "loop {\n%x = mov 1\n}",
    "barrier",
    "%x = group_sum 1",
    "%x = atomic_add d[0], 1",
    "%x = thread.x",
    "shared t: f32[4]\n%x = load t[0]",
    "yield k\nyield k",
    "if true {\nyield k\n}",
    "%x = mov 99999999999",
    "%x = mov nan:12",
    "%x = mov $",
    "%x = mov %y",
    "%x = mov a",
    "%x = frobnicate 1",
    "%x = 1",
    "frobnicate 1",
    "store 1, 2",
    "%x = mov 1 2",
    "%x = mov 1\nshared t: f32[4]",
    "shared t: f16[4]",
    "shared t: 4",
    "shared a: f32[4]",
    "shared t: f32[x]",
];

/// Programs of threads.
const KERNELS: &[&str] = &[
    "%i = thread.x\n%c = lt %i, 3u\nif %c {\nbarrier\n}",
    "%x = atomic_add b[0], 1.0",
    "%x = atomic_add h[0], 1.0",
    "shared t: f32[4]\n%x = atomic_add t[0], 1.0",
    "shared t: f32[8193]",
];

#[test]
fn every_refusal_says_what_is_wrong() {
    let parsed = |text: &str| Program::parse("p.bp", text).expect_err(text).to_string();
    let mut said = Vec::new();
    for body in MAPS {
        let params = "in view a: f32, in buffer b: f32, out view c: f32, inout buffer d: i32, \
                      inout view e: i32, \
                      uniform k: f32";
        said.push(parsed(&format!("program p({params}) {{\n{body}\n}}")));
    }
    for body in KERNELS {
        let params = "inout buffer b: f32, inout buffer h: f16";
        said.push(parsed(&format!("program p({params}) {{\n{body}\n}}")));
    }
    let list = |count: usize, one: fn(usize) -> String, between: &str| {
        (0..count).map(one).collect::<Vec<_>>().join(between)
    };
    let long = "x".repeat(65);
    for text in [
        "kernel p() {\n}",
        "program 7() {\n}",
        "program p {\n}",
        "program p(view a: f32) {\n}",
        "program p(7) {\n}",
        "program p(in matrix a: f32) {\n}",
        "program p(in 7) {\n}",
        "program p(in view 7) {\n}",
        "program p(in view a: float) {\n}",
        "program p(in view a: 7) {\n}",
        "program p(in view a: q4_0) {\n}",
        "program p(uniform a: f16) {\n}",
        "program p(in view a: f32, in view a: f32) {\n}",
        "program p(in view true: f32) {\n}",
        "program p() {\n} more",
        "program p() {",
        "",
        &format!("program {long}() {{\n}}"),
        &format!("program p({}) {{\n}}", list(40, |i| format!("in view v{i}: f32"), ", ")),
        &format!("program p() {{\n{}}}", list(40, |i| format!("shared t{i}: f32[1]"), "\n")),
        &format!("program p() {{\n{}}}", list(5000, |i| format!("%x{i} = mov 1"), "\n")),
        &format!("program p() {{\n{}}}", "%x = mov 1\n".repeat(20_000)),
        &format!("program p() {{\n{}", "if true {\n".repeat(100)),
        &" ".repeat(5 << 20),
    ] {
        said.push(parsed(text));
    }
    said.extend(built());
    let launch = |grid, block| LaunchConfig { grid, block }.check("p").unwrap_err().to_string();
    said.push(launch([1; 3], [32, 64, 1]));
    said.push(launch([1; 3], [0, 1, 1]));
    said.push(launch([1 << 20; 3], [32, 1, 1]));

    texts::assert_form(said.iter().map(String::as_str));
    let said = said.join("\n");
    insta::assert_snapshot!(said);
    let files = [
        "src/builder.rs",
        "src/rules.rs",
        "src/text/parser.rs",
        "src/verify/assigned.rs",
        "src/verify/mod.rs",
        "src/verify/uniform.rs",
    ];
    let missing = texts::unsaid(env!("CARGO_MANIFEST_DIR"), &files, &said);
    assert!(missing.is_empty(), "never said:\n{}", missing.join("\n"));
}

/// What only programs made by Rust can do wrong.
fn built() -> Vec<String> {
    let mut other = Builder::new("other");
    let stray = (0..3).map(|_| other.unary(Unary::Exp, 1.0)).last().unwrap();
    let mut mixed = Builder::new("p");
    mixed.add(stray, 1.0);
    let mut assigned = Builder::new("p");
    let far = (0..3).map(|_| other.register(Type::F32)).last().unwrap();
    assigned.assign(far, 1.0);
    let mut twice = Builder::new("p");
    twice.shared("t", Type::F32, 1);
    twice.shared("t", Type::F32, 1);
    let mut nameless = Builder::new("p");
    nameless.shared("2t", Type::F32, 1);
    let mut long = Builder::new("p");
    (0..20_000).for_each(|_| long.barrier());
    let builders = [mixed, assigned, twice, nameless, long];
    builders.into_iter().map(|builder| builder.finish().unwrap_err().to_string()).collect()
}
