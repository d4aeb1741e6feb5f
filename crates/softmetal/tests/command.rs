//! The `softmetal` command: check and run, arrays in and out, JSON, faults kept in a child process.
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const KERNELS: &str = "#include <metal_stdlib>
#include <metal_logging>
using namespace metal;
constant float scale [[function_constant(0)]];
kernel void saxpy(device float *y [[buffer(0)]], device const float *x [[buffer(1)]], constant float &a [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) { y[i] += a * x[i] * scale; }
kernel void sum(device const float *x [[buffer(0)]], device float *out [[buffer(1)]], threadgroup float *s [[threadgroup(0)]],
                uint t [[thread_index_in_threadgroup]]) {
  s[t] = x[t];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t == 0) { float v = 0; for (uint k = 0; k < 8; k++) v += s[k]; out[0] = v; }
}
kernel void say(device float *x [[buffer(0)]]) { os_log_default.log(\"x is %f, %d\", x[0], 42); }
kernel void wild(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i + 5] = 1; }
kernel void forever(device float *x [[buffer(0)]]) { while (x[0] >= 0) x[0] += 1; }
";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("softmetal-cli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        let folder = Folder(path);
        std::fs::write(folder.at("k.metal"), KERNELS).unwrap();
        folder
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_softmetal"))
            .args(args)
            .current_dir(&self.0)
            .output()
            .unwrap()
    }

    /// Runs a command that must succeed and print JSON.
    fn json(&self, args: &[&str]) -> Value {
        let out = self.run(args);
        assert!(out.status.success(), "{}", text(&out));
        serde_json::from_slice(&out.stdout).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(out: &Output) -> String {
    String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr)
}

/// A one-dimensional array of float32 as NumPy writes it.
fn npy(path: &Path, values: &[f32]) {
    let mut header =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", values.len());
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.bytes());
    values.iter().for_each(|v| out.extend(v.to_le_bytes()));
    std::fs::write(path, out).unwrap();
}

fn floats(path: &Path, n: usize) -> Vec<f32> {
    let bytes = std::fs::read(path).unwrap();
    let data = &bytes[bytes.len() - n * 4..];
    data.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
}

