//! What `bessemer bench` does with its time. No figure is checked: machines are shared.

mod common;
#[cfg(unix)]
#[path = "common/pty.rs"]
mod pty;
#[path = "common/tiny.rs"]
mod tiny;

use common::run;
use serde_json::Value;
use tiny::Models;

#[test]
fn ops_are_measured_until_the_time_is_over() {
    let (out, err) = run(&["bench", "ops", "--seconds", "1", "--device", "cpu", "--json"], 0);
    let found: Value = serde_json::from_str(&out).unwrap();
    let measured = found["results"].as_array().unwrap().len();
    assert!(measured > 0 && err.contains(&format!("{measured} of ")), "{err}");
    assert!(err.contains("were measured in 1 s") && err.contains("--seconds"), "{err}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_what_was_measured() {
    use nix::{
        sys::signal::{Signal, kill},
        unistd::Pid,
    };
    let mut command = common::bessemer(&["bench", "ops", "--seconds", "600", "--device", "cpu"]);
    command.env("NO_COLOR", "1");
    let pty = pty::Pty::start(command, 100);
    // The first of them is done by then.
    pty.wait_for("map tanh", 1);
    kill(Pid::from_raw(pty.child.id() as i32), Signal::SIGINT).unwrap();
    let (text, code) = pty.finish();
    assert_eq!(code, Some(130), "{text}");
    let table = text.split("of the limit").nth(1).unwrap();
    assert!(table.contains("map") && table.contains("stopped: "), "{text}");
}

#[test]
fn the_headline_of_a_model_is_the_run_of_its_chart() {
    let models = Models::new();
    let args = ["bench", "model", "-m", "tiny", "-p", "8", "-n", "6", "-r", "3"];
    let found = models.json(&[&args[..], &["--json"]].concat());
    let times = found["decode_ms"].as_array().unwrap().iter().map(|ms| ms.as_f64().unwrap());
    let speed = 6.0 / (times.sum::<f64>() / 1e3);
    let headline = found["decode_tokens_per_s"].as_f64().unwrap();
    assert!((speed / headline - 1.0).abs() < 1e-6, "{speed} {headline}");
    let (text, _) = models.run(&args, 0);
    assert!(text.contains("the fastest of 3 runs"), "{text}");
}
