//! What whole models say on Metal and on the CPU: the same tokens, and logits that are near.

use crate::{files, report::Text, soft::fast};
use anyhow::Result;
use bessemer::{
    Device,
    core::Device as Contract,
    llm::{Llm, Session, SessionOptions},
};
use std::{path::Path, sync::Arc};

/// Tokens of each text.
pub(crate) const LENGTH: usize = 32;
/// What texts start from.
const PROMPT: &str = "The first law of thermodynamics states that";

/// The text of a file on Metal, against that on the CPU and that of its weights in f32 there.
pub(crate) fn text(kind: &'static str, source: &Path, folder: &Path) -> Result<Text> {
    let path = files::of_kind(kind, source, folder)?;
    let exact = files::exact(kind, &path, folder)?;
    let metal: Arc<dyn Contract> = fast()?;
    let cpu: Arc<dyn Contract> = Device::open("cpu")?.into();
    let (metal, exact) = (Llm::open(&path, &metal)?, Llm::open(&exact, &cpu)?);
    let cpu = Llm::open(&path, &cpu)?;
    let tokens = metal.tokens(&PROMPT.into())?;
    let said = Said::by(&metal, &tokens)?;
    let (near, right) = (said.against(&cpu, &tokens)?, said.against(&exact, &tokens)?);
    let words = metal.tokenizer().decode(&said.tokens)?;
    Ok(Text {
        file: kind,
        prompt: PROMPT,
        words,
        same_as_cpu: near.same,
        same_as_exact: right.same,
        error_to_cpu: near.error,
        error_to_exact: right.error,
        gap: near.gap,
    })
}

/// The likeliest tokens one after another, and the logits each was chosen from.
struct Said {
    tokens: Vec<u32>,
    logits: Vec<Vec<f32>>,
}

/// How another device sees the same text.
struct Difference {
    /// Tokens until it would say another.
    same: usize,
    /// The largest error of logits, as a share of their spread.
    error: f64,
    /// Where it would say another: by how much of the spread it prefers that.
    gap: Option<f64>,
}

impl Said {
    fn by(llm: &Llm, prompt: &[u32]) -> Result<Said> {
        let mut session = session(llm)?;
        let mut said = Said { tokens: Vec::new(), logits: Vec::new() };
        let mut logits = session.extend(prompt)?.to_vec();
        while said.tokens.len() < LENGTH {
            let token = likeliest(&logits);
            said.tokens.push(token as u32);
            said.logits.push(logits);
            logits = session.extend(&[token as u32])?.to_vec();
        }
        Ok(said)
    }

    fn against(&self, llm: &Llm, prompt: &[u32]) -> Result<Difference> {
        let mut session = session(llm)?;
        let mut found = Difference { same: LENGTH, error: 0.0, gap: None };
        let mut other = session.extend(prompt)?.to_vec();
        for (number, (&token, logits)) in self.tokens.iter().zip(&self.logits).enumerate() {
            let spread = spread(&other);
            found.error = found.error.max(distance(logits, &other) / spread);
            let best = likeliest(&other);
            if found.gap.is_none() && best != token as usize {
                found.same = number;
                found.gap = Some(f64::from(other[best] - other[token as usize]) / spread);
            }
            other = session.extend(&[token])?.to_vec();
        }
        Ok(found)
    }
}

fn session(llm: &Llm) -> Result<Session> {
    Ok(llm.session(SessionOptions { context: Some(256), ..Default::default() })?)
}

/// The first of the largest.
fn likeliest(logits: &[f32]) -> usize {
    (1..logits.len()).fold(0, |best, i| if logits[i] > logits[best] { i } else { best })
}

/// The root of the mean square of what differs.
fn distance(a: &[f32], b: &[f32]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2));
    (squares.sum::<f64>() / a.len() as f64).sqrt()
}

/// The standard deviation.
fn spread(logits: &[f32]) -> f64 {
    let mean = logits.iter().map(|&x| f64::from(x)).sum::<f64>() / logits.len() as f64;
    distance(logits, &vec![mean as f32; logits.len()])
}
