//! What whole models say on Metal and on the CPU: the same tokens, and logits that are near.

use crate::{
    files,
    report::{Difference, Text},
};
use anyhow::Result;
use bessemer::{
    Device, DeviceOptions,
    core::Device as Contract,
    llm::{Llm, Session, SessionOptions},
};
use bessemer_metal_bench::soft::fast;
use std::{path::Path, sync::Arc};

/// Tokens of each text.
pub(crate) const LENGTH: usize = 32;
/// What texts start from.
const PROMPTS: [&str; 3] =
    ["What is steel?", "The first law of thermodynamics states that", "Once upon a time"];

/// The texts of a file on Metal, against those of the CPU when it is precise, and when it is not.
pub(crate) fn texts(kind: &'static str, source: &Path, folder: &Path) -> Result<Vec<Text>> {
    let path = files::of_kind(kind, source, folder)?;
    let metal: Arc<dyn Contract> = fast()?;
    let cpu = |precise| -> Result<Llm> {
        let options = DeviceOptions { precise, ..Default::default() };
        let device: Arc<dyn Contract> = Device::open_with("cpu", &options)?.into();
        Ok(Llm::open(&path, &device)?)
    };
    let (metal, precise, usual) = (Llm::open(&path, &metal)?, cpu(true)?, cpu(false)?);
    let text = |prompt: &'static str| -> Result<Text> {
        let tokens = metal.tokens(&prompt.into())?;
        let said = Said::by(&metal, &tokens)?;
        let text = Text {
            file: kind,
            prompt,
            words: metal.tokenizer().decode(&said.tokens)?,
            precise: said.against(&precise, &tokens)?,
            usual: said.against(&usual, &tokens)?,
        };
        eprint!("{}", text.row());
        Ok(text)
    };
    PROMPTS.into_iter().map(text).collect()
}

/// The likeliest tokens one after another, and the logits each was chosen from.
struct Said {
    tokens: Vec<u32>,
    logits: Vec<Vec<f32>>,
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
