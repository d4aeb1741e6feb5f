//! Every kind of tokenizer against the library that made its file, on texts of every script.
//! `fixtures/make.py` writes what is compared.

use bessemer_llm::{
    files::Gguf,
    tokenizer::{Encode, Tokenizer},
};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn texts() -> Vec<String> {
    serde_json::from_slice(&std::fs::read(fixtures().join("texts.json")).unwrap()).unwrap()
}

/// Tokens with special ones found (where the other library can), tokens with affixes and none
/// found, text of the first there is.
type Expected = (Option<Vec<u32>>, Vec<u32>, String);

fn open(name: &str) -> Tokenizer {
    let path = |kind: &str| fixtures().join(format!("tokenizers/{name}.{kind}"));
    match ["json", "txt"].map(path).into_iter().find(|path| path.exists()) {
        Some(path) => Tokenizer::open(path).unwrap(),
        None => Tokenizer::from_gguf(&Gguf::open(path("gguf")).unwrap()).unwrap(),
    }
}

fn expected<T: DeserializeOwned>(name: &str) -> T {
    let path = fixtures().join(format!("tokenizers/{name}.expected"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn check(name: &str) {
    let tokenizer = open(name);
    // A vocabulary that is there in another form too is held to the same in both.
    let expected: Vec<Expected> = expected(match name {
        "spm_gguf" => name,
        _ => name.trim_end_matches("_gguf"),
    });
    let texts = texts();
    assert_eq!(texts.len(), expected.len());
    let mut wrong = Vec::new();
    for (text, (trusted, plain, decoded)) in texts.iter().zip(&expected) {
        let found = tokenizer.encode(text, Encode::TRUSTED).unwrap();
        if let Some(trusted) = trusted
            && found != *trusted
        {
            wrong.push(format!("{text:?}\n   is {found:?}\n  not {trusted:?}"));
            continue;
        }
        let found = tokenizer.encode(text, Encode::TEXT).unwrap();
        if found != *plain {
            wrong.push(format!("{text:?} as plain text\n   is {found:?}\n  not {plain:?}"));
        }
        let tokens = trusted.as_ref().unwrap_or(plain);
        let found = tokenizer.decode(tokens).unwrap();
        if found != *decoded {
            wrong.push(format!("{text:?} decodes\n   to {found:?}\n  not {decoded:?}"));
        }
        let mut stream = tokenizer.stream();
        let mut streamed = String::new();
        for &token in tokens {
            streamed += &stream.push(token).unwrap();
        }
        streamed += &stream.finish();
        assert_eq!(streamed, found, "in a stream");
    }
    let count = wrong.len();
    wrong.truncate(8);
    assert!(wrong.is_empty(), "{name}: {count} of {}:\n{}", texts.len(), wrong.join("\n"));
}

macro_rules! kinds {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*
    };
}

kinds!(
    gpt2,
    roberta,
    llama3,
    qwen2,
    neox,
    smollm,
    starcoder,
    default,
    deepseek_llm,
    deepseek3,
    deepseek_coder,
    falcon,
    llama2,
    gemma,
    unigram,
    unigram_bytes,
    bert,
    clip,
    word_level,
    spm_gguf,
    gpt2_gguf,
    llama3_gguf,
    qwen2_gguf,
    neox_gguf,
    smollm_gguf,
    starcoder_gguf,
    default_gguf,
    deepseek_llm_gguf,
    deepseek3_gguf,
    deepseek_coder_gguf,
    falcon_gguf,
    world,
    world_gguf,
);

/// RWKV's package takes any bytes, and so do we.
#[test]
fn world_takes_bytes_that_are_no_text() {
    for tokenizer in [open("world"), open("world_gguf")] {
        for (hex, tokens) in expected::<Vec<(String, Vec<u32>)>>("world_bytes") {
            let digits = hex.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap());
            let bytes: Vec<u8> = digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
            assert_eq!(tokenizer.encode_bytes(&bytes).unwrap(), tokens, "{hex}");
            assert_eq!(tokenizer.decode_bytes(&tokens).unwrap(), bytes, "{hex}");
        }
    }
    let error = open("gpt2").encode_bytes(b"\xFF").unwrap_err().to_string();
    assert!(error.contains("they are not UTF-8"), "{error}");
}

#[test]
fn world_has_two_ends_and_one_special_token() {
    for tokenizer in [open("world"), open("world_gguf")] {
        let turn = tokenizer.token("\n\n").unwrap();
        assert_eq!((tokenizer.bos(), tokenizer.eos()), (Some(0), Some(0)));
        assert!(tokenizer.is_end(0) && tokenizer.is_special(0));
        assert!(tokenizer.is_end(turn) && !tokenizer.is_special(turn));
        assert_eq!(tokenizer.affixes(), (&[][..], &[][..]));
        // Only a template can begin a text.
        assert_eq!(tokenizer.encode("<s>a", Encode::TRUSTED).unwrap()[0], 0);
        assert!(!tokenizer.encode("<s>a", Encode::TEXT).unwrap().contains(&0));
        // What fills the vocabulary up is no text.
        assert!(tokenizer.piece(401).unwrap().starts_with(b"[PAD"));
        let text = tokenizer.encode("[PAD401]", Encode::TRUSTED).unwrap();
        assert!(!text.contains(&401) && tokenizer.decode(&text).unwrap() == "[PAD401]");
    }
    assert_eq!(open("world").len(), 1204);
    assert_eq!(open("world_gguf").len(), 1209);
}

#[test]
fn what_bytes_and_pieces_say_goes_both_ways() {
    for name in ["gpt2", "llama2", "smollm", "world"] {
        let tokenizer = open(name);
        // To SentencePiece a visible space is a space.
        let texts = texts().into_iter();
        for text in texts.filter(|text| name != "llama2" || !text.contains('▁')) {
            let tokens = tokenizer.encode(&text, Encode::PLAIN).unwrap();
            assert_eq!(tokenizer.decode_bytes(&tokens).unwrap(), text.as_bytes(), "{name}");
        }
    }
}

#[test]
fn a_megabyte_of_one_letter_is_no_trap() {
    let text = "a".repeat(1 << 20);
    for name in ["gpt2", "llama2", "unigram", "bert", "clip", "spm_gguf", "world"] {
        let tokenizer = open(name);
        // Quadratic work would take hours.
        assert!(!tokenizer.encode(&text, Encode::PLAIN).unwrap().is_empty());
        assert!(
            !tokenizer.encode(&" ".repeat(1 << 20), Encode::PLAIN).unwrap().is_empty()
                || name != "gpt2"
        );
    }
}

#[test]
fn tokens_that_do_not_exist_are_refused() {
    let tokenizer = open("gpt2");
    let error = tokenizer.decode(&[0, 99_999]).unwrap_err().to_string();
    assert!(error.contains("99999") && error.contains("800"), "{error}");
    assert!(tokenizer.stream().push(u32::MAX).is_err());
}
