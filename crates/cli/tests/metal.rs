//! The commands on Metal, in software: what they print says so.

#![cfg(target_os = "linux")]

mod common;

use common::{assert_one_error, bessemer, finish, run};
use serde_json::Value;
use std::fs;

/// The command with Metal in software.
fn on_metal(args: &[&str]) -> (String, String) {
    let mut command = bessemer(&[args, &["--device", "metal"]].concat());
    command.env("BESSEMER_SOFTMETAL", "1");
    finish(command, 0)
}

const STORY: [&str; 8] =
    ["run", "Once upon a time", "--raw", "--temperature", "0", "-n", "32", "--json"];

#[test]
fn the_built_in_model_tells_the_same_story_as_on_the_cpu() {
    let tokens = |text: &str| serde_json::from_str::<Value>(text).unwrap()["tokens"].clone();
    let cpu = tokens(&run(&[&STORY[..], &["--device", "cpu", "--precise"]].concat(), 0).0);
    assert_eq!(cpu.as_array().unwrap().len(), 32);
    assert_eq!(tokens(&on_metal(&STORY).0), cpu);
}

#[test]
fn a_trace_names_every_op_of_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    on_metal(&["run", "Once", "--raw", "-n", "2", "--trace", path.to_str().unwrap()]);
    let trace: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    for op in ["gather", "linears", "into_cache", "attention", "add_rms_norm", "gated_linears"] {
        let event = events.iter().find(|event| event["name"] == op);
        assert!(event.unwrap_or_else(|| panic!("no {op}"))["args"]["bytes"].as_u64() > Some(0));
    }
}

#[test]
fn check_says_that_software_ran() {
    let (out, _) = on_metal(&["check", "--op", "rms_norm"]);
    assert!(out.contains("Metal in software") && out.contains("passed in"), "{out}");
    let (out, _) = on_metal(&["check", "--op", "rms_norm", "--json"]);
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found["report"]["features"][0], "software");
}

#[test]
fn bench_says_that_software_ran() {
    let (out, _) = on_metal(&["bench", "model", "-p", "4", "-n", "2", "-r", "1"]);
    assert!(out.contains("Metal in software") && out.contains("decode 2"), "{out}");
}

#[test]
fn devices_shows_what_a_gpu_can_do() {
    let mut command = bessemer(&["devices", "--verbose"]);
    command.env("BESSEMER_SOFTMETAL", "1");
    let (out, _) = finish(command, 0);
    for words in ["Metal in software", "threadgroup memory: 32768", "`auto` picks cpu"] {
        assert!(out.contains(words), "`{words}` is not in:\n{out}");
    }
}

#[test]
fn programs_run_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("squares.bp");
    let squares = "program squares(out view y: u32) {\n    %i = index\n    %y = mul %i, %i\n    \
                   store y[@], %y\n}\n";
    fs::write(&path, squares).unwrap();
    let program = ["program", "run", path.to_str().unwrap(), "--shape", "4"];
    let (out, _) = on_metal(&program);
    assert!(out.contains("[0 1 4 9]") && out.contains("ran on metal"), "{out}");
}

#[test]
fn without_metal_it_says_what_to_do() {
    let mut command = bessemer(&["run", "Once", "--device", "metal"]);
    command.env_remove("BESSEMER_SOFTMETAL");
    assert_one_error(&finish(command, 1).1, &["metal", "use `cpu`", "BESSEMER_SOFTMETAL=1"]);
    let mut command = bessemer(&["check", "--device", "metal"]);
    command.env("BESSEMER_SOFTMETAL", "yes");
    assert_one_error(
        &finish(command, 1).1,
        &["unknown setting `yes`", "use 1, checked, or one of the GPUs"],
    );
}

#[test]
fn a_report_is_one_page_that_says_what_ran_and_nothing_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.md");
    let args = ["check", "--op", "rms_norm", "--device", "metal", "--report"];
    let mut command = bessemer(&[&args[..], &[path.to_str().unwrap()]].concat());
    command.env("BESSEMER_SOFTMETAL", "1");
    command.env("USER", "somebody").env("LOGNAME", "somebody").env("HOSTNAME", "somebodys-mac");
    let (out, _) = finish(command, 0);
    assert!(out.contains("passed in"), "{out}");
    let page = fs::read_to_string(&path).unwrap();
    for words in [
        "# bessemer on metal: softmetal (Metal in software)",
        "**This device is emulated in software; it is not a GPU.**",
        "* system: softmetal on linux",
        "* threadgroup memory: 32768 bytes",
        "## Conformance",
        "| rms_norm | f32 |",
        "## The built-in model",
        "The CPU generates the same text.",
        "## Hot kernels",
        "| linear | q4_k [256, 256], rows of f32: 1 |",
        "| linear: memory | 68 GB/s | 400 GB/s | 120 GB/s |",
        "## Kernels",
        "0 failed to compile",
        "maxTotalThreadsPerThreadgroup",
    ] {
        assert!(page.contains(words), "`{words}` is not in:\n{page}");
    }
    // Neither names nor paths, of this machine or of that made up.
    let home = std::env::var("HOME").unwrap_or_default();
    let here = env!("CARGO_MANIFEST_DIR");
    let hostname = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    for private in ["somebody", &home, here, hostname.trim(), folder.path().to_str().unwrap()] {
        assert!(private.len() < 3 || !page.contains(private), "`{private}` is in:\n{page}");
    }
    let paths =
        page.lines().find(|line| ["/usr/", "/home/", "/tmp/"].iter().any(|p| line.contains(p)));
    assert_eq!(paths, None);
}

#[test]
fn a_report_that_cannot_be_written_is_told_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    // There is no Metal here, which would be told if it came first.
    for path in [folder.path().join("no/report.md"), folder.path().to_owned()] {
        let path = path.to_str().unwrap();
        let mut command = bessemer(&["check", "--device", "metal", "--report", path]);
        command.env_remove("BESSEMER_SOFTMETAL");
        assert_one_error(&finish(command, 1).1, &["cannot be written", path]);
    }
    let both = ["check", "--report", "x.md", "--markdown"];
    assert!(run(&both, 2).1.contains("--markdown"));
}
