//! `bessemer serve`: it says where it is, answers, and ends well.
#![cfg(unix)]

mod common;

use common::{assert_one_error, bessemer, finish, run};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

/// A server, and where it is.
fn serve(args: &[&str]) -> (Child, String) {
    let mut command = bessemer(&["serve", "--port", "0", "--only", "--device", "cpu"]);
    let mut child = command.args(args).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    let (model, url) = line.split_once(" is served at http://").unwrap_or_else(|| panic!("{line}"));
    assert_eq!(model, "ember");
    let address = url.to_owned();
    // Somebody has to read what else it says.
    std::thread::spawn(move || lines.count());
    (child, address)
}

fn ask(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_server_answers_and_ends_when_it_is_told_to() {
    let (mut child, address) = serve(&[]);
    let head = "host: localhost\r\nconnection: close\r\n";
    let answer = ask(&address, &format!("GET / HTTP/1.1\r\n{head}\r\n"));
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("<title>bessemer"), "{answer}");
    let body = r#"{"prompt": "Once upon a time", "max_tokens": 8, "temperature": 0}"#;
    let length = body.len();
    let request =
        format!("POST /v1/completions HTTP/1.1\r\n{head}content-length: {length}\r\n\r\n{body}");
    let answer = ask(&address, &request);
    assert!(answer.contains("\"completion_tokens\":8"), "{answer}");
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert!(child.wait().unwrap().success());
}

#[test]
fn what_cannot_be_served_is_said() {
    let (_, err) = run(&["serve", "--host", "nowhere"], 2);
    assert!(err.contains("not an IP address or localhost"), "{err}");
    let (_, err) = run(&["serve", "--tls-cert", "a.pem"], 2);
    assert!(err.contains("--tls-key"), "{err}");
    let (_, err) = run(&["serve", "--max-requests", "5"], 2);
    assert_one_error(&err, &["limits per key need a key"]);
    let (_, err) = run(&["serve", "--api-key-file", "/nowhere/keys"], 1);
    assert_one_error(&err, &["--api-key-file", "/nowhere/keys"]);
    let args = ["serve", "--tls-cert", "/nowhere/a.pem", "--tls-key", "/nowhere/b.pem"];
    let (_, err) = run(&args, 1);
    assert_one_error(&err, &["TLS: /nowhere/a.pem"]);
    let (_, err) = run(&["serve", "--model", "no-such-model"], 1);
    assert_one_error(&err, &["no-such-model"]);
}

#[test]
fn a_key_is_hashed_for_a_file_of_keys() {
    let mut command = bessemer(&["serve", "--hash-key"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"abc\n").unwrap();
    let out = child.wait_with_output().unwrap();
    let line = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n";
    assert_eq!(String::from_utf8(out.stdout).unwrap(), line);
    let mut command = bessemer(&["serve", "--hash-key"]);
    command.stdin(Stdio::null());
    let (_, err) = finish(command, 2);
    assert_one_error(&err, &["no key on stdin"]);
}
