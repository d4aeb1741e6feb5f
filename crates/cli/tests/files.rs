//! What commands do with the files of a model: inspect, tokenize, quantize, perplexity, embed, models.

mod common;
#[path = "common/tiny.rs"]
mod tiny;

use common::assert_one_error;
use std::fs;
use tiny::Models;

#[test]
fn a_model_is_found_by_name_and_by_path() {
    let models = Models::new();
    let path = models.text("tiny.gguf");
    for name in ["tiny", "TINY", "tiny.gguf", &path] {
        let found = models.json(&["inspect", name, "--json"]);
        assert_eq!((&found["architecture"], &found["format"]), (&"llama".into(), &"GGUF 3".into()));
    }
    assert_eq!(models.json(&["inspect", "--model", "tiny", "--json"])["files"][0], path);
    let (_, err) = models.run(&["inspect", "tinier"], 1);
    assert_one_error(&err, &["tinier: no such file or model", "did you mean \"tiny\"?"]);
    fs::write(models.path("broken.gguf"), b"GGUF\x03\0\0\0nonsense").unwrap();
    assert_one_error(&models.run(&["inspect", "broken"], 1).1, &["broken.gguf", "byte"]);
}

#[test]
fn memory_is_told_for_the_context_that_is_asked_for() {
    let models = Models::new();
    let memory = |context: &str, cache: &str| {
        let args = ["inspect", "tiny", "--context", context, "--cache", cache, "--json"];
        models.json(&args)["memory"]["kv_cache"].as_u64().unwrap()
    };
    let small = memory("100", "f16");
    assert_eq!((memory("200", "f16"), memory("100", "f32")), (2 * small, 2 * small));
    let (text, _) = models.run(&["inspect", "tiny", "--context", "100"], 0);
    for word in ["for 100 tokens", "general.architecture", "blk.1.ffn_down.weight", "64 × 96"] {
        assert!(text.contains(word), "{word}\n{text}");
    }
}

#[test]
fn tokens_go_there_and_back() {
    let models = Models::new();
    let (text, _) = models.run(&["tokenize", "-m", "tiny", "Hé<|end|>"], 0);
    // Bytes are tokens, and what looks special is not.
    assert_eq!(text.lines().count(), 3 + "<|end|>".len(), "{text}");
    assert!(text.contains("72  \"H\""), "{text}");
    let special = models.json(&["tokenize", "-m", "tiny", "a<|end|>", "--special", "--json"]);
    assert_eq!((&special["count"], &special["tokens"][1]["special"]), (&2.into(), &true.into()));
    assert_eq!(special["tokens"][1]["piece"], "<|end|>");
    let (piped, _) = models.run_with(&["tokenize", "-m", "tiny", "-"], "Hé<|end|>", 0);
    assert_eq!(piped, text);
    let numbers = "[72, 195 169]";
    assert_eq!(models.run(&["tokenize", "-m", "tiny", "--decode", numbers], 0).0, "Hé\n");
    let decoded = models.run_with(&["tokenize", "-m", "tiny", "--decode", "--json"], "72", 0);
    assert_eq!(decoded.0, "{\"text\":\"H\"}\n");
    for (numbers, code, word) in [("7x", 2, "7x: not a token id"), ("99999", 1, "99999")] {
        let (_, err) = models.run(&["tokenize", "-m", "tiny", "--decode", numbers], code);
        assert_one_error(&err, &[word]);
    }
}

