//! What holds for every command: help, exit codes, colours, closed pipes.

mod common;
#[path = "common/tiny.rs"]
mod tiny;

use common::{assert_one_error, bessemer, finish, run};
use std::{io::Read, process::Stdio};
use tiny::Models;

const COMMANDS: &[&[&str]] = &[
    &["run"],
    &["chat"],
    &["perplexity"],
    &["embed"],
    &["bench", "model"],
    &["tokenize"],
    &["convert"],
    &["quantize"],
    &["inspect"],
    &["pull"],
    &["models"],
    &["rm"],
    &["demo"],
    &["devices"],
    &["check"],
    &["bench"],
    &["bench", "ops"],
    &["program"],
    &["program", "run"],
    &["program", "check"],
    &["program", "format"],
    &["serve"],
    &["completions"],
];

#[test]
fn every_command_has_help_with_examples() {
    let (help, _) = run(&["--help"], 0);
    for &command in COMMANDS {
        assert!(help.contains(command[0]), "{help}");
        let (help, err) = run(&[command, &["--help"]].concat(), 0);
        assert!(help.contains("Usage: bessemer"), "{help}");
        assert!(
            help.contains("Examples:") || command == ["bench"] || command == ["program"],
            "{command:?}\n{help}"
        );
        assert_eq!(err, "");
        // Flags of devices are where they mean something.
        let uses_device = matches!(
            command,
            ["run" | "chat" | "embed" | "perplexity" | "check" | "demo" | "serve"]
                | ["bench", "ops" | "model"]
                | ["program", "run"]
        );
        for flag in ["--device", "--precise", "--trace"] {
            assert_eq!(help.contains(flag), uses_device, "{command:?} {flag}\n{help}");
        }
        let uses_threads = uses_device || matches!(command, ["convert" | "quantize" | "devices"]);
        assert_eq!(help.contains("--threads"), uses_threads, "{command:?}\n{help}");
    }
    assert!(run(&["--version"], 0).0.starts_with("bessemer "));
}

#[test]
fn wrong_usage_ends_with_2() {
    for args in [
        &["nonsense"][..],
        &["--nonsense"],
        &["check", "--device", "gpu"],
        &["check", "--markdown", "--json"],
        &["check", "--op"],
        &["bench"],
        &["bench", "ops", "--threads", "many"],
        &["check", "--device", "cpu", "--threads", "0"],
        &["run", "x", "--threads", "99999"],
        &["rm", "x", "--json"],
        &["completions", "tcsh"],
        &[],
    ] {
        let (out, err) = run(args, 2);
        assert!(out.is_empty() != args.contains(&"--json") && !err.is_empty(), "{args:?}");
    }
    assert!(run(&["demo", "--threads", "0"], 2).1.contains("0 is not in 1..=4096"));
}

#[test]
fn errors_are_json_for_whoever_asked_for_it() {
    for (args, code, words) in [
        (&["inspect", "/nowhere/x.gguf", "--json"][..], 1, "no such file or model"),
        (&["run", "x", "--temperature", "nan", "--json"], 2, "--temperature NaN"),
        (&["bench", "model", "--json", "--threads", "0"], 2, "0 is not in 1..=4096"),
        (&["quantize", "--json"], 2, "required arguments were not provided"),
    ] {
        let (out, err) = run(args, code);
        let found: serde_json::Value = serde_json::from_str(&out).unwrap();
        let said = found["error"].as_str().unwrap();
        assert!(!said.contains("error:") && !said.contains('\n'), "{said}");
        assert!(said.contains(words) && err.contains(words), "{out}{err}");
    }
    assert!(run(&["tokenize", "-m", "/nowhere/x.gguf", "--", "--json"], 1).0.is_empty());
}

