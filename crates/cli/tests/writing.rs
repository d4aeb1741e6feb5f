//! What commands write with a model: run, chat, bench model.

mod common;
#[path = "common/tiny.rs"]
mod tiny;

use bessemer_llm::tiny::Tiny;
use common::assert_one_error;
use std::{fs, io::Read, process::Stdio};
use tiny::Models;

#[test]
fn text_comes_from_an_argument_or_stdin_and_the_same_seed_gives_the_same() {
    let models = Models::new();
    let args = ["run", "--raw", "-m", "tiny", "-n", "12", "--seed", "7"];
    let (text, err) = models.run(&[&args[..], &["Once"]].concat(), 0);
    assert!(text.starts_with("Once") && text.ends_with('\n') && text.len() > 8, "{text:?}");
    assert_eq!(err, "");
    assert_eq!(models.run_with(&args, "Once", 0).0, text);
    assert_eq!(models.run_with(&[&args[..], &["-"]].concat(), "Once", 0).0, text);
    let other = ["run", "--raw", "-m", "tiny", "-n", "12", "--seed", "8", "Once"];
    assert_ne!(models.run(&other, 0).0, text);
    let (_, timings) = models.run(&[&args[..], &["Once", "--timings"]].concat(), 0);
    assert!(timings.contains("12 tokens") && timings.contains("seed 7"), "{timings}");
}

#[cfg(ember)]
#[test]
fn the_built_in_model_tells_a_story() {
    let models = Models::new();
    let args = ["run", "Once upon a time", "--seed", "1", "-n", "40"];
    let (story, _) = models.run(&args, 0);
    assert!(story.starts_with("Once upon a time"), "{story}");
    // Words, not noise.
    assert!(
        story.split_whitespace().count() > 8 && !story.contains(char::REPLACEMENT_CHARACTER),
        "{story}"
    );
    assert_eq!(models.run(&[&args[..], &["--model", "ember"]].concat(), 0).0, story);
    assert_eq!(models.json(&["models", "--json"])["models"][0]["built_in"], true);
}

#[cfg(not(ember))]
#[test]
fn a_build_without_a_model_says_how_to_get_one() {
    let (_, err) = Models::new().run(&["run", "Once upon a time"], 1);
    assert_one_error(&err, &["no built-in model", "bessemer pull smollm2"]);
}

#[test]
fn a_template_is_used_unless_it_is_not_wanted() {
    let models = Models::new();
    let ask = |more: &[&str]| {
        let args = ["run", "-m", "tiny", "Hi", "-n", "3", "--temperature", "0", "--json"];
        models.json(&[&args[..], more].concat())
    };
    let chat = ask(&[]);
    // <|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n, byte by byte.
    assert_eq!(chat["timings"]["prompt_tokens"], 1 + 5 + 2 + 1 + 1 + 1 + 10);
    assert_eq!(ask(&["--raw"])["timings"]["prompt_tokens"], 2);
    let more = ask(&["--system", "X"])["timings"]["prompt_tokens"].as_u64().unwrap();
    assert_eq!(more, 21 + 1 + 7 + 1 + 1 + 1);
    assert_eq!((&chat["stop"], &chat["prompt"]), (&"length".into(), &"Hi".into()));
    assert_eq!(chat["tokens"].as_array().unwrap().len(), 3);
    assert!(chat["text"].is_string() && chat["seed"].is_u64());
    for key in ["first_token_ms", "prefill_tokens_per_s", "decode_tokens_per_s"] {
        assert!(chat["timings"][key].as_f64().unwrap() > 0.0, "{key}: {chat}");
    }
    // The answer alone, not the prompt.
    let (text, _) = models.run(&["run", "-m", "tiny", "Hi", "-n", "3", "--temperature", "0"], 0);
    assert_eq!(text, format!("{}\n", chat["text"].as_str().unwrap()));
}

#[test]
fn what_cannot_be_done_is_told() {
    let models = Models::new();
    let long = "x".repeat(300);
    for (args, code, words) in [
        (&["--context", "8", "--raw", "much too long"][..], 1, &["13", "context"][..]),
        (&["--raw", &long], 1, &["300", "256"]),
        (&["--context", "0", "x"], 1, &["a context of 0 tokens"]),
        (&["--temperature", "-1", "x"], 2, &["temperature", "at least 0"]),
        (&["--top-p", "1.5", "x"], 2, &["--top-p 1.5", "from 0 to 1"]),
        (&["--raw", ""], 1, &["no tokens"]),
    ] {
        let (out, err) = models.run(&[&["run", "-m", "tiny", "-n", "2"], args].concat(), code);
        assert_eq!(out.trim_end_matches('\n'), "", "{args:?}");
        assert_one_error(&err, words);
    }
    assert_one_error(&models.run(&["run", "-m", "nowhere", "x"], 1).1, &["nowhere", "pull"]);
}

