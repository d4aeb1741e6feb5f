//! The command on the WebGPU device, in software: everything that runs on `cpu`. A machine without
//! an adapter fails here: Debian's `mesa-vulkan-drivers` has one.
#![cfg(all(feature = "webgpu", target_os = "linux"))]

mod common;
#[path = "common/tiny.rs"]
mod tiny;

use bessemer::{Array, Device};
use common::{assert_one_error, bessemer, finish, run};
use serde_json::Value;
use std::{fs, process::Command};
use tiny::Models;

/// The command, with the last of two `--device` counting.
fn on_webgpu(models: &Models, args: &[&str]) -> Command {
    let mut command = bessemer(args);
    command.args(["--device", "webgpu"]).env("BESSEMER_MODELS", models.path(""));
    command.env_remove("BESSEMER_ADAPTER");
    command
}

/// A machine with no driver at all.
fn without_drivers(args: &[&str]) -> Command {
    let mut command = bessemer(args);
    command.env("VK_DRIVER_FILES", "/nowhere.json").env("VK_ICD_FILENAMES", "/nowhere.json");
    command
}

#[test]
fn devices_says_why_auto_does_not_take_an_adapter_in_software() {
    let (out, _) = run(&["devices", "--json"], 0);
    let found: Value = serde_json::from_str(&out).unwrap();
    let devices = found["devices"].as_array().unwrap();
    let webgpu = devices.iter().find(|device| device["device"] == "webgpu").unwrap();
    assert_eq!(webgpu["available"], true);
    let details = webgpu["details"].to_string();
    assert!(details.contains("longest binding") && details.contains("adapter: "), "{details}");
    // On a machine with a GPU `auto` picks that one and not Mesa's.
    if webgpu["software"] == true {
        assert!(webgpu["refusal"].as_str().unwrap().contains("software"));
        assert_eq!(found["chosen"], "cpu");
    }
}

#[test]
fn no_adapter_is_an_error_and_auto_goes_on() {
    let error = finish(without_drivers(&["demo", "--device", "webgpu"]), 1).1;
    assert_one_error(&error, &["webgpu", "no adapter was found", "`cpu`"]);
    let (out, _) = finish(without_drivers(&["demo", "--elements", "1000"]), 0);
    assert!(out.starts_with("cpu"), "{out}");
    let mut command = bessemer(&["demo", "--device", "webgpu"]);
    command.env("BESSEMER_ADAPTER", "Voodoo");
    assert_one_error(&finish(command, 1).1, &["Voodoo", "there is"]);
}

#[test]
fn arrays_and_programs() {
    let models = Models::new();
    let (out, _) = finish(on_webgpu(&models, &["demo", "--elements", "5000"]), 0);
    for words in ["webgpu", "softmax", "fused"] {
        assert!(out.contains(words), "`{words}` is not in:\n{out}");
    }
    let program = models.text("twice.bp");
    fs::write(
        &program,
        "program twice(in view x: f32, out view y: f32) {
    %x = load x[@]
    %y = add %x, %x
    store y[@], %y
}",
    )
    .unwrap();
    let reference = Device::open("reference").unwrap();
    let x = Array::from_slice(&reference, &[1.0f32, 2.0, 3.0], &[3]).unwrap();
    x.save_npy(models.path("x.npy")).unwrap();
    let (x, y) = (models.text("x.npy"), models.text("y.npy"));
    let args = ["program", "run", &program, "--in", &x, "--out", &y];
    finish(on_webgpu(&models, &args), 0);
    let y = Array::load_npy(&reference, models.path("y.npy")).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [2.0, 4.0, 6.0]);
}

#[test]
fn check_and_a_timeline() {
    let models = Models::new();
    let trace = models.text("ops.trace");
    let args = ["check", "--op", "layer_norm", "--json", "--trace", &trace];
    let (out, _) = finish(on_webgpu(&models, &args), 0);
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&found["passed"], &found["report"]["device"]), (&true.into(), &"webgpu".into()));
    let timeline: Value = serde_json::from_slice(&fs::read(&trace).unwrap()).unwrap();
    let events = timeline["traceEvents"].as_array().unwrap();
    let norms = events.iter().filter(|event| event["name"] == "layer_norm");
    assert!(norms.clone().count() > 3, "{timeline}");
    for norm in norms {
        assert!(norm["dur"].as_f64().unwrap() > 0.0, "{norm}");
        assert!(
            norm["args"]["bytes"].as_u64().is_some()
                && norm["args"]["kernels"] == "layer_norm.wgsl"
        );
        assert!(norm["args"]["share of bandwidth"].as_f64().is_some(), "{norm}");
    }
}

#[test]
fn a_model_writes_what_it_writes_on_the_cpu() {
    let models = Models::new();
    let args =
        ["run", "--model", "tiny", "--raw", "Once", "-n", "6", "--temperature", "0", "--json"];
    let wanted = models.json(&args);
    let (out, _) = finish(on_webgpu(&models, &args), 0);
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found["tokens"], wanted["tokens"]);
    assert_eq!(found["text"], wanted["text"]);
}