#[test]
fn names_and_flags_of_other_programs_work() {
    let models = Models::new();
    let list = models.run(&["models"], 0).0;
    for alias in ["list", "ls"] {
        assert_eq!(models.run(&[alias], 0).0, list);
    }
    assert_eq!(models.run(&["show", "tiny"], 0).0, models.run(&["inspect", "tiny"], 0).0);
    let usual = ["run", "--raw", "-m", "tiny", "--temperature", "0.7", "--seed", "5", "-n", "4"];
    let usual = models.run(&[&usual[..], &["--context", "64", "ab"]].concat(), 0).0;
    let theirs = ["run", "--raw", "-m", "tiny", "--temp", "0.7", "-s", "5", "-n", "4", "-c", "64"];
    assert_eq!(models.run(&[&theirs[..], &["-t", "1", "-p", "ab"]].concat(), 0).0, usual);
    // The last of a flag counts.
    let twice = ["-n", "9", "-n", "4", "-m", "nowhere", "-m", "tiny", "--raw", "--raw", "ab"];
    assert_eq!(models.run(&[&theirs[..], &twice].concat(), 0).0, usual);
    // No limit but the context, a random seed, and no `top_k`.
    let found =
        ["run", "--raw", "-m", "tiny", "-c", "8", "-n", "-1", "--seed", "-1", "--top-k", "-1"];
    let found = models.json(&[&found[..], &["--logit-bias", "256=-inf", "ab", "--json"]].concat());
    assert_eq!(found["stop"], "context");
}

#[test]
fn special_tokens_are_parsed_if_asked_for() {
    let models = Models::new();
    let args = ["run", "--raw", "-m", "tiny", "-n", "1", "--json", "a<|im_start|>"];
    let prompt = |more: &[&str]| {
        models.json(&[&args[..], more].concat())["timings"]["prompt_tokens"].as_u64().unwrap()
    };
    assert_eq!((prompt(&[]), prompt(&["--special"])), (1 + 12, 1 + 1));
}

#[cfg(ember)]
#[test]
fn a_prompt_that_starts_as_every_text_does_gets_no_second_start() {
    let models = Models::new();
    let prompt = |text: &str| {
        let args = ["run", "--raw", "--special", "-n", "1", "--json", text];
        models.json(&args)["timings"]["prompt_tokens"].clone()
    };
    assert_eq!(prompt("<s>Once"), prompt("Once"));
    assert_eq!(prompt("<s><s>Once").as_u64(), prompt("Once").as_u64().map(|count| count + 1));
}

#[test]
fn models_that_are_not_here_come_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    for (name, words) in [
        ("smollm2", "run \"bessemer pull smollm2\""),
        ("smolm2", "did you mean \"smollm2\"?"),
        ("embre", "did you mean \"ember\"?"),
        ("hf:a/b/c.gguf", "run \"bessemer pull hf:a/b/c.gguf\""),
        ("/nowhere/x.gguf", "no such file or model"),
    ] {
        let mut command = bessemer(&["run", "x", "-m", name]);
        command.env("BESSEMER_MODELS", folder.path());
        assert_one_error(&finish(command, 1).1, &[name, words]);
    }
}

#[test]
fn what_cannot_be_done_ends_with_1_and_one_line() {
    for (args, words) in [
        (&["check", "--device", "metal"][..], &["metal", "use `cpu`"][..]),
        (
            &["run", "x", "--context", "2000000000", "--device", "cpu"],
            &["do not fit into the memory of this machine", "q8_0"],
        ),
        (&["run", "x", "--context", "4000000000"], &["from 1 to 2147483647"]),
    ] {
        let (out, err) = run(args, 1);
        assert!(out.is_empty(), "{out}");
        assert_one_error(&err, words);
    }
    let mut command = bessemer(&["check", "--device", "cpu"]);
    command.env("BESSEMER_ISA", "sse9");
    assert_one_error(&finish(command, 1).1, &["BESSEMER_ISA", "sse9"]);
}

#[test]
fn no_colours_unless_on_a_terminal_or_forced() {
    for args in [&["devices", "--verbose"][..], &["check", "--quick"], &["--help"]] {
        let (out, err) = run(args, 0);
        assert!(!out.contains('\x1b') && !err.contains('\x1b'), "{out}{err}");
    }
    let mut forced = bessemer(&["check", "--quick"]);
    forced.env("CLICOLOR_FORCE", "1");
    assert!(finish(forced, 0).0.contains('\x1b'));
    let mut refused = bessemer(&["check", "--quick"]);
    refused.env("NO_COLOR", "1");
    assert!(!finish(refused, 0).0.contains('\x1b'));
}

#[test]
fn a_closed_pipe_is_no_error() {
    for args in [&["devices", "--json"][..], &["check", "--quick"], &["completions", "bash"]] {
        let mut child = bessemer(args);
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert!(child.wait().unwrap().success(), "{args:?}");
        assert_eq!(err, "", "{args:?}");
    }
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (script, _) = run(&["completions", shell], 0);
        assert!(script.contains("devices") && script.contains("threads"), "{shell}");
    }
}