#[test]
fn whoever_has_read_enough_may_close_the_pipe() {
    let models = Models::new();
    let mut command = models.command(&["run", "--raw", "-m", "tiny", "ab"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; 2]).unwrap();
    drop(out);
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!((child.wait().unwrap().code(), err.as_str()), (Some(0), ""));
}

#[test]
fn a_conversation_is_kept_saved_and_loaded() {
    let models = Models::new();
    let file = models.text("talk.json");
    let chat = ["chat", "-m", "tiny", "-n", "4", "--temperature", "0", "--json"];
    let input =
        format!("Hi\n\n/set top_k 5\nMore\\\nof it\n/save {file}\n/reset\nHi\n/fly\n/quit\nx\n");
    let (out, err) = models.run_with(&chat, &input, 0);
    let answers: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 3, "{out}");
    assert!(answers[0]["tokens"] == 4 && answers[0]["stop"] == "length", "{out}");
    // The second goes on from the first, whose tokens need not go through the model again.
    assert!(answers[1]["timings"]["reused_tokens"].as_u64() > Some(20), "{out}");
    // After a reset it is as at the beginning.
    assert_eq!(answers[2]["content"], answers[0]["content"]);
    assert!(err.contains("top_k 5") && err.contains("/fly: unknown"), "{err}");

    let saved: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(
        (&saved["model"], &saved["messages"][2]["content"]),
        (&"tiny".into(), &"More\nof it".into())
    );
    let (out, err) = models.run_with(&chat, &format!("/load {file}\nGo on\n"), 0);
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(answer["timings"]["prompt_tokens"].as_u64() > Some(80), "{out}");
    assert!(err.contains("4 messages"), "{err}");
    let (_, err) = models.run_with(&chat, "/load nowhere.json\n/set top_k x\n/set system\n", 0);
    assert!(err.contains("nowhere.json") && err.contains("top_k x"), "{err}");
}

