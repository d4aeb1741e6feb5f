//! The web-rwkv side of `cargo xtask bench rwkv --webgpu`: answers each request, a line of JSON, with
//! one line, as `bench/models/src/ours.rs` does with bessemer.

use anyhow::{Context as _, Result, bail};
use half::f16;
use memmap2::Mmap;
use safetensors::SafeTensors;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    fs::File,
    io::{self, BufRead, Write},
    time::Instant,
};
use web_rwkv::{
    context::{ContextBuilder, InstanceExt},
    runtime::{
        TokioRuntime,
        infer::{Rnn, RnnInput, RnnInputBatch, RnnOption},
        loader::Loader,
        model::{Bundle, ContextAutoLimits, ModelBuilder, Quant, State},
        v7,
    },
};

/// How many tokens go through the model at once unless a request says so: web-rwkv's default.
const CHUNK: usize = 128;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    Open { file: String, quantized: String },
    Prefill { tokens: Vec<u32>, chunk: Option<usize> },
    Decode { count: usize },
    LastLogits { tokens: Vec<u32> },
}

/// A model with one text in progress.
struct Text {
    runtime: TokioRuntime<Rnn>,
    state: Box<dyn State>,
    /// What the adapter is called.
    device: String,
    logits: Vec<f32>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut text = None;
    println!("{}", json!({ "version": "web-rwkv 0.10.20" }));
    for line in io::stdin().lock().lines() {
        let answer = match serde_json::from_str(&line?).context("a request") {
            Ok(request) => answer(&mut text, request).await,
            Err(error) => Err(error),
        };
        println!("{}", answer.unwrap_or_else(|e| json!({ "error": format!("{e:#}") })));
        io::stdout().flush()?;
    }
    Ok(())
}

async fn answer(text: &mut Option<Text>, request: Request) -> Result<Value> {
    let start = Instant::now();
    if let Request::Open { file, quantized } = &request {
        // Two models at once may be more than there is room for.
        *text = None;
        let text = text.insert(Text::open(file, quantized).await?);
        let seconds = start.elapsed().as_secs_f64();
        return Ok(json!({ "seconds": seconds, "device": text.device }));
    }
    let text = text.as_mut().context("no model is open")?;
    match request {
        Request::Open { .. } => unreachable!("answered above"),
        Request::Prefill { tokens, chunk } => {
            text.restart(tokens, chunk.unwrap_or(CHUNK)).await?;
            Ok(json!({ "seconds": start.elapsed().as_secs_f64() }))
        }
        Request::Decode { count } => {
            let tokens = text.decode(count).await?;
            Ok(json!({ "seconds": start.elapsed().as_secs_f64(), "tokens": tokens }))
        }
        Request::LastLogits { tokens } => {
            text.restart(tokens, CHUNK).await?;
            Ok(json!({ "logits": text.logits }))
        }
    }
}

impl Text {
    async fn open(file: &str, quantized: &str) -> Result<Text> {
        let file = File::open(file).with_context(|| file.to_owned())?;
        // SAFETY: the file is one that the bench has made; nobody changes it meanwhile.
        let bytes = unsafe { Mmap::map(&file)? };
        let tensors = SafeTensors::deserialize(&bytes)?;
        let info = Loader::info(&tensors)?;
        let adapter =
            wgpu::Instance::default().adapter(wgpu::PowerPreference::HighPerformance).await?;
        let device = adapter.get_info().name;
        let context = ContextBuilder::new(adapter).auto_limits(&info).build().await?;
        let quant = match quantized {
            "f16" => Quant::None,
            "int8" => Quant::Int8,
            "nf4" => Quant::NF4,
            other => bail!("{other} is none of f16, int8 and nf4"),
        };
        let layers = (0..info.num_layer).map(|layer| (layer, quant)).collect();
        let model = ModelBuilder::new(&context, tensors).quant(layers).build_v7().await?;
        let bundle = v7::Bundle::<f16>::new(model, 1);
        let state: Box<dyn State> = Box::new(bundle.state());
        let runtime = TokioRuntime::new(bundle).await;
        Ok(Text { runtime, state, device, logits: Vec::new() })
    }

    async fn restart(&mut self, tokens: Vec<u32>, chunk: usize) -> Result<()> {
        self.state.load(self.state.init(), 0)?;
        let input = RnnInput::new(vec![RnnInputBatch::new(tokens, RnnOption::Last)], chunk);
        self.extend(input).await?;
        Ok(())
    }

    /// Goes on with the likeliest token.
    async fn decode(&mut self, count: usize) -> Result<Vec<u32>> {
        let mut tokens = Vec::new();
        let batch = RnnInputBatch::new(Vec::<u32>::new(), RnnOption::Last);
        let mut input = RnnInput::new(vec![batch], CHUNK);
        for _ in 0..count {
            let token = likeliest(&self.logits);
            tokens.push(token);
            input.batches[0].push(token);
            input = self.extend(input).await?;
        }
        Ok(tokens)
    }

    /// Takes all of the input through the model, until there are logits.
    async fn extend(&mut self, mut input: RnnInput) -> Result<RnnInput> {
        loop {
            let (rest, output) = self.runtime.infer(input).await?;
            input = rest;
            if let Some(batch) = output.0.into_iter().next().filter(|batch| batch.0.size() > 0) {
                self.logits = batch.0.to_vec();
                return Ok(input);
            }
        }
    }
}

/// The first of the largest.
fn likeliest(logits: &[f32]) -> u32 {
    let first = |best: usize, i: usize| if logits[i] > logits[best] { i } else { best };
    (0..logits.len()).fold(0, first) as u32
}
