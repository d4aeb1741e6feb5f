//! Whether a model writes on the WebGPU device what it writes on the CPU, when that is precise.

use anyhow::Result;
use bessemer_core::Device;
use bessemer_llm::{Llm, SessionOptions};
use std::{path::Path, sync::Arc};

/// Tokens of each text.
const LENGTH: usize = 32;
/// What texts start from.
const PROMPTS: [&str; 4] = [
    "What is steel?",
    "The first law of thermodynamics states that",
    "Once upon a time",
    "fn main() {",
];

/// The tokens of all texts.
pub(crate) const TOKENS: usize = PROMPTS.len() * LENGTH;

/// How many tokens of all texts come before the first that differs in each.
pub(crate) fn same(file: &Path, devices: [&Arc<dyn Device>; 2]) -> Result<usize> {
    let mut said = Vec::new();
    for device in devices {
        let llm = Llm::open(file, device)?;
        let texts: Result<Vec<_>> = PROMPTS.iter().map(|prompt| text(&llm, prompt)).collect();
        said.push(texts?);
    }
    let same = |(a, b): (&Vec<u32>, &Vec<u32>)| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    Ok(said[0].iter().zip(&said[1]).map(same).sum())
}

/// The likeliest tokens, one after another.
fn text(llm: &Llm, prompt: &str) -> Result<Vec<u32>> {
    let mut session = llm.session(SessionOptions { context: Some(128), ..Default::default() })?;
    let mut next = crate::model::likeliest(session.extend(&llm.tokens(&prompt.into())?)?);
    let mut tokens = vec![next];
    while tokens.len() < LENGTH {
        next = crate::model::likeliest(session.extend(&[next])?);
        tokens.push(next);
    }
    Ok(tokens)
}
