//! The settings' declared defaults and ranges hold.

use super::*;
use serde_json::json;

#[test]
fn defaults_are_what_is_said_of_them() {
    let options = GenerateOptions::default();
    for setting in &SETTINGS {
        let shown = setting.show(&options);
        let said = match setting.default {
            "" => "none",
            said if said.starts_with("off, or") || said.starts_with("until") => "none",
            "random" => "0",
            said => said,
        };
        assert_eq!(shown, said, "{}", setting.name);
        assert!(!setting.help.ends_with('.') && !setting.rule.is_empty(), "{}", setting.name);
        setting.check(&options.sampling, 10).unwrap();
    }
}

#[test]
fn what_is_set_is_shown() {
    let mut options = GenerateOptions::default();
    for (name, value) in [
        ("max_tokens", "7"),
        ("temperature", "0.25"),
        ("top_k", "3"),
        ("top_p", "0.5"),
        ("min_p", "0.125"),
        ("seed", "18446744073709551615"),
        ("repeat_penalty", "1.5"),
        ("presence_penalty", "-2"),
        ("frequency_penalty", "0.5"),
        ("repeat_last_n", "-1"),
        ("typical_p", "0.75"),
        ("mirostat_tau", "3"),
        ("mirostat_eta", "0.5"),
        ("logit_bias", "7=-inf"),
        ("lookup", "on"),
    ] {
        options.set(name, value).unwrap();
        assert_eq!(options.get(name).as_deref(), Some(value), "{name}");
    }
    options.set("stop", "a b").unwrap();
    options.set("stop", "c").unwrap();
    assert_eq!(options.stop, ["a b", "c"]);
    for name in ["stop", "max_tokens", "mirostat_eta", "logit_bias"] {
        options.set(name, "none").unwrap();
        assert_eq!(options.get(name), None, "{name}");
    }
    options.set("typical", "0.5").unwrap();
    assert_eq!(options.sampling.typical_p, 0.5);
    for (name, value) in [
        ("top_k", "-2"),
        ("max_tokens", "-2"),
        ("seed", "-2"),
        ("top_k", "none"),
        ("lookup", "maybe"),
        ("logit_bias", "7"),
        ("stop", ""),
        ("repeat_last_n", "-2"),
    ] {
        let error = options.set(name, value).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{name} {value}: not ")), "{error}");
    }
    let error = options.set("top_q", "1").unwrap_err().to_string();
    assert!(error.contains("top_q"), "{error}");
}

#[test]
fn json_sets_the_same() {
    let mut options = GenerateOptions::default();
    let set =
        |options: &mut GenerateOptions, value: Value| options.set_json(value.as_object().unwrap());
    let all = json!({
        "max_tokens": 5, "temperature": 0, "stop": "none", "lookup": true, "repeat_last_n": -1,
        "logit_bias": { "1": -5, "2": "-inf" }, "mirostat_tau": 2.5,
    });
    set(&mut options, all).unwrap();
    assert_eq!((options.max_tokens, &options.stop[..]), (Some(5), &["none".to_owned()][..]));
    assert_eq!(options.sampling.logit_bias, [(1, -5.0), (2, f32::NEG_INFINITY)]);
    assert!(options.lookup && options.sampling.penalty_window == usize::MAX);
    set(&mut options, json!({ "max_tokens": null, "stop": ["a", "b"], "top_k": null })).unwrap();
    assert_eq!((options.max_tokens, options.stop.len()), (None, 2));
    for wrong in [json!({ "top_k": 1.5 }), json!({ "seed": [1] }), json!({ "nothing": 1 })] {
        let mut wrong = wrong;
        wrong["temperature"] = json!(1.5);
        assert!(set(&mut options, wrong).is_err());
        assert_eq!(options.sampling.temperature, 0.0, "nothing is changed");
    }
}

#[test]
fn minus_one_is_what_other_programs_mean_by_it() {
    let mut options = GenerateOptions { max_tokens: Some(5), ..GenerateOptions::default() };
    options.set("max_tokens", "-1").unwrap();
    options.set("top_k", "-1").unwrap();
    assert_eq!((options.max_tokens, options.sampling.top_k), (None, 0));
    let value = json!({ "n_predict": -1, "seed": -1, "top_k": -1, "temp": 0.5 });
    let seeds: Vec<u64> = (0..4)
        .map(|_| {
            options.set_json(value.as_object().unwrap()).unwrap();
            options.sampling.seed
        })
        .collect();
    assert!(seeds.iter().any(|&seed| seed != seeds[0]), "{seeds:?}");
    assert_eq!(options.sampling.temperature, 0.5);
}
