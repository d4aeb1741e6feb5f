//! The flags of how tokens are chosen, and `/set` of the same.

mod common;
#[path = "common/tiny.rs"]
mod tiny;

use common::assert_one_error;
use serde_json::Value;
use std::collections::HashSet;
use tiny::Models;

const TOKENS: usize = 32;

/// No end before that.
const NO_END: &str = "256=-inf";

/// What `run` says with these flags, as JSON.
fn run(models: &Models, flags: &[&str]) -> Value {
    let count = TOKENS.to_string();
    let args = ["run", "--raw", "-m", "tiny", "-n", &count, "--json", "abcabcabcabc"];
    models.json(&[&args[..], &["--logit-bias", NO_END], flags].concat())
}

fn tokens(models: &Models, flags: &[&str]) -> Vec<u64> {
    let found = run(models, flags);
    found["tokens"].as_array().unwrap().iter().map(|token| token.as_u64().unwrap()).collect()
}

fn greedy(models: &Models, flags: &[&str]) -> Vec<u64> {
    tokens(models, &[&["--temperature", "0"], flags].concat())
}

/// As the model says, with nothing cut off.
fn wild(models: &Models, flags: &[&str]) -> Vec<u64> {
    let all = ["--temperature", "1", "--top-k", "0", "--top-p", "1", "--min-p", "0"];
    tokens(models, &[&all[..], flags].concat())
}

fn different(tokens: &[u64]) -> usize {
    tokens.iter().collect::<HashSet<_>>().len()
}

#[test]
fn a_bias_forbids_a_token_or_forces_it() {
    let models = Models::new();
    let usual = greedy(&models, &[]);
    let without = greedy(&models, &["--logit-bias", &format!("{}=-inf", usual[0])]);
    assert!(!without.contains(&usual[0]), "{without:?}");
    let only = greedy(&models, &["--logit-bias", &format!("{}=1e6", without[0])]);
    assert_eq!(only, [without[0]; TOKENS]);
    // Several flags: each counts.
    let (first, second) = (format!("{}=-inf", usual[0]), format!("{}=-inf", without[0]));
    let neither = greedy(&models, &["--logit-bias", &first, "--logit-bias", &second]);
    assert!(!neither.contains(&usual[0]) && !neither.contains(&without[0]), "{neither:?}");
}

#[test]
fn penalties_keep_a_text_from_repeating_itself_as_far_as_they_look_back() {
    let models = Models::new();
    let usual = greedy(&models, &[]);
    assert!(different(&usual) < usual.len(), "{usual:?}");
    for flag in ["--presence-penalty", "--frequency-penalty"] {
        let found = greedy(&models, &[flag, "1e6"]);
        assert_eq!(different(&found), found.len(), "{flag}: {found:?}");
        assert_eq!(greedy(&models, &[flag, "1e6", "--repeat-last-n", "0"]), usual, "{flag}");
        let one = greedy(&models, &[flag, "1e6", "--repeat-last-n", "1"]);
        assert!(one.windows(2).all(|pair| pair[0] != pair[1]), "{flag}: {one:?}");
        assert!(different(&one) < one.len(), "{flag}: {one:?}");
    }
    let repeat = |window| greedy(&models, &["--repeat-penalty", "3", "--repeat-last-n", window]);
    let all = repeat("-1");
    assert!(different(&all) > different(&usual), "{all:?}");
    assert_eq!(repeat("1000"), all);
    assert_eq!(repeat("0"), usual);
}

#[test]
fn typical_tokens_and_mirostat_leave_out_what_they_should() {
    let models = Models::new();
    let seeds =
        |flags: &[&str]| ["1", "2"].map(|seed| wild(&models, &[flags, &["--seed", seed]].concat()));
    let [first, second] = seeds(&[]);
    assert_ne!(first, second);
    // So little probability is one token's, whatever is drawn.
    let [first, second] = seeds(&["--typical-p", "0.0001"]);
    assert_eq!(first, second);
    // Hardly any surprise: the likeliest.
    let [first, second] = seeds(&["--mirostat-tau", "0.01", "--mirostat-eta", "0.001"]);
    assert_eq!((&first, &first), (&second, &greedy(&models, &[])));
    // More of it: not the likeliest, and the same for the same seed.
    let [first, second] = seeds(&["--mirostat-tau", "6"]);
    assert_ne!(first, second);
    assert_eq!(seeds(&["--mirostat-eta", "0.1", "--mirostat-tau", "6"]), [first, second]);
}

