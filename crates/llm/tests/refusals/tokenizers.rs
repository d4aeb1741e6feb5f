//! Refusals of tokenizers: of files, of texts and of tokens.

use bessemer_llm::{
    files::{
        Gguf, GgufWriter,
        gguf::{Array, Value},
    },
    tokenizer::{Encode, Tokenizer},
};
use serde_json::{Value as Json, json};

pub(crate) fn said() -> Vec<String> {
    let mut said: Vec<String> = parts().into_iter().map(|part| json_error(&file(part))).collect();
    said.extend(models().into_iter().map(|model| json_error(&json!({ "model": model }))));
    said.push(Tokenizer::from_json("tokenizer.json", b"{").err().unwrap().to_string());
    said.extend(gguf());
    said.extend(vocabularies());
    said.extend(used());
    said
}

fn json_error(file: &Json) -> String {
    Tokenizer::from_json("tokenizer.json", file.to_string().as_bytes()).err().unwrap().to_string()
}

/// A small tokenizer with these parts.
fn file(parts: Json) -> Json {
    let mut file = json!({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}});
    for (key, value) in parts.as_object().unwrap() {
        file[key] = value.clone();
    }
    file
}

fn parts() -> Vec<Json> {
    let normalizer = |value: Json| json!({ "normalizer": value });
    let splits = |value: Json| json!({ "pre_tokenizer": value });
    let decoder = |value: Json| json!({ "decoder": value });
    let after = |value: Json| json!({ "post_processor": value });
    let split =
        |regex: &str| json!({"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated"});
    let steps = |key: &str, step: Json, count: usize| {
        let mut steps = json!({"type": "Sequence"});
        steps[key] = vec![step; count].into();
        steps
    };
    let nested = (0..12).fold(json!({"type": "NFC"}), |step, _| steps("normalizers", step, 1));
    let added = |tokens: Vec<Json>| json!({ "added_tokens": tokens });
    let name = |id: usize| format!("{id:0>400}");
    vec![
        normalizer(json!({"type": "Shout"})),
        normalizer(json!({"type": "Sequence"})),
        normalizer(json!({"type": "Strip", "strip_left": 7})),
        normalizer(json!({"type": "Precompiled", "precompiled_charsmap": "*"})),
        normalizer(json!({"type": "Precompiled", "precompiled_charsmap": "AAA="})),
        normalizer(json!({"type": "Precompiled", "precompiled_charsmap": "//8AAAAA"})),
        normalizer(json!({"type": "Prepend", "prepend": "x".repeat(3 << 20)})),
        normalizer(nested),
        normalizer(steps("normalizers", json!({"type": "NFC"}), 65)),
        normalizer((0..200).fold(json!(1), |inner, _| json!([inner]))),
        splits(json!({"type": "Shout"})),
        splits(json!({"type": "FixedLength", "length": 0})),
        splits(split("(")),
        splits(split(&"a".repeat(10_000))),
        splits(steps("pretokenizers", split("a"), 17)),
        splits(steps("pretokenizers", split("a(?!b)"), 5)),
        decoder(json!({"type": "Shout"})),
        decoder(
            json!({"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "ByteFallback"}]}),
        ),
        decoder(json!({"type": "Sequence", "decoders": [{"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 0, "stop": 1}]})),
        decoder(json!({"type": "Strip", "content": " ", "start": 99, "stop": 1})),
        after(json!({"type": "Shout"})),
        after(json!({"type": "BertProcessing", "cls": ["a", 0], "sep": ["b", 7]})),
        after(json!({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "b"}}]})),
        after(json!({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "b"}}],
            "special_tokens": {"b": {"ids": vec![0; 2000]}}})),
        added(vec![json!({"id": 1, "content": "x".repeat(600)})]),
        added((1..6000).map(|id| json!({"id": id, "content": name(id)})).collect()),
        added(vec![json!({}); (1 << 17) + 1]),
        json!({"normalizer": {"type": "Replace", "pattern": {"String": "a"}, "content": "b".repeat(999)},
            "added_tokens": [{"id": 1, "content": "aa", "normalized": true}]}),
    ]
}

fn models() -> Vec<Json> {
    let bpe = |vocab: Json, merges: Json| json!({"type": "BPE", "vocab": vocab, "merges": merges});
    let long = "x".repeat(20);
    let pieces: serde_json::Map<String, Json> =
        (0..4200).map(|id| (format!("{id:0>4000}"), id.into())).collect();
    vec![
        json!({"type": "Shout", "vocab": {}}),
        json!({"type": "BPE", "vocab": {}, "merges": 7}),
        bpe(json!([]), json!([])),
        bpe(json!({"a": 0, "b": 0}), json!([])),
        bpe(json!({"a": 4_000_000}), json!([])),
        bpe(json!({"a": 0}), json!(["aa"])),
        bpe(json!({"a": 0}), json!(["a b"])),
        bpe(json!({"x".repeat(5000): 0}), json!([])),
        bpe(pieces.into(), json!([])),
        json!({"type": "BPE", "vocab": {"a": 0}, "merges": [], "end_of_word_suffix": long}),
        json!({"type": "WordPiece", "vocab": {"a": 0}, "max_input_chars_per_word": 5000}),
        json!({"type": "Unigram", "vocab": [["a", 0.0]], "unk_id": 7}),
    ]
}

/// What is said of a GGUF file with these keys of a tokenizer.
fn of(keys: &[(&str, Value)]) -> String {
    let mut writer = GgufWriter::new();
    for (key, value) in keys {
        writer.set(&format!("tokenizer.ggml.{key}"), value.clone());
    }
    let file = Gguf::from_bytes(writer.to_bytes(&[]).unwrap()).unwrap();
    Tokenizer::from_gguf(&file).err().unwrap().to_string()
}

fn gguf() -> Vec<String> {
    let tokens = || ("tokens", Value::from(Array::of_strings(["a", "b"])));
    let model = |name: &str| ("model", Value::from(name));
    let merges = |merge: &str| ("merges", Value::from(Array::of_strings([merge])));
    let many = vec![""; (1 << 21) + 1];
    // Each starts in its own way, and goes on for long.
    let long = (0..2120).map(|id| format!("{id:04}{:x<3996}", ""));
    vec![
        of(&[]),
        of(&[model("plamo2"), tokens()]),
        of(&[model("rwkv"), ("tokens", Array::of_strings([r"\x4"]).into())]),
        of(&[model("rwkv"), ("tokens", Array::of_strings([r"a\"]).into())]),
        of(&[model("rwkv"), ("tokens", Array::of_strings(long).into())]),
        of(&[model("llama"), ("tokens", Array::of_i32([1]).into())]),
        of(&[model("llama"), tokens(), ("scores", Array::of_f32([1.0]).into())]),
        of(&[model("llama"), tokens(), ("bos_token_id", 7u32.into())]),
        of(&[model("llama"), ("tokens", Array::of_strings(&many).into())]),
        of(&[
            model("llama"),
            ("tokens", Array::of_strings([&b"\xff"[..]]).into()),
            ("token_type", Array::of_i32([3]).into()),
        ]),
        of(&[
            model("llama"),
            ("tokens", Array::of_strings(&many[..1 << 18]).into()),
            ("token_type", Array::of_i32(vec![3; 1 << 18]).into()),
        ]),
        of(&[model("gpt2"), tokens(), ("pre", "shouting".into())]),
        of(&[model("gpt2"), tokens(), ("merges", Array::of_i32([1]).into())]),
        of(&[model("gpt2"), tokens(), merges("ab")]),
        of(&[model("gpt2"), tokens(), ("merges", Array::of_strings(&many).into())]),
    ]
}

fn vocabularies() -> Vec<String> {
    let said = |text: &[u8]| Tokenizer::from_world("vocab.txt", text).err().unwrap().to_string();
    [
        "",
        "1 'a'",
        "0 'a' 1",
        "1 'a' 1\n1 'b' 1",
        "3000000 'a' 1",
        "1 'é' 1",
        "1 a 1",
        r"1 '\q' 1",
        "1 b'é' 2",
        "1 'a'b' 3",
        r"1 'a\' 2",
    ]
    .map(|text| said(text.as_bytes()))
    .into_iter()
    .chain([said(b"1 '\xFF' 1")])
    .collect()
}

fn used() -> Vec<String> {
    let tokenizer = |parts: Json| {
        Tokenizer::from_json("tokenizer.json", file(parts).to_string().as_bytes()).unwrap()
    };
    let grows = tokenizer(json!({"normalizer": {"type": "Replace", "pattern": {"String": "a"},
        "content": "a".repeat(999)}}));
    let goes_back = tokenizer(json!({"pre_tokenizer": {"type": "Split",
        "pattern": {"Regex": "(a*)*\\1b"}, "behavior": "Isolated"}}));
    let encode = |tokenizer: &Tokenizer, text: &str| {
        tokenizer.encode(text, Encode::PLAIN).unwrap_err().to_string()
    };
    vec![
        grows.encode_bytes(b"a\xFF").unwrap_err().to_string(),
        grows.decode(&[7]).unwrap_err().to_string(),
        encode(&grows, &"a".repeat(20)),
        encode(&goes_back, &"a".repeat(5000)),
    ]
}