#[test]
fn check_lists_kernels_and_errors() {
    let f = Folder::new("check");
    let out = f.run(&["check", "k.metal"]);
    assert!(out.status.success(), "{}", text(&out));
    for words in [
        "kernel saxpy: at most 1024 threads, 0 bytes of threadgroup memory",
        "  buffer(0): device float * y, 4 bytes each, read and write",
        "function_constant(0) float scale",
        "5 kernels",
    ] {
        assert!(text(&out).contains(words), "{words}\n{}", text(&out));
    }
    let list = f.json(&["check", "k.metal", "--json"]);
    assert_eq!(list["kernels"][1]["name"], "sum");
    assert_eq!(list["kernels"][1]["arguments"][2]["place"], "threadgroup(0)");
    assert_eq!(list["function_constants"][0]["name"], "scale");
    std::fs::write(
        f.at("bad.metal"),
        "kernel void k(device float *x [[buffer(0)]]) {\n  x[0] = y;\n}\n",
    )
    .unwrap();
    let out = f.run(&["check", "bad.metal"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        text(&out).contains("bad.metal:2:10: error: use of undeclared identifier 'y'"),
        "{}",
        text(&out)
    );
    let out = f.run(&["check", "bad.metal", "--json"]);
    let errors: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(
        (&errors["errors"][0]["line"], &errors["errors"][0]["column"]),
        (&2.into(), &10.into())
    );
}

#[test]
fn run_reads_and_writes_arrays() {
    let f = Folder::new("run");
    npy(&f.at("x.npy"), &[1.0, 2.0, 3.0]);
    npy(&f.at("y.npy"), &[10.0, 20.0, 30.0]);
    let common = [
        "run",
        "k.metal",
        "saxpy",
        "--grid",
        "3",
        "--group",
        "2",
        "--constant",
        "scale=2.0",
        "--buffer",
        "y.npy",
        "--buffer",
        "x.npy",
        "--buffer",
        "f32:0.5",
    ];
    let out = f.run(&[&common[..], &["--out", "0=out.npy"]].concat());
    assert!(out.status.success(), "{}", text(&out));
    assert!(text(&out).contains("buffer(0) [3]: 11 22 33"), "{}", text(&out));
    assert_eq!(floats(&f.at("out.npy"), 3), [11.0, 22.0, 33.0]);
    let json = f.json(&[&common[..], &["--checked", "--counters", "--json"]].concat());
    let y = &json["counters"][0]["bindings"][0];
    assert_eq!(
        (&y["read"], &y["written"], &y["unique_written"]),
        (&12.into(), &12.into(), &12.into())
    );
    let out = f.run(&[&common[..], &["--counters"]].concat());
    assert!(
        text(&out).contains("buffer(1) 'x': read 12 bytes (12 different), written 0"),
        "{}",
        text(&out)
    );
    let out = f.run(&[
        "run",
        "k.metal",
        "sum",
        "--grid",
        "8",
        "--group",
        "8",
        "--buffer",
        "f32:1,2,3,4,5,6,7,8",
        "--buffer",
        "f32[1]",
        "--threadgroup",
        "0=32",
        "--checked",
        "--seed",
        "7",
    ]);
    assert!(text(&out).contains("buffer(1) [1]: 36"), "{}", text(&out));
}

#[test]
fn kernels_can_log() {
    let f = Folder::new("log");
    let out = f.run(&["run", "k.metal", "say", "--grid", "1", "--buffer", "f32:2.5"]);
    assert!(String::from_utf8_lossy(&out.stderr).contains("x is 2.5, 42"), "{}", text(&out));
}

#[test]
fn what_goes_wrong_is_told_and_exits_with_one() {
    let f = Folder::new("wrong");
    let run = |args: &[&str]| {
        let out = f.run(&[&["run", "k.metal"], args].concat());
        assert_eq!(out.status.code(), Some(1), "{args:?}: {}", text(&out));
        text(&out)
    };
    let e = run(&["wild", "--grid", "4", "--buffer", "f32[4]", "--checked"]);
    assert!(e.contains("k.metal:14: out-of-bounds access in kernel 'wild'"), "{e}");
    let e = run(&["wild", "--grid", "4", "--buffer", "f32[4]", "--checked", "--json"]);
    let json: Value = serde_json::from_str(&e).unwrap();
    let report = &json["errors"][0];
    assert_eq!(
        (&report["binding"], &report["offset"]),
        (&"buffer(0) 'x'".into(), &20.into()),
        "{e}"
    );
    assert_eq!(report["side"]["line"], 14);
    let e = run(&["forever", "--grid", "1", "--buffer", "f32[1]", "--time-limit", "0.2"]);
    assert!(e.contains("longer than 0.2 s"), "{e}");
    let e = run(&[
        "saxpy", "--grid", "1", "--buffer", "f32[1]", "--buffer", "f32[1]", "--buffer", "f32:1",
    ]);
    assert!(e.contains("'scale' (0)"), "{e}");
    let e = run(&["nothing", "--grid", "1"]);
    assert!(e.contains("no kernel 'nothing'"), "{e}");
    let e = run(&["wild", "--grid", "many", "--buffer", "f32[1]"]);
    assert!(e.contains("'many' in --grid is no number"), "{e}");
    let e = run(&["wild", "--grid", "1", "--buffer", "missing.npy"]);
    assert!(e.contains("missing.npy"), "{e}");
    let e = run(&["wild", "--grid", "1", "--out", "3=o.npy", "--buffer", "f32[9]"]);
    assert!(e.contains("no such --buffer"), "{e}");
}

#[test]
fn a_crash_stays_in_the_child() {
    let f = Folder::new("crash");
    // It writes over the stack and the code of its process until that ends.
    std::fs::write(
        f.at("crash.metal"),
        "kernel void k(device ulong *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { device ulong *p = (device ulong *)((ulong)&i & ~0xfffful); for (ulong n = 0; ; n++) p[n] = 0x4141414141414141ul; }",
    )
    .unwrap();
    let out = f.run(&[
        "run",
        "crash.metal",
        "k",
        "--grid",
        "64",
        "--buffer",
        "u64[8]",
        "--time-limit",
        "5",
    ]);
    assert_eq!(out.status.code(), Some(1), "{}", text(&out));
    assert!(text(&out).contains("kernel 'k'"), "{}", text(&out));
}

/// What is no file of source, no compiler, or no place to print to: an error and exit code 1.
#[test]
fn devices_compilers_and_outputs_that_are_none() {
    let folder = Folder::new("none");
    let told = |out: &Output, words: &[&str]| {
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(1), "{text}");
        assert!(!text.contains("panicked"), "{text}");
        assert!(words.iter().all(|w| text.contains(w)), "{text}");
    };
    std::fs::write(folder.at("zero.metal"), "// one\n#include \"/dev/zero\"\n").unwrap();
    told(&folder.run(&["check", "zero.metal"]), &["zero.metal:2", "/dev/zero", "regular file"]);
    // A name that only the preprocessor knows.
    let hidden = "#define NAME </dev/zero>\n#include NAME\n";
    std::fs::write(folder.at("hidden.metal"), hidden).unwrap();
    told(&folder.run(&["check", "hidden.metal"]), &["/dev/zero", "regular file"]);
    told(&folder.run(&["check", "/dev/zero"]), &["/dev/zero", "device"]);
    let command = || {
        let mut c = Command::new(env!("CARGO_BIN_EXE_softmetal"));
        c.current_dir(&folder.0).args(["check", "k.metal"]);
        c
    };
    let out = command().env("SOFTMETAL_CLANG", "/bin/true").output().unwrap();
    told(&out, &["/bin/true", "made nothing"]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let out = command().stdout(full).stderr(std::process::Stdio::piped()).spawn().unwrap();
    told(&out.wait_with_output().unwrap(), &["standard output", "No space left"]);
    // A reader that has gone.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let out = command().stdout(writer).stderr(std::process::Stdio::piped()).spawn().unwrap();
    told(&out.wait_with_output().unwrap(), &["standard output", "Broken pipe"]);
}
