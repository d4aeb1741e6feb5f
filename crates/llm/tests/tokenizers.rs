//! Every kind of tokenizer against the library that made its file, on texts of every script.
//! `fixtures/make.py` writes what is compared.

use bessemer_llm::{
    files::Gguf,
    tokenizer::{Encode, Tokenizer},
};
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

fn check(name: &str) {
    let folder = fixtures().join("tokenizers");
    let json = folder.join(format!("{name}.json"));
    let tokenizer = if json.exists() {
        Tokenizer::open(json).unwrap()
    } else {
        let file = Gguf::open(folder.join(format!("{name}.gguf"))).unwrap();
        Tokenizer::from_gguf(&file).unwrap()
    };
    // A vocabulary that is there as JSON too is held to the same in both.
    let expected = match name {
        "spm_gguf" => name,
        _ => name.trim_end_matches("_gguf"),
    };
    let expected = std::fs::read(folder.join(format!("{expected}.expected"))).unwrap();
    let expected: Vec<Expected> = serde_json::from_slice(&expected).unwrap();
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
    smollm_gguf,
    starcoder_gguf,
    default_gguf,
    deepseek_llm_gguf,
    deepseek3_gguf,
    deepseek_coder_gguf,
    falcon_gguf,
);

#[test]
fn what_bytes_and_pieces_say_goes_both_ways() {
    let folder = fixtures().join("tokenizers");
    for name in ["gpt2", "llama2", "smollm"] {
        let tokenizer = Tokenizer::open(folder.join(format!("{name}.json"))).unwrap();
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
    let folder = fixtures().join("tokenizers");
    for name in ["gpt2", "llama2", "unigram", "bert", "clip", "spm_gguf"] {
        let json = folder.join(format!("{name}.json"));
        let tokenizer = match json.exists() {
            true => Tokenizer::open(json).unwrap(),
            false => {
                let file = Gguf::open(folder.join(format!("{name}.gguf"))).unwrap();
                Tokenizer::from_gguf(&file).unwrap()
            }
        };
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
    let tokenizer = Tokenizer::open(fixtures().join("tokenizers/gpt2.json")).unwrap();
    let error = tokenizer.decode(&[0, 99_999]).unwrap_err().to_string();
    assert!(error.contains("99999") && error.contains("800"), "{error}");
    assert!(tokenizer.stream().push(u32::MAX).is_err());
}
