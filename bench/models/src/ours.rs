//! The bessemer side: answers the same requests as `llama_peer.py`.

use anyhow::{Context, Result};
use bessemer::{
    Device, DeviceOptions,
    llm::{Llm, Model, Session, SessionOptions, files::ModelFile, perplexity},
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    fs,
    io::{self, BufRead, Write},
    sync::Arc,
    time::Instant,
};

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    Open {
        file: String,
        context: usize,
        threads: usize,
        #[serde(default)]
        precise: bool,
        /// As `Device::open` names them; the CPU if it is missing.
        device: Option<String>,
    },
    Prefill {
        tokens: Vec<u32>,
    },
    Decode {
        count: usize,
    },
    LastLogits {
        tokens: Vec<u32>,
    },
    Losses {
        tokens: Vec<u32>,
    },
    Memory {},
    PeakMemory {},
}

/// A model with one text in progress.
struct Text {
    session: Session,
    /// The likeliest token after it.
    likeliest: u32,
}

/// Answers requests until there are no more.
pub fn answer_all() -> Result<()> {
    let mut text = None;
    let mut out = io::stdout().lock();
    let version = concat!("bessemer ", env!("CARGO_PKG_VERSION"));
    writeln!(out, "{}", json!({ "version": version }))?;
    for line in io::stdin().lock().lines() {
        let request = serde_json::from_str(&line?).context("a request");
        let found = request.and_then(|request| answer(&mut text, request));
        writeln!(out, "{}", found.unwrap_or_else(|e| json!({ "error": format!("{e:#}") })))?;
        out.flush()?;
    }
    Ok(())
}

fn answer(text: &mut Option<Text>, request: Request) -> Result<Value> {
    let start = Instant::now();
    match request {
        Request::Open { file, context, threads, precise, device } => {
            let options = DeviceOptions { threads: Some(threads), precise, ..Default::default() };
            let device = Device::open_with(device.as_deref().unwrap_or("cpu"), &options)?;
            *text = Some(Text::open(&file, context, &device)?);
            Ok(json!({ "seconds": start.elapsed().as_secs_f64(), "device": device.info().name }))
        }
        Request::Prefill { tokens } => {
            there(text)?.restart(&tokens)?;
            Ok(json!({ "seconds": start.elapsed().as_secs_f64() }))
        }
        Request::Decode { count } => {
            let tokens = there(text)?.decode(count)?;
            Ok(json!({ "seconds": start.elapsed().as_secs_f64(), "tokens": tokens }))
        }
        Request::LastLogits { tokens } => Ok(json!({ "logits": there(text)?.restart(&tokens)? })),
        Request::Losses { tokens } => {
            let session = &mut there(text)?.session;
            let score = perplexity::measure(session, &tokens, tokens.len(), None, &mut |_, _| ())?;
            Ok(json!({ "sum": score.mean() * score.count() as f64, "count": score.count() }))
        }
        Request::Memory {} => Ok(json!({ "bytes": memory("VmRSS:")? })),
        Request::PeakMemory {} => Ok(json!({ "bytes": memory("VmHWM:")? })),
    }
}

fn there(text: &mut Option<Text>) -> Result<&mut Text> {
    text.as_mut().context("no model is open")
}

impl Text {
    fn open(file: &str, context: usize, device: &Device) -> Result<Text> {
        let file = ModelFile::open(file)?;
        let options = SessionOptions { context: Some(context), ..Default::default() };
        // The 1B shape has no vocabulary; where there is one, loading it is part of loading.
        let session = if has_vocabulary(&file)? {
            Llm::from_file(&file, device)?.session(options)?
        } else {
            Session::new(&Arc::new(Model::of(&file, device)?), options)?
        };
        Ok(Text { session, likeliest: 0 })
    }

    /// The logits after the whole of another text.
    fn restart(&mut self, tokens: &[u32]) -> Result<&[f32]> {
        self.session.rewind(0);
        let logits = self.session.extend(tokens)?;
        self.likeliest = likeliest(logits);
        Ok(logits)
    }

    /// Goes on with the likeliest token.
    fn decode(&mut self, count: usize) -> Result<Vec<u32>> {
        let mut tokens = Vec::with_capacity(count);
        for _ in 0..count {
            tokens.push(self.likeliest);
            self.likeliest = likeliest(self.session.extend(&[self.likeliest])?);
        }
        Ok(tokens)
    }
}

fn has_vocabulary(file: &ModelFile) -> Result<bool> {
    let ModelFile::Gguf(file) = file else { return Ok(true) };
    Ok(file.metadata().get("tokenizer.ggml.model")? != Some("none"))
}

/// The first of the largest.
fn likeliest(logits: &[f32]) -> u32 {
    let mut best = 0;
    for (i, logit) in logits.iter().enumerate() {
        if *logit > logits[best] {
            best = i;
        }
    }
    best as u32
}

/// Bytes of memory of this process: `VmRSS:`, what it takes now, or `VmHWM:`, the most it has taken.
fn memory(name: &str) -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status").context("only Linux tells")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().next());
    Ok(kilobytes.with_context(|| format!("no {name}"))?.parse::<u64>()? * 1024)
}