#[test]
fn a_model_is_quantised_and_runs() {
    let models = Models::new();
    let out = models.text("small.gguf");
    let report = models.json(&["quantize", "tiny", &out, "q4_k_m", "--json"]);
    // Rows of 64 and 96 are not whole blocks of 256.
    assert!(report["dtypes"]["q5_0"].as_u64() > Some(0) && report["dtypes"]["q4_k"].is_null());
    assert_eq!(report["fallbacks"]["blk.1.attn_v.weight"], "q8_0");
    assert!(report["bytes_after"].as_u64() < report["bytes_before"].as_u64());
    let found = models.json(&["inspect", &out, "--json"]);
    assert_eq!(found["metadata"]["general.file_type"], 15);
    assert_eq!(found["metadata"]["general.quantization_version"], 2);
    let norm = |t: &&serde_json::Value| t["name"] == "output_norm.weight";
    let tensors = found["tensors"].as_array().unwrap();
    assert_eq!(tensors.iter().find(norm).unwrap()["dtype"], "f32");
    models.run(&["run", "--raw", "-m", "small", "ab", "-n", "4", "--temperature", "0"], 0);

    let before = fs::read(&out).unwrap();
    assert_one_error(&models.run(&["quantize", "tiny", &out, "Q8_0"], 1).1, &["--force", "small"]);
    assert_eq!(fs::read(&out).unwrap(), before);
    let (text, _) = models.run(&["quantize", "tiny", &out, "Q8_0", "--force"], 0);
    assert!(text.contains("Q8_0") && fs::read(&out).unwrap() != before, "{text}");
    // The file that is read can't be the one that is written.
    let tiny = models.text("tiny.gguf");
    assert_one_error(&models.run(&["quantize", "tiny", &tiny, "F16", "--force"], 1).1, &["tiny"]);
    assert_one_error(&models.run(&["quantize", "tiny", "x.gguf", "Q9"], 2).1, &["Q9", "Q4_K_M"]);
    let nowhere = models.text("no/where.gguf");
    assert_one_error(&models.run(&["quantize", "tiny", &nowhere, "F16"], 1).1, &["where.gguf"]);
}

#[cfg(target_os = "linux")]
#[test]
fn files_to_quantise_need_no_names_of_text_and_are_no_fifos() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt, process::Command};
    let models = Models::new();
    let (from, to) = (OsStr::from_bytes(b"caf\xe9.gguf"), OsStr::from_bytes(b"th\xe9.gguf"));
    fs::rename(models.path("tiny.gguf"), models.path("x").with_file_name(from)).unwrap();
    let to = models.path("x").with_file_name(to);
    // By its name in the store, and by its path.
    for from in [OsStr::from_bytes(b"caf\xe9"), models.path("x").with_file_name(from).as_os_str()] {
        let mut command = models.command(&["quantize", "--force", "--json"]);
        command.arg(from).arg(&to).arg("Q8_0");
        common::finish(command, 0);
        bessemer_llm::files::Gguf::open(&to).unwrap();
    }
    assert!(models.run(&["models", "--json"], 0).0.contains("caf\u{fffd}"));

    let fifo = models.text("fifo.gguf");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    for (from, what) in [(fifo.as_str(), "a FIFO"), ("/dev/zero", "a device"), ("/", "a directory")]
    {
        let (_, err) = models.run(&["quantize", from, "out.gguf", "Q8_0"], 1);
        assert_one_error(&err, &[from, &format!("it is {what}, not a regular file")]);
    }
    let mut onto = models.command(&["quantize", "--force"]);
    onto.arg(&to).args([&fifo, "Q8_0"]);
    assert_one_error(
        &common::finish(onto, 1).1,
        &["fifo.gguf", "it is a FIFO, not a regular file"],
    );
}

#[test]
fn perplexity_is_that_of_guessing_for_a_model_that_knows_nothing() {
    let models = Models::new();
    // A model whose logits are all alike gives every token the same chance.
    let blank = bessemer_llm::tiny::Tiny::default().gguf(|name, values| {
        if name == "output_norm.weight" {
            values.fill(0.0);
        }
    });
    fs::write(models.path("blank.gguf"), blank).unwrap();
    let text = models.text("text.txt");
    fs::write(&text, "The quick brown fox jumps over the lazy dog. ".repeat(8)).unwrap();
    let args = ["perplexity", &text, "-m", "blank", "--context", "64", "--json"];
    let found = models.json(&args);
    assert!((found["perplexity"].as_f64().unwrap() - 259.0).abs() < 0.01, "{found}");
    // 360 bytes are 5 windows of 64; of each, 31 tokens are scored.
    assert_eq!((&found["windows"], &found["scored"]), (&5.into(), &155.into()));
    let (line, _) = models.run(&["perplexity", &text, "-m", "tiny", "--context", "64"], 0);
    assert!(line.starts_with("perplexity ") && line.contains("5 windows of 64"), "{line}");
    let (_, err) = models.run(&["perplexity", &text, "-m", "tiny"], 1);
    assert_one_error(&err, &["text.txt", "360 tokens", "--context of at most 180"]);
    let (_, err) = models.run(&["perplexity", "nowhere.txt", "-m", "tiny"], 1);
    assert_one_error(&err, &["nowhere.txt"]);
}