#[test]
fn speculative_decoding_changes_nothing() {
    let models = Models::new();
    let drawn = ["--temperature", "0.1", "--seed", "5", "--frequency-penalty", "0.01"];
    for flags in [&["--temperature", "0"][..], &drawn] {
        let plain = run(&models, flags);
        assert_eq!(plain["timings"]["drafted_tokens"], 0);
        let speculative = run(&models, &[flags, &["--lookup"]].concat());
        for key in ["text", "tokens", "stop"] {
            assert_eq!(speculative[key], plain[key], "{flags:?}");
        }
        assert!(
            speculative["timings"]["drafted_tokens"].as_u64() > Some(0),
            "{flags:?}: {speculative}"
        );
    }
}

#[test]
fn a_stop_string_ends_the_text() {
    let models = Models::new();
    let flags = ["--temperature", "0"];
    let whole = run(&models, &flags);
    let whole = whole["text"].as_str().unwrap();
    // A part from the middle, across tokens, which are bytes.
    let part: String = whole.chars().skip(2).take(2).collect();
    let found = run(&models, &[&flags[..], &["--stop", "nowhere", "--stop", &part]].concat());
    assert_eq!(found["stop"], "stop");
    assert_eq!(found["text"], whole[..whole.find(&part).unwrap()]);
}

#[test]
fn a_value_out_of_range_names_its_flag() {
    let models = Models::new();
    for (flag, value, rule) in [
        ("--typical-p", "1.5", "from 0 to 1"),
        ("--mirostat-tau", "-3", "above 0"),
        ("--mirostat-eta", "2", "up to 1"),
        ("--repeat-penalty", "0", "above 0"),
        ("--presence-penalty", "inf", "finite"),
        ("--frequency-penalty", "nan", "finite"),
        ("--logit-bias", "5=inf", "minus infinity"),
        ("--logit-bias", "99999=1", "a token of the vocabulary"),
    ] {
        let (out, err) = models.run(&["run", "--raw", "-m", "tiny", flag, value, "x"], 2);
        assert_eq!(out, "", "{flag}");
        assert_one_error(&err, &[flag, rule]);
    }
    for (flag, value) in [
        ("--repeat-last-n", "-2"),
        ("--logit-bias", "5"),
        ("--logit-bias", "a=1"),
        ("--mirostat-tau", "x"),
        ("--stop", ""),
    ] {
        for command in ["run", "chat"] {
            let (_, err) = models.run(&[command, "-m", "tiny", flag, value], 2);
            assert!(err.starts_with("error: ") && err.contains(flag), "{flag} {value}: {err}");
        }
    }
}

#[test]
fn help_shows_the_common_flags_first() {
    let models = Models::new();
    for command in ["run", "chat"] {
        let (help, _) = models.run(&[command, "--help"], 0);
        let (common, finer) = help.split_once("Advanced sampling:").unwrap();
        for flag in ["--model", "--temperature", "--top-k", "--seed", "--stop", "--json"] {
            assert!(common.contains(flag) && !finer.contains(&format!("  {flag}")), "{flag}");
        }
        for flag in ["--typical-p", "--repeat-last-n", "--logit-bias", "--lookup"] {
            assert!(finer.contains(flag) && !common.contains(flag), "{flag}: {help}");
        }
    }
}

#[test]
fn chat_sets_the_same() {
    let models = Models::new();
    let chat = ["chat", "--raw", "-m", "tiny", "-n", "8", "--temperature", "0", "--json"];
    let usual = models.run_with(&chat, "ab\n", 0).0;
    let usual: Value = serde_json::from_str(&usual).unwrap();
    let input = "/set presence_penalty 1.5\n/set repeat_last_n -1\n/set mirostat_tau 3\n\
                 /set logit_bias 7=2\n/set logit_bias 7=-inf\n/set stop END\n/set lookup on\n\
                 /set typical_p 2\n/set logit_bias 7\n/set lookup maybe\n/set mirostat_eta 0\nab\n";
    let (out, err) = models.run_with(&chat, input, 0);
    let shown = "repeat_penalty 1, presence_penalty 1.5, frequency_penalty 0, repeat_last_n -1, \
                 typical_p 1, mirostat_tau 3, mirostat_eta 0.1, logit_bias 7=-inf, lookup on";
    assert!(err.contains(shown) && err.contains("stop \"END\""), "{err}");
    for wrong in ["typical_p 2", "logit_bias 7", "lookup maybe", "mirostat_eta 0"] {
        assert!(err.contains(&format!("/set {wrong}: not ")), "{wrong}: {err}");
    }
    // And it counts.
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_ne!(answer["content"], usual["content"]);
}