#[test]
fn a_text_goes_on_from_a_saved_state() {
    let models = Models::new();
    let (first, second) = (models.text("first.state"), models.text("second.state"));
    let run = |args: &[&str]| {
        let usual = ["run", "--raw", "-m", "tiny", "--temperature", "0", "--json"];
        models.json(&[&usual[..], args].concat())
    };
    let whole = run(&["Once upon a time", "-n", "12"]);
    // The prompt alone, then some of the text, then the rest.
    let none = run(&["Once upon", "-n", "0", "--save-state", &first]);
    assert_eq!((&none["text"], &none["stop"]), (&"".into(), &"length".into()));
    let some = run(&[" a time", "-n", "5", "--state", &first, "--save-state", &second]);
    assert_eq!(some["timings"]["prompt_tokens"], "Once upon a time".len());
    assert_eq!(some["timings"]["reused_tokens"], "Once upon".len());
    let rest = run(&["", "-n", "7", "--state", &second]);
    let parts = [&some, &rest].map(|part| part["tokens"].as_array().unwrap().clone()).concat();
    assert_eq!(whole["tokens"], serde_json::Value::from(parts));
    // A state can be written over the one it came from.
    run(&["x", "-n", "1", "--state", &first, "--save-state", &first]);
    assert_eq!(run(&["y", "-n", "1", "--state", &first])["timings"]["reused_tokens"], 11);

    // What ends a text with special tokens in it, and what begins it, is not repeated.
    let special = run(&["<|im_end|>", "--special", "-n", "1", "--state", &first]);
    assert_eq!(special["timings"]["prompt_tokens"], 12);
    let left: Vec<_> = fs::read_dir(models.path("")).unwrap().collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn a_conversation_goes_on_from_a_saved_state() {
    let models = Models::new();
    let state = models.text("talk.state");
    let chat = |args: &[&str], input: &str| -> Vec<serde_json::Value> {
        let usual = ["chat", "-m", "tiny", "-n", "4", "--temperature", "0", "--json"];
        let (out, _) = models.run_with(&[&usual[..], args].concat(), input, 0);
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let first = chat(&["--save-state", &state], "Hi\n");
    let before = first[0]["timings"]["prompt_tokens"].as_u64().unwrap() + 4;
    let next = chat(&["--state", &state, "--save-state", &state], "More\n/reset\nMore\n/reset\n");
    for answer in &next {
        assert!(answer["timings"]["prompt_tokens"].as_u64() > Some(before + 20), "{answer}");
        assert!(answer["timings"]["reused_tokens"].as_u64() >= Some(before), "{answer}");
    }
    // A cleared conversation is back where it started, and so is what it saves.
    assert_eq!(next[0]["content"], next[1]["content"]);
    let again = chat(&["--state", &state], "More\n");
    assert_eq!((&again[0]["content"], again.len()), (&next[0]["content"], 1));
    assert_eq!(again[0]["timings"]["reused_tokens"], before);
}

#[test]
fn states_that_do_not_fit_are_refused() {
    let models = Models::new();
    let state = models.text("a.state");
    let save = ["run", "--raw", "-m", "tiny", "Once", "-n", "2", "--save-state"];
    models.run(&[&save[..], &[&state]].concat(), 0);
    let other = Tiny { seed: 2, ..Tiny::default() }.gguf(|_, _| {});
    fs::write(models.path("other.gguf"), other).unwrap();
    let bytes = fs::read(&state).unwrap();
    fs::write(models.path("short.state"), &bytes[..bytes.len() / 2]).unwrap();
    fs::write(models.path("text.state"), "just some text").unwrap();
    let [short, text, nowhere, no] =
        ["short.state", "text.state", "nowhere.state", "no/a.state"].map(|name| models.text(name));
    for (args, words) in [
        (
            &["-m", "other", "--state", &state][..],
            &["a.state", "the state is of another model"][..],
        ),
        (&["-m", "tiny", "--context", "4", "--state", &state], &["has 6 tokens", "room for 4"]),
        (&["-m", "tiny", "--cache", "f32", "--state", &state], &["f16", "f32"]),
        (&["-m", "tiny", "--state", &short], &["--state", "short.state"]),
        (&["-m", "tiny", "--state", &text], &["text.state", "just"]),
        (&["-m", "tiny", "--state", &nowhere], &["--state", "nowhere.state"]),
        (
            &["-m", "tiny", "--save-state", &no],
            &["--save-state", "no/a.state", "cannot be written"],
        ),
    ] {
        for command in [&["run", "--raw", "x"][..], &["chat", "--raw"]] {
            let (out, err) = models.run(&[command, args].concat(), 1);
            assert_eq!(out, "");
            assert_one_error(&err, words);
        }
    }
    assert_eq!(fs::read(&state).unwrap(), bytes);
}

#[test]
fn old_messages_make_room_and_raw_text_goes_on() {
    let models = Models::new();
    let chat = ["chat", "-m", "tiny", "-n", "4", "--context", "96", "--temperature", "0"];
    let input = format!("{}\n{}\n", "a".repeat(30), "b".repeat(30));
    let (out, err) = models.run_with(&chat, &input, 0);
    assert!(out.lines().count() >= 2 && err.contains("were dropped"), "{out}{err}");
    // One message that is too long by itself.
    let (_, err) = models.run_with(&chat, &"c".repeat(200), 1);
    assert_one_error(&err, &["context"]);
    let raw = ["chat", "--raw", "-m", "tiny", "-n", "4", "--seed", "1", "--json"];
    let (out, _) = models.run_with(&raw, "ab\ncd\n", 0);
    let answers: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(answers[1]["timings"]["prompt_tokens"].as_u64() > Some(4), "{out}");
}

#[test]
fn a_flag_that_is_none_is_not_taken_for_the_prompt() {
    let models = Models::new();
    let (_, err) = models.run(&["run", "-m", "tiny", "--temprature", "1"], 2);
    assert!(err.contains("--temprature") && err.contains("--temperature"), "{err}");
    // What follows `--` is no flag.
    let (text, _) = models.run(&["run", "--raw", "-m", "tiny", "-n", "3", "--", "-x"], 0);
    assert!(text.starts_with("-x"), "{text}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_the_answer_and_not_the_program() {
    use std::{
        io::{self, Write},
        process::Command,
    };
    let models = Models::new();
    // It would write for minutes, until the context is full.
    let args = ["chat", "--raw", "-m", "tiny", "--context", "100000", "--seed", "1"];
    let mut command = models.command(&args);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    let (mut input, mut out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    input.write_all(b"one\n").unwrap();
    // Once there is some of the answer, it can be stopped.
    out.read_exact(&mut [0; 100]).unwrap();
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    input.write_all(b"/set max_tokens 2\ntwo\n").unwrap();
    drop(input);
    io::copy(&mut out, &mut io::sink()).unwrap();
    let done = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{told}");
    assert_eq!(told.matches("stopped").count(), 1, "{told}");
}

#[test]
fn a_model_is_measured() {
    let models = Models::new();
    let svg = models.text("speed.svg");
    let args = ["bench", "model", "-m", "tiny", "-p", "16", "-n", "8", "-r", "2", "-d", "4"];
    let found = models.json(&[&args[..], &["--json", "--svg", &svg]].concat());
    for key in [
        "prefill_tokens_per_s",
        "decode_tokens_per_s",
        "first_token_ms",
        "peak_rss_bytes",
        "bandwidth_share",
        "load_ms",
    ] {
        assert!(found[key].as_f64().unwrap() > 0.0, "{key}: {found}");
    }
    assert_eq!(found["decode_ms"].as_array().unwrap().len(), 8);
    assert!(fs::read_to_string(&svg).unwrap().contains("<polyline"));
    assert_one_error(
        &models.run(&["bench", "model", "-m", "tiny", "-n", "0"], 2).1,
        &["max-tokens"],
    );
}
