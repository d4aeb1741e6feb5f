//! `bessemer program` and `bessemer demo`.

mod common;

use bessemer::prelude::*;
use common::{assert_one_error, bessemer, finish, run};
use std::{
    fs,
    path::{Path, PathBuf},
};

const AXPY: &str = "program axpy(in view x: f32, in view y: f32, out view z: f32, uniform k: f32) {
    %x = load x[@]
    %y = load y[@]
    %z = fma %x, k, %y
    store z[@], %z
}
";

const REVERSE: &str = "program reverse(inout buffer a: f32) {
    shared t: f32[64]
    %t = linear
    %g = global.x
    %x = load a[%g]
    store t[%t], %x
    barrier
    %last = block.x
    %r = sub %last, 1u
    %r = sub %r, %t
    %y = load t[%r]
    store a[%g], %y
}
";

/// A folder of its own for a test, gone when it is done.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("bessemer-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn text(&self, name: &str, text: &str) -> String {
        fs::write(self.0.join(name), text).unwrap();
        self.path(name)
    }

    fn array(&self, name: &str, values: &[f32], dims: &[usize]) -> String {
        let device = Device::open("reference").unwrap();
        let array = Array::from_slice(&device, values, dims).unwrap();
        array.save_npy(self.0.join(name)).unwrap();
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn load(path: &str) -> Array {
    Array::load_npy(&Device::open("reference").unwrap(), Path::new(path)).unwrap()
}

#[test]
fn a_map_from_files_to_a_file_on_both_devices() {
    let folder = Folder::new("map");
    let program = folder.text("axpy.bp", AXPY);
    let x = folder.array("x.npy", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]);
    let y = folder.array("y.npy", &[10.0, 20.0, 30.0], &[3]);
    for device in ["cpu", "reference"] {
        let z = folder.path(&format!("{device}.npy"));
        let inputs = ["--in", x.as_str(), "--in", y.as_str(), "--set", "k=2"];
        let args = [&["program", "run", &program, "--out", &z, "--device", device], &inputs[..]];
        let (out, _) = run(&args.concat(), 0);
        assert!(out.contains("z: f32 [2, 3] written to"), "{out}");
        let z = load(&z);
        assert_eq!(z.dims(), [2, 3]);
        assert_eq!(z.to_vec::<f32>().unwrap(), [12.0, 24.0, 36.0, 18.0, 30.0, 42.0]);
    }
    let named = [format!("y={x}"), format!("x={y}")];
    let args = ["program", "run", &program, "--in", &named[0], "--in", &named[1], "--set", "k=-1"];
    let (out, _) = run(&args, 0);
    assert!(out.contains("[[ -9. -18. -27.]"), "{out}");
}

