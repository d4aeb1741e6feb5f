//! Encodes texts with a model's own tokenizer, for comparing it with others:
//! `tokenize MODEL < TEXTS`, where MODEL is a GGUF file, a `tokenizer.json` or a vocabulary of RWKV, and
//! TEXTS are JSON strings, or lists of bytes, one per line. Each answer is a line: the tokens and the
//! text they decode to.

use bessemer_llm::{
    files::ModelFile,
    tokenizer::{Encode, Tokenizer},
};
use serde_json::Value;
use std::io::{BufWriter, Write, stdin, stdout};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: tokenize MODEL < TEXTS")?;
    let started = std::time::Instant::now();
    let tokenizer = if path.ends_with(".json") || path.ends_with(".txt") {
        Tokenizer::open(&path)?
    } else {
        Tokenizer::of(&ModelFile::open(&path)?)?
    };
    eprintln!("read {} tokens in {:?}", tokenizer.len(), started.elapsed());
    let how = Encode { affixes: false, special: !path.ends_with(".txt") };
    let mut out = BufWriter::new(stdout());
    for line in stdin().lines() {
        let started = std::time::Instant::now();
        let tokens = match serde_json::from_str(&line?)? {
            Value::String(text) => {
                let tokens = tokenizer.encode(&text, how)?;
                if text.len() > 500_000 {
                    eprintln!("encoded {} bytes in {:?}", text.len(), started.elapsed());
                }
                tokens
            }
            bytes => tokenizer.encode_bytes(&serde_json::from_value::<Vec<u8>>(bytes)?)?,
        };
        let decoded = tokenizer.decode(&tokens)?;
        writeln!(out, "{}", serde_json::json!([tokens, decoded]))?;
    }
    Ok(())
}
