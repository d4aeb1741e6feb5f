//! `bessemer tokenize`: a text as a model sees it, and back.

use crate::{
    fault::Fault,
    input,
    model::ModelArgs,
    text::{DIM, WARN},
};
use bessemer_llm::tokenizer::{Encode, Tokenizer};
use clap::Args;
use serde_json::json;
use std::io::Write;

/// Show the tokens of a text: their ids and their text
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tokenize {
    /// The text; read from stdin if it is `-` or not given
    text: Option<String>,

    #[command(flatten)]
    model: ModelArgs,

    /// Take token ids instead of text, and print the text
    #[arg(long)]
    decode: bool,

    /// Parse special tokens in the text, such as <|im_start|>
    #[arg(long)]
    special: bool,

    /// Do not add BOS or EOS tokens, even if the model uses them
    #[arg(long)]
    raw: bool,

    /// Print JSON: the count, and the id and piece of each token
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  bessemer tokenize --model smollm2 \"Once upon a time\"
  bessemer tokenize -m smollm2 --json < story.txt | jq .count
  bessemer tokenize -m smollm2 --decode \"6403 1980 253 655\"";

impl Tokenize {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<(), Fault> {
        let opened = self.model.open()?;
        let tokenizer = Tokenizer::of(&opened.file)?;
        let what = if self.decode { "list of tokens" } else { "text" };
        let text = input::text(self.text, what)?;
        if self.decode {
            let text = tokenizer.decode(&numbers(&text)?)?;
            if self.json {
                writeln!(out, "{}", json!({ "text": text }))?;
            } else {
                writeln!(out, "{text}")?;
            }
            return Ok(());
        }
        let how = Encode { affixes: !self.raw, special: self.special };
        let tokens = tokenizer.encode(&text, how)?;
        if self.json {
            return write_json(&tokenizer, &tokens, out);
        }
        let width = tokens.iter().max().map_or(0, |token| token.to_string().len());
        for &token in &tokens {
            let piece = tokenizer.piece(token).unwrap_or_default();
            let style = if tokenizer.is_special(token) { WARN } else { crate::text::PLAIN };
            let piece = String::from_utf8_lossy(piece);
            writeln!(out, "{DIM}{token:>width$}{DIM:#}  {style}{piece:?}{style:#}")?;
        }
        Ok(())
    }
}

fn write_json(tokenizer: &Tokenizer, tokens: &[u32], out: &mut dyn Write) -> Result<(), Fault> {
    let list: Vec<_> = tokens
        .iter()
        .map(|&token| {
            let piece = tokenizer.piece(token).unwrap_or_default();
            json!({
                "id": token,
                "piece": String::from_utf8_lossy(piece),
                "special": tokenizer.is_special(token),
            })
        })
        .collect();
    let value = json!({ "count": tokens.len(), "tokens": list });
    serde_json::to_writer_pretty(&mut *out, &value)?;
    Ok(writeln!(out)?)
}

/// Numbers between anything that is no digit: `1 2`, `1,2`, `[1, 2]`.
fn numbers(text: &str) -> Result<Vec<u32>, Fault> {
    let words = text.split(|c: char| c.is_whitespace() || "[],".contains(c));
    let words = words.filter(|word| !word.is_empty());
    let parse = |word: &str| {
        word.parse::<u32>().map_err(|_| Fault::usage(format!("--decode {word}: not a token id")))
    };
    words.map(parse).collect()
}
