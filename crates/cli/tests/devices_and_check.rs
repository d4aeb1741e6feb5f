//! `bessemer devices` and `bessemer check`.

mod common;

use common::{assert_one_error, bessemer, finish, run};
use serde_json::Value;

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&run(args, 0).0).unwrap()
}

#[test]
fn devices_says_what_is_here_and_why_others_are_not() {
    let (out, _) = run(&["devices"], 0);
    for words in ["cpu", "reference", "metal", "webgpu", "`auto` picks cpu", "passed"] {
        assert!(out.contains(words), "`{words}` is not in:\n{out}");
    }
    let (verbose, _) = run(&["devices", "--verbose"], 0);
    assert!(verbose.contains("quick check of cpu") && verbose.contains("portable"), "{verbose}");
}

#[test]
fn devices_as_json() {
    let found = json(&["devices", "--json", "--threads", "1"]);
    assert_eq!(found["chosen"], "cpu");
    let devices = found["devices"].as_array().unwrap();
    let device = |name| devices.iter().find(|device| device["device"] == name).unwrap();
    assert_eq!(device("cpu")["threads"], 1);
    assert_eq!(device("cpu")["quick_check"]["passed"], true);
    assert_eq!(device("cpu")["refusal"], Value::Null);
    assert_eq!(device("metal")["available"], false);
    assert!(device("metal")["refusal"].as_str().unwrap().contains("Metal"));
}

#[test]
fn instructions_can_be_forced() {
    let mut command = bessemer(&["devices", "--json"]);
    command.env("BESSEMER_ISA", "portable");
    let found: Value = serde_json::from_str(&finish(command, 0).0).unwrap();
    let devices = found["devices"].as_array().unwrap();
    let cpu = devices.iter().find(|device| device["device"] == "cpu").unwrap();
    assert_eq!(cpu["features"][0], "portable");
}

#[test]
fn check_shows_a_table() {
    let (out, err) = run(&["check", "--device", "cpu", "--op", "rms_norm"], 0);
    assert!(out.contains("rms_norm  f32") && out.contains("passed in"), "{out}");
    assert_eq!(err, "");
}

#[test]
fn check_as_json() {
    let found = json(&["check", "--quick", "--json"]);
    assert_eq!(found["passed"], true);
    assert_eq!(found["report"]["device"], "cpu");
    let results = found["report"]["results"].as_array().unwrap();
    assert!(results.iter().all(|result| result["outcome"] == "passed" && result["quick"] == true));
    assert!(results.iter().all(|result| !result["dtypes"].as_array().unwrap().is_empty()));
    assert!(found["summary"].as_array().unwrap().iter().all(|row| row["failed"] == 0));
}

#[test]
fn an_unknown_op_is_wrong_usage_and_names_those_there_are() {
    for args in [&["check", "--op", "rms_nrom"][..], &["bench", "ops", "--op", "rms_nrom"]] {
        assert_one_error(&run(args, 2).1, &["rms_nrom", "rms_norm"]);
    }
}
