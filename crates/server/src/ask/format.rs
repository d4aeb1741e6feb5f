//! Structured output: an answer that has to match a JSON schema, a regular expression or a grammar.
//! `llguidance` says which tokens may come next; here are its limits and what it knows of a vocabulary.

use super::tools::ToolFormat;
use crate::Refusal;
use bessemer_engine::{Constraint, Mask};
use bessemer_llm::{Llm, tokenizer::Tokenizer};
use llguidance::{
    Matcher, ParserFactory,
    api::{ParserLimits, TopLevelGrammar},
};
use serde_json::{Value, json};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, OnceLock},
};
use toktrie::{ApproximateTokEnv, TokEnv, TokRxInfo, TokTrie};

/// What an answer has to match.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Format {
    #[default]
    Free,
    /// Any JSON object.
    Object,
    Schema(Value),
    Regex(String),
    /// A grammar in the form of Lark.
    Lark(String),
}

/// Compiles what answers have to match, for one vocabulary.
pub(crate) struct Grammars {
    llm: Llm,
    /// The tokens that weights are there for: a mask is that long.
    vocabulary: usize,
    factory: OnceLock<Result<ParserFactory, String>>,
}

impl Grammars {
    pub(crate) fn new(llm: Llm) -> Grammars {
        let vocabulary = llm.model().config().vocabulary;
        Grammars { llm, vocabulary, factory: OnceLock::new() }
    }

    /// The token that a mark of calls is, where it is one that steers the model.
    pub(crate) fn special(&self, text: &str) -> Option<u32> {
        self.llm.tokenizer().token(text).filter(|&token| self.llm.tokenizer().is_special(token))
    }

    /// Whether calls in this format begin with a token that is not shown as text.
    pub(crate) fn hides(&self, format: ToolFormat) -> bool {
        let marks = match format {
            ToolFormat::Hermes => "<tool_call>",
            ToolFormat::Mistral => "[TOOL_CALLS]",
            ToolFormat::Llama => "<|python_tag|>",
        };
        self.special(marks).is_some()
    }

    /// What says which tokens may come; `None` if all may. It takes a while.
    pub(crate) fn compile(
        &self,
        field: &str,
        format: &Format,
        most_bytes: usize,
    ) -> Result<Option<Matcher>, Refusal> {
        let (grammar, bytes) = match format {
            Format::Free => return Ok(None),
            Format::Object => {
                let any = spaced(&json!({ "type": "object" }));
                (TopLevelGrammar::from_json_schema(any), 0)
            }
            Format::Schema(schema) => {
                (TopLevelGrammar::from_json_schema(spaced(schema)), schema.to_string().len())
            }
            Format::Regex(regex) => (TopLevelGrammar::from_regex(regex), regex.len()),
            Format::Lark(lark) => (TopLevelGrammar::from_lark(lark.clone()), lark.len()),
        };
        if bytes > most_bytes {
            let why = format!("{bytes} bytes are more than the limit of {most_bytes}");
            return Err(Refusal::field(field, why));
        }
        let factory = self.factory.get_or_init(|| self.factory().map_err(|e| e.to_string()));
        let factory = factory.as_ref().map_err(Refusal::internal)?;
        // It is not ours: a mistake in it is to cost one request only.
        let parser = catch_unwind(AssertUnwindSafe(|| factory.create_parser(grammar)));
        let parser = parser.map_err(|_| Refusal::field(field, "it cannot be compiled"))?;
        let parser = parser.map_err(|e| Refusal::field(field, first_line(&e.to_string())))?;
        Ok(Some(Matcher::new(Ok(parser))))
    }

    fn factory(&self) -> Result<ParserFactory, Box<dyn std::error::Error>> {
        let env: TokEnv = Arc::new(ApproximateTokEnv::new(self.trie()));
        let mut factory = ParserFactory::new_simple(&env)?;
        factory.quiet();
        *factory.limits_mut() = ParserLimits {
            // A state takes 1 to 2 kB.
            max_lexer_states: 25_000,
            max_grammar_size: 200_000,
            initial_lexer_fuel: 500_000,
            verbose_errors: false,
            ..ParserLimits::default()
        };
        Ok(factory)
    }

    /// All tokens with the bytes of their text; those that steer the model by their names, which no
    /// text has.
    fn trie(&self) -> TokTrie {
        let tokenizer = self.llm.tokenizer();
        let words: Vec<Vec<u8>> =
            (0..self.vocabulary).map(|token| word(tokenizer, token as u32)).collect();
        let ends: Vec<u32> = (0..tokenizer.len().min(self.vocabulary) as u32)
            .filter(|&token| tokenizer.is_end(token))
            .collect();
        let end = tokenizer.eos().or(ends.first().copied()).unwrap_or_default();
        let trie = TokTrie::from(&TokRxInfo::new(words.len() as u32, end), &words);
        if ends.is_empty() { trie } else { trie.with_eos_tokens(&ends) }
    }
}

/// A schema that allows white space, but not without end: small models lose themselves in it.
fn spaced(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(map) = schema.as_object_mut() {
        let spaces = json!({ "whitespace_pattern": r"[\x20\x0A\x0D\x09]{1,40}" });
        map.entry("x-guidance").or_insert(spaces);
    }
    schema
}

fn word(tokenizer: &Tokenizer, token: u32) -> Vec<u8> {
    let Some(piece) = tokenizer.piece(token) else { return Vec::new() };
    if tokenizer.is_special(token) || tokenizer.is_end(token) {
        return [&[TokTrie::SPECIAL_TOKEN_MARKER], piece].concat();
    }
    // The first token of a text may lose a space, so the word is the second.
    let Some(before) = tokenizer.token("a").or_else(|| tokenizer.token("▁a")) else {
        return tokenizer.decode_bytes(&[token]).unwrap_or_default();
    };
    let length = |tokens: &[u32]| tokenizer.decode_bytes(tokens).unwrap_or_default();
    let skipped = length(&[before]).len();
    length(&[before, token]).split_off(skipped.min(length(&[before, token]).len()))
}

/// What is wrong, without what it was found in.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(400).collect()
}

impl std::fmt::Debug for Grammars {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Grammars").field("vocabulary", &self.vocabulary).finish_non_exhaustive()
    }
}

/// What `llguidance` says, to the engine.
pub(super) struct Guided(pub(super) Matcher);

impl Constraint for Guided {
    fn restrict(&mut self, mask: &mut Mask) -> Result<(), String> {
        let allowed = self.0.compute_mask_or_eos().map_err(|e| first_line(&e.to_string()))?;
        let words = allowed.as_slice();
        let rest = words.iter().copied().chain(std::iter::repeat(0));
        mask.words_mut().iter_mut().zip(rest).for_each(|(word, allowed)| *word &= allowed);
        Ok(())
    }

    fn accept(&mut self, token: u32) -> Result<(), String> {
        self.0.consume_token(token).map_err(|e| first_line(&e.to_string()))
    }

    fn may_end(&mut self) -> bool {
        self.0.is_accepting().unwrap_or(true)
    }

    fn is_complete(&mut self) -> bool {
        self.0.is_stopped()
    }
}
