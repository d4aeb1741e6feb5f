//! What Apple's compiler takes and clang's OpenCL mode would not: each file is a class of it, with
//! the results computed here.
mod common;
use common::*;
use softmetal::*;

fn source(name: &str) -> String {
    let path = format!("{}/tests/accepted/{name}.metal", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// Runs a kernel once in both modes, with `args` after the output.
fn once<T: Copy + Default>(name: &str, n: usize, args: &[&[f32]], threadgroup: &[usize]) -> Vec<T> {
    let mut last = Vec::new();
    for d in [device(), checked()] {
        let out = shared(&d, &vec![T::default(); n]);
        let more: Vec<Buffer> = args.iter().map(|a| shared(&d, a)).collect();
        let all: Vec<Arg<'_>> = [&out].into_iter().chain(&more).map(Arg::Buffer).collect();
        let function = library(&d, &source(name)).function(name).unwrap();
        let pipeline = d.new_compute_pipeline(&function).unwrap();
        let one = Size::new(1, 1, 1);
        dispatch(&d, &pipeline, &all, threadgroup, one, one).unwrap_or_else(|e| panic!("{e}"));
        last = out.to_vec().unwrap();
    }
    last
}

#[test]
fn methods_know_where_their_object_is() {
    let row = [1.0, 2.0, 0.0, 0.0];
    let got: Vec<f32> = once("methods", 12, &[&row, &row, &[0.0; 4], &[4.0, 6.0, 0.0, 0.0]], &[]);
    assert_eq!(got, [5.0, 9.0, 13.0, 1.0, 7.0, 17.0, 11.0, 6.0, 11.0, 2.0, 12.0, 13.0]);
}

#[test]
fn what_public_libraries_do() {
    assert_eq!(once::<f32>("libraries", 6, &[&[0.0]], &[]), [18.0, 3.0, 4.0, 3.0, 1.0, 9.0]);
}

#[test]
fn names_of_metal_and_questions_about_types() {
    assert_eq!(once::<f32>("names", 3, &[&[0.0; 2]], &[]), [4.0, 15.0, 8.0]);
}

#[test]
fn arrays_columns_and_threadgroup_variables() {
    // Five ints, three of padding for a matrix of four floats, then two by two ints.
    let ints = |n: &[i32]| n.iter().map(|i| f32::from_bits(*i as u32)).collect::<Vec<_>>();
    let table =
        [ints(&[1, 2, 3, 4, 5, 0]), vec![1.0, 2.0, 3.0, 4.0], ints(&[1, 2, 30, 40])].concat();
    let got: Vec<f32> = once("memory", 14, &[&table, &table], &[16, 16, 16]);
    let want = [8.0, 9.0, 6.0, 9.0, 3.0, 8.0, 25.0, 2.0, 6.0, 16.0, 16.0, 13.0, 8.5, 85.0];
    assert_eq!(got, want);
}

#[test]
fn volatile_vectors() {
    for d in [device(), checked()] {
        let (s, p) = (shared(&d, &[0f32; 12]), shared(&d, &[0f32; 3]));
        let args = [Arg::Buffer(&s), Arg::Buffer(&p)];
        run(&d, &source("memory"), "volatiles", &args, 1, 1).unwrap();
        let want = [20.0, 20.0, 20.0, 20.0, 122.0, 122.0, 122.0, 122.0, 1.0, 2.0, 3.0, 3.0];
        assert_eq!(s.to_vec::<f32>().unwrap(), want);
    }
}

#[test]
fn values_and_names() {
    let v = [2.0, 3.0, 4.0, 5.0];
    let twice = [v, [0.0; 4]].concat();
    let got: Vec<f32> = once("values", 8, &[&v, &twice, &[8.0, 9.0]], &[]);
    assert_eq!(got, [3.0 + 4.0 + 3.0, 7.0, 4.0 + 9.0, 1.0, 6.0, 9.0, 7.0, 3.0]);
}

#[test]
fn textures_compile_and_other_stages_are_left_out() {
    let d = device();
    let l = library(&d, &source("graphics"));
    assert_eq!(l.function_names(), ["plain"]);
    let not_run = l.functions_not_run();
    let named = |n: &str| not_run.iter().find(|(name, ..)| name == n).unwrap();
    for name in ["blur", "layers_float", "bundle", "cube"] {
        assert_eq!((named(name).1.as_str(), named(name).2), ("textures", true), "{name}");
        let e = l.function(name).err().unwrap().to_string();
        assert!(e.contains("cannot run here: it uses textures"), "{e}");
    }
    assert_eq!((named("corner").1.as_str(), named("corner").2), ("a vertex function", false));
    let x = shared(&d, &[0f32]);
    run(&d, &source("graphics"), "plain", &[Arg::Buffer(&x)], 1, 1).unwrap();
    assert_eq!(x.to_vec::<f32>().unwrap(), [3.0]);
    // They are compiled, and what is wrong in them is an error.
    for (from, to) in [
        ("in.read(at)", "in.read(int2(at))"),
        ("out.write(", "in.write("),
        ("in.read(at)", "in.sample(at)"),
        ("a.read(uint2(0), 1)", "a.read(uint2(0), 1).nothing"),
    ] {
        let text = source("graphics");
        assert!(text.contains(from));
        errors(&text.replace(from, to));
    }
}

#[test]
fn literals_and_strings() {
    let got: Vec<u32> = once("literals", 11, &[], &[]);
    let bits = f32::to_bits;
    let want = [
        0x4cf4_95bf,
        0x80bf,
        0xbf + 0xbf + 0x1bf,
        0x3fc0,
        0x4040,
        0x1ef + 0xe + 5 + 15 + 1000,
        bits(10.0).wrapping_add(bits(0.5)).wrapping_add(bits(0.5)),
        0x4000 + 0x4000,
        5,
        9,
        u32::from(b'y') + u32::from(b'!'),
    ];
    assert_eq!(got, want);
}

#[test]
fn kernel_templates_of_one_name() {
    let d = device();
    let l = library(&d, &source("instances"));
    for (name, want) in [("left", 1.5f32), ("right", 2.0), ("by", 7.0), ("map", 1.0)] {
        let p = d.new_compute_pipeline(&l.function(name).unwrap()).unwrap();
        let x = shared(&d, &[0f32]);
        let args = [Arg::Buffer(&x), Arg::Bytes(bytes(&[7.5f32]))];
        let count = if name == "by" { 2 } else { 1 };
        dispatch(&d, &p, &args[..count], &[], Size::new(1, 1, 1), Size::new(1, 1, 1)).unwrap();
        assert_eq!(x.to_vec::<f32>().unwrap(), [want], "{name}");
    }
}

#[test]
fn threadgroup_variables_that_nothing_names_take_no_memory() {
    let d = device();
    let p = d.new_compute_pipeline(&library(&d, &source("memory")).function("memory").unwrap());
    assert!(p.unwrap().static_threadgroup_memory_length() < 1024);
    let used = source("memory").replace("unused[1000000];", "unused[1000000]; unused[0] = 1;");
    let l = library(&d, &used);
    assert!(d.new_compute_pipeline(&l.function("memory").unwrap()).is_err());
}

#[test]
fn byte_order_marks_and_old_encodings() {
    let folder = std::env::temp_dir().join(format!("softmetal-accepted-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text =
        format!("{HEAD}// caf\u{e9}\nkernel void k(device int *o [[buffer(0)]]) {{ o[0] = 1; }}");
    let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
    let marked = [b"\xef\xbb\xbf".as_slice(), text.as_bytes()].concat();
    for (name, bytes) in [("latin.metal", latin), ("marked.metal", marked)] {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        let l = device().new_library_with_file(&path, &CompileOptions::default()).unwrap();
        assert_eq!(l.function_names(), ["k"]);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What was refused rightly stays refused.
#[test]
fn other_memory_is_still_another() {
    let refused = [
        (
            "struct S { int a; device int &at() device { return a; } };",
            "constant int &r = s->at();",
        ),
        ("struct S { int a; int get() { return a; } };", "o[0] = s->get();"),
        ("struct S { int a; }; void f(thread int *p) {}", "f(&s->a);"),
        ("struct S { array<int, 2> a; };", "thread int *p = &s->a[0];"),
        ("struct S { int a; };", "threadgroup int x = 3;"),
    ];
    for (types, body) in refused {
        let text = format!(
            "{HEAD}{types}\nkernel void k(device S *s [[buffer(0)]], device int *o [[buffer(1)]]) {{ {body} }}"
        );
        errors(&text);
    }
}