#[test]
fn a_kernel_with_groups_and_shared_memory() {
    let folder = Folder::new("kernel");
    let program = folder.text("reverse.bp", REVERSE);
    let a = folder.array("a.npy", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[6]);
    let result = folder.path("r.npy");
    let args = ["program", "run", &program, "--in", &a, "--out", &result, "--block", "3"];
    run(&args, 0);
    assert_eq!(load(&result).to_vec::<f32>().unwrap(), [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
    assert_eq!(load(&a).to_vec::<f32>().unwrap()[0], 1.0, "the input is as it was");

    let beyond = ["program", "run", &program, "--in", &a, "--grid", "3", "--block", "3"];
    assert_one_error(&run(&beyond, 1).1, &["kernel", "element 6 is out of range"]);
    let huge = ["program", "run", &program, "--in", &a, "--block", "64,64"];
    assert_one_error(&run(&huge, 1).1, &["1024 threads"]);
}

#[test]
fn check_and_format() {
    let folder = Folder::new("format");
    let program = folder.text("axpy.bp", &AXPY.replace("    ", "\t").replace("%z", "%result"));
    let (out, _) = run(&["program", "check", &program], 0);
    assert!(out.contains("ok: axpy over elements, 4 parameters"), "{out}");
    let (once, _) = run(&["program", "format", &program], 0);
    assert_eq!(once, AXPY.replace("%z", "%result"));
    run(&["program", "format", &program, "--out", &program], 0);
    assert_eq!(fs::read_to_string(&program).unwrap(), once);
    assert_eq!(run(&["program", "format", &program], 0).0, once);
}

#[test]
fn formats_of_several_files_are_checked_and_mended() {
    let folder = Folder::new("formats");
    let untidy = format!("// Kept.\n\n\n{}", AXPY.replace("    ", "  "));
    let (good, bad) = (folder.text("good.bp", AXPY), folder.text("bad.bp", &untidy));
    let (out, err) = run(&["program", "format", "--check", &good, &bad], 1);
    assert_eq!((out, err.as_str()), (format!("{bad}\n"), ""));
    assert_eq!(fs::read_to_string(&bad).unwrap(), untidy);
    assert_one_error(&run(&["program", "format", &good, &bad], 2).1, &["2 files", "--write"]);
    run(&["program", "format", "--write", &good, &bad], 0);
    assert_eq!(fs::read_to_string(&bad).unwrap(), format!("// Kept.\n\n{AXPY}"));
    assert_eq!(run(&["program", "format", "--check", &good, &bad], 0).0, "");
    let mut stdin = bessemer(&["program", "format", "-"]);
    stdin.stdin(fs::File::open(&good).unwrap());
    assert_eq!(finish(stdin, 0).0, AXPY);
    assert_one_error(&run(&["program", "format", "-", "--write"], 2).1, &["stdin"]);
}

const SPIN: &str = "program spin(inout buffer a: f32) {
    loop {
        %x = load a[0u]
        %stop = lt %x, 0.0
        break %stop
    }
}
";

#[test]
fn an_endless_program_is_stopped() {
    let folder = Folder::new("endless");
    let program = folder.text("spin.bp", SPIN);
    // One thread, and millions of them.
    let a = folder.array("a.npy", &[1.0], &[1]);
    for (device, grid, block) in
        [("cpu", "1", "1"), ("cpu", "4000000", "1024"), ("reference", "4000000", "1024")]
    {
        let args = ["--in", &a, "--device", device, "--grid", grid, "--block", block];
        let command = [&["program", "run", &program, "--timeout", "0.2"], &args[..]].concat();
        let words = ["program spin: stopped after 0.2 s", "--timeout"];
        assert_one_error(&run(&command, 1).1, &words);
    }
    let wrong = ["program", "run", &program, "--in", &a, "--timeout=-1"];
    assert!(run(&wrong, 2).1.contains("at least 0"));
}

/// Ctrl-C ends a program that nothing else would end.
#[cfg(unix)]
#[test]
fn an_endless_program_can_be_interrupted() {
    use std::process::{Command, Stdio};
    let folder = Folder::new("interrupt");
    let program = folder.text("spin.bp", SPIN);
    let a = folder.array("a.npy", &[1.0], &[1]);
    let grid = ["--grid", "4000000", "--block", "1024", "--device", "reference"];
    let mut command = bessemer(&["program", "run", &program, "--in", &a, "--timeout", "0"]);
    let mut child = command.args(grid).stdout(Stdio::null()).spawn().unwrap();
    // The handler is set up before anything else is done; until then the signal ends the process.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let status = child.wait().unwrap();
    assert!(!status.success() && status.code().is_none_or(|code| code == 130), "{status}");
}

#[test]
fn broken_files_are_told_in_one_line() {
    let folder = Folder::new("broken");
    let axpy = folder.text("axpy.bp", AXPY);
    let x = folder.array("x.npy", &[1.0, 2.0], &[2]);
    let y = folder.array("y.npy", &[1.0, 2.0, 3.0], &[3]);
    let wrong = folder.text("wrong.bp", &AXPY.replace("%x, k", "%x, 1"));
    let binary = folder.path("binary.bp");
    fs::write(&binary, [0xff, 0xfe, 0x00]).unwrap();
    let half = folder.path("half.npy");
    fs::write(&half, &fs::read(&x).unwrap()[..90]).unwrap();
    let text = folder.text("text.npy", "not an array");
    let missing = folder.path("missing.bp");
    let set = ["--set", "k=1"];
    for (args, words) in [
        (vec!["program", "check", &missing], vec!["missing.bp", "cannot read"]),
        (vec!["program", "check", &wrong], vec!["wrong.bp:4:", "i32", "must be f32"]),
        (vec!["program", "check", &binary], vec!["binary.bp", "UTF-8"]),
        (vec!["program", "check", "."], vec!["cannot read ."]),
        (vec!["program", "run", &axpy, "--in", &half, set[0], set[1]], vec!["half.npy"]),
        (vec!["program", "run", &axpy, "--in", &text, set[0], set[1]], vec!["text.npy"]),
        (vec!["program", "run", &axpy, "--in", &x, set[0], set[1]], vec!["y", "--in"]),
        (vec!["program", "run", &axpy, "--in", &x, "--in", &x], vec!["--set k=VALUE"]),
        (vec!["program", "run", &axpy, "--in", &x, "--in", &x, "--set", "k=two"], vec!["two"]),
        (
            vec!["program", "run", &axpy, "--in", &x, "--in", &y, set[0], set[1]],
            vec!["[2]", "[3]", "broadcast"],
        ),
        (
            vec!["program", "run", &axpy, "--in", &x, "--in", &x, set[0], set[1], "--out", "/no/z"],
            vec!["/no/z"],
        ),
    ] {
        let (out, err) = run(&args, 1);
        assert_one_error(&err, &words);
        assert_eq!(out, "", "{args:?}");
    }
    for args in [
        vec!["program", "run", &axpy, "--in", &x, "--in", &x, "--in", &x, set[0], set[1]],
        vec!["program", "run", &axpy, "--in", &x, "--in", &x, set[0], set[1], "--block", "4"],
        vec!["program", "run", &axpy, "--shape", "four"],
        vec!["program", "check"],
    ] {
        run(&args, 2);
    }
}

#[test]
fn the_demo_shows_arrays_the_fused_program_and_speed() {
    for device in ["cpu", "reference"] {
        let (out, err) = run(&["demo", "--elements", "5000", "--device", device], 0);
        for words in ["linspace", "softmax", "yield", "GB/s", "fused", "step by step"] {
            assert!(out.contains(words), "`{words}` is not in:\n{out}");
        }
        assert_eq!(err, "");
    }
    run(&["demo", "--elements", "0"], 0);
    let (_, err) = run(&["demo", "--elements", "9999999999999999999"], 1);
    assert!(err.contains("9999999999999999999"));
    let (_, err) = run(&["demo", "--elements", "1000000000000000"], 1);
    assert_one_error(&err, &["memory"]);
}

#[test]
fn a_loop_without_an_end_is_an_error() {
    let folder = Folder::new("spin");
    let text = "program spin(inout buffer a: f32) {
        %x = load a[0u]
        loop {
            %done = lt %x, 0.0
            break %done
        }
        store a[0u], 9.0
    }";
    let program = folder.text("spin.bp", text);
    let a = folder.array("a.npy", &[1.0], &[1]);
    let out = folder.path("out.npy");
    let line = ["program", "run", &program, "--in", &a, "--out", &out, "--block", "1"];
    let err = run(&line, 1).1;
    assert_one_error(&err, &["program spin: instruction 1 `loop`: it has not ended after"]);
    assert!(!Path::new(&out).exists());
}
