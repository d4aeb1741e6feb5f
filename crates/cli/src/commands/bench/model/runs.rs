//! Taking prompts and tokens through a model, with a clock.

use crate::{fault::Fault, generate::Loaded, progress::Progress};
use anyhow::anyhow;
use bessemer_llm::{
    Llm, Session, SessionOptions,
    sampling::{Sampler, Sampling},
};
use std::time::Instant;

/// What to run.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    pub(super) prompt: usize,
    pub(super) decode: usize,
    pub(super) depth: usize,
    pub(super) repetitions: usize,
}

/// Seconds, of the fastest of all repetitions.
pub(super) struct Runs {
    /// From nothing but the loaded model to the first token of a short prompt.
    pub(super) first_answer: f64,
    /// A prompt through the model.
    pub(super) prefill: f64,
    /// The same with the choice of a token.
    pub(super) first_token: f64,
    /// Each token of the fastest repetition.
    pub(super) tokens: Vec<f64>,
}

/// Tokens of a short prompt.
const SHORT: usize = 8;

impl Runs {
    pub(super) fn measure(
        loaded: &Loaded,
        options: SessionOptions,
        settings: Settings,
        bar: &Progress,
    ) -> Result<Runs, Fault> {
        let Settings { prompt, decode, depth, repetitions } = settings;
        let llm = &loaded.llm;
        let mut bench = Bench { sampler: sampler(llm)?, llm };
        let text = bench.text(prompt.max(depth + 1).max(SHORT));

        let start = Instant::now();
        let mut session = llm.session(options)?;
        let short = SHORT.min(session.capacity());
        bench.next(&mut session, &text[..short])?;
        let first_answer = start.elapsed().as_secs_f64();

        let mut runs = Runs {
            first_answer,
            prefill: f64::INFINITY,
            first_token: f64::INFINITY,
            tokens: vec![f64::INFINITY; decode],
        };
        for number in 0..repetitions {
            bar.at(number, format!("run {} of {repetitions}", number + 1));
            session.rewind(0);
            let start = Instant::now();
            let logits = session.extend(&text[..prompt])?;
            runs.prefill = runs.prefill.min(start.elapsed().as_secs_f64());
            bench.choose(logits)?;
            runs.first_token = runs.first_token.min(start.elapsed().as_secs_f64());

            session.rewind(0);
            let mut token = bench.next(&mut session, &text[..depth + 1])?;
            let mut tokens = Vec::with_capacity(decode);
            for _ in 0..decode {
                let start = Instant::now();
                token = bench.next(&mut session, &[token])?;
                tokens.push(start.elapsed().as_secs_f64());
            }
            if tokens.iter().sum::<f64>() < runs.tokens.iter().sum() {
                runs.tokens = tokens;
            }
        }
        Ok(runs)
    }

    pub(super) fn decode_tokens_per_s(&self) -> f64 {
        self.tokens.len() as f64 / self.tokens.iter().sum::<f64>()
    }
}

struct Bench<'a> {
    llm: &'a Llm,
    sampler: Sampler,
}

fn sampler(llm: &Llm) -> Result<Sampler, Fault> {
    let vocabulary = llm.model().config().vocabulary;
    Sampler::new(&Sampling::greedy(), vocabulary).map_err(|e| anyhow!("{e}").into())
}

impl Bench<'_> {
    /// Takes tokens through the model and chooses the next.
    fn next(&mut self, session: &mut Session, tokens: &[u32]) -> Result<u32, Fault> {
        self.choose(session.extend(tokens)?)
    }

    fn choose(&mut self, logits: &mut [f32]) -> Result<u32, Fault> {
        let token = self.sampler.sample(logits);
        Ok(token
            .ok_or_else(|| anyhow!("the model's logits are not numbers: the file is damaged"))?)
    }

    /// A text that is none: tokens spread over the vocabulary, as prompts are.
    fn text(&self, len: usize) -> Vec<u32> {
        let vocabulary = self.llm.tokenizer().len().max(1) as u64;
        let mut state = 1u64;
        (0..len)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                ((state >> 33) % vocabulary) as u32
            })
            .collect()
    }
}