#[test]
fn texts_become_vectors() {
    let models = Models::new();
    let vector = |text: &str| -> Vec<f64> {
        text.split(' ').map(|number| number.parse().unwrap()).collect()
    };
    let length = |vector: &[f64]| vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (text, err) = models.run(&["embed", "-m", "tiny", "a cat", "a dog"], 0);
    assert_eq!(err, "");
    let vectors: Vec<Vec<f64>> = text.lines().map(vector).collect();
    assert!(vectors.len() == 2 && vectors.iter().all(|vector| vector.len() == 64), "{text}");
    assert!(vectors.iter().all(|vector| (length(vector) - 1.0).abs() < 1e-6), "{text}");
    let (long, _) = models.run(&["embed", "-m", "tiny", "a cat", "--no-normalize"], 0);
    let long = vector(long.trim_end());
    assert!(length(&long) > 1.5);
    let scaled = long.iter().map(|x| x / length(&long));
    assert!(scaled.zip(&vectors[0]).all(|(a, b)| (a - b).abs() < 1e-6));

    // However the texts come, and whatever came before them.
    let file = models.text("texts.txt");
    fs::write(&file, "a cat\r\na dog\n").unwrap();
    assert_eq!(models.run(&["embed", "-m", "tiny", "--file", &file], 0).0, text);
    for args in [&["embed", "-m", "tiny"][..], &["embed", "-m", "tiny", "-"]] {
        assert_eq!(models.run_with(args, "a cat\na dog", 0).0, text);
    }
    let one = models.run(&["embed", "-m", "tiny", "a dog"], 0).0;
    assert_eq!(Some(one.trim_end()), text.lines().nth(1));

    let found = models.json(&["embed", "-m", "tiny", "a cat", "a dog", "--similarity", "--json"]);
    assert_eq!((&found["model"], &found["dimensions"]), (&"tiny".into(), &64.into()));
    assert_eq!(found["normalized"], true);
    assert_eq!(
        (&found["embeddings"][1]["text"], &found["embeddings"][1]["tokens"]),
        (&"a dog".into(), &5.into())
    );
    assert_eq!(found["embeddings"][0]["embedding"].as_array().unwrap().len(), 64);
    let alike = found["similarity"][0][1].as_f64().unwrap();
    let dot: f64 = vectors[0].iter().zip(&vectors[1]).map(|(a, b)| a * b).sum();
    assert!((alike - dot).abs() < 1e-6 && alike < 0.9999, "{alike} {dot}");
    assert_eq!(found["similarity"][1][0], found["similarity"][0][1]);
    let (table, _) = models.run(&["embed", "-m", "tiny", "a cat", "a  dog", "--similarity"], 0);
    let lines: Vec<Vec<&str>> =
        table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["1", "2", "text"], "{table}");
    assert_eq!((lines[1][1], lines[2][2]), ("1.0000", "1.0000"), "{table}");
    assert_eq!((lines[1][2], &lines[2][3..]), (lines[2][1], &["a", "dog"][..]), "{table}");
}

#[test]
fn what_cannot_be_embedded_is_told() {
    let models = Models::new();
    let long = "x".repeat(300);
    for (args, code, words) in [
        (&["a", "--similarity"][..], 2, &["--similarity", "one text"][..]),
        (&["a", ""], 1, &["text 2", "no tokens"]),
        (&["a", &long], 1, &["text 2", "xxx…", "300", "256"]),
        (&["--file", "nowhere.txt"], 1, &["nowhere.txt: cannot be read"]),
    ] {
        let (out, err) = models.run(&[&["embed", "-m", "tiny"], args].concat(), code);
        assert_eq!(out, "");
        assert_one_error(&err, words);
    }
    let (_, err) = models.run_with(&["embed", "-m", "tiny"], "", 2);
    assert_one_error(&err, &["no text was given"]);
    let (_, err) = models.run(&["embed", "x", "--file", "y"], 2);
    assert!(err.contains("cannot be used with"), "{err}");
}

#[test]
fn models_are_listed_with_what_they_are() {
    let models = Models::new();
    let list = models.json(&["models", "--json"]);
    let found = list["models"].as_array().unwrap().iter().find(|m| m["name"] == "tiny").unwrap();
    assert_eq!((&found["architecture"], &found["format"]), (&"llama".into(), &"GGUF 3".into()));
    assert_eq!(
        (&found["built_in"], &found["path"]),
        (&false.into(), &models.text("tiny.gguf").into())
    );
    assert!(models.run(&["models"], 0).0.contains("mostly f32"));
}
