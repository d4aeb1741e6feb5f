//! What commands leave behind when they are told to end: nothing, or what the next one resumes.
#![cfg(unix)]

mod common;
#[path = "../../store/tests/common/server.rs"]
mod server;

use bessemer::{DType, Shape};
use bessemer_llm::files::GgufWriter;
use common::{bessemer, finish};
use server::{Manners, Server};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::Duration,
};

/// A model that takes a while to quantise: zeros, but many.
fn large(folder: &Path) -> PathBuf {
    let path = folder.join("large.gguf");
    let mut writer = GgufWriter::new();
    writer.set("general.architecture", "llama").set("llama.block_count", 32u32);
    for layer in 0..32 {
        let shape = Shape::new(&[1024, 1024]).unwrap();
        writer.tensor(&format!("blk.{layer}.ffn_up.weight"), DType::F32, shape).unwrap();
    }
    let mut stream = writer.begin(&path).unwrap();
    for _ in 0..32 {
        stream.tensor(&vec![0; 4 << 20]).unwrap();
    }
    stream.finish().unwrap();
    path
}

fn quantize(input: &Path, output: &Path) -> Command {
    let mut command = bessemer(&["quantize", "--threads", "1", "--force"]);
    command.arg(input).arg(output).arg("Q3_K_M").stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Waits for a file that is hidden until it is finished.
fn wait_for(folder: &Path, is_it: impl Fn(&str, u64) -> bool) {
    loop {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let length = entry.metadata().map_or(0, |meta| meta.len());
            if is_it(&entry.file_name().to_string_lossy(), length) {
                return;
            }
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn send(signal: &str, mut child: Child) -> ExitStatus {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    child.wait().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn quantize_leaves_nothing_behind() {
    let (models, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (input, output) = (large(models.path()), out.path().join("small.gguf"));
    let unfinished = |name: &str, _| name.starts_with(".bessemer-");
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let child = quantize(&input, &output).spawn().unwrap();
        wait_for(out.path(), unfinished);
        assert_eq!(send(signal, child).code(), Some(code), "{signal}");
        assert_eq!(names(out.path()), Vec::<String>::new(), "{signal}");
    }

    // What a killed one leaves is swept up by the next, which may be of another model.
    let child = quantize(&input, &output).spawn().unwrap();
    wait_for(out.path(), unfinished);
    send("-KILL", child);
    assert_eq!(names(out.path()).len(), 1);
    let tiny = models.path().join("tiny.gguf");
    fs::write(&tiny, bessemer_llm::tiny::gguf()).unwrap();
    finish(quantize(&tiny, &output), 0);
    assert_eq!(names(out.path()), ["small.gguf"]);
}

#[test]
fn pull_leaves_what_the_next_one_resumes() {
    let mut file = b"GGUF".to_vec();
    file.resize(300_000, 7);
    let server = Server::start(Manners {
        linked_etag: Some("a version".to_owned()),
        file,
        stall_after: Some(100_000),
        times: Some(2),
        ..Manners::default()
    });
    let folder = tempfile::tempdir().unwrap();
    let command = |args: &[&str]| {
        let mut command = bessemer(args);
        command.env("BESSEMER_MODELS", folder.path()).env("HF_ENDPOINT", &server.url);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let place = folder.path().join("a/b");
    let interrupted = |signal: &str, code| {
        let child = command(&["pull", "hf:a/b/x.gguf"]).spawn().unwrap();
        wait_for(&place, |name, length| name.ends_with(".part") && length == 100_000);
        assert_eq!(send(signal, child).code(), Some(code));
        assert_eq!(names(&place).len(), 1);
    };
    interrupted("-TERM", 143);
    finish(command(&["rm", "--yes", "a/b/x"]), 0);
    assert_eq!(names(folder.path()), Vec::<String>::new());

    interrupted("-INT", 130);
    finish(command(&["pull", "hf:a/b/x.gguf"]), 0);
    assert_eq!(fs::read(place.join("x.gguf")).unwrap().len(), 300_000);
    assert!(server.seen.lock().unwrap().join("\n").contains("bytes=100000-"));
}

#[test]
fn a_signal_that_is_ignored_stays_so() {
    let server = Server::start(Manners {
        file: b"GGUF".repeat(1000),
        stall_after: Some(100),
        ..Manners::default()
    });
    let folder = tempfile::tempdir().unwrap();
    let pull = bessemer(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" pull hf:a/b/x.gguf"]).arg(pull.get_program());
    command.env("BESSEMER_MODELS", folder.path()).env("HF_ENDPOINT", &server.url);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(&folder.path().join("a/b"), |name, length| name.ends_with(".part") && length == 100);
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-HUP", &id]).status().unwrap().success());
    thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none(), "it goes on");
    assert_eq!(send("-TERM", child).code(), Some(143));
}
