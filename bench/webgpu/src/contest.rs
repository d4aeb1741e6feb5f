//! What is measured, and how: rounds of both sides in turn, the fastest of each counts.

use crate::{
    Arguments, agreement,
    model::Text,
    peer::Peer,
    product::Product,
    report::{Line, Report},
};
use anyhow::{Context, Result};
use bessemer_core::Device;
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_webgpu::{WebGpu, WebGpuOptions};
use serde_json::json;
use std::{path::Path, sync::Arc};

/// Tokens of the prompt and of the answer; one more is the warm-up's.
const PROMPT: usize = 64;
const ANSWER: usize = 8;
/// Room for both, and for what is only counted.
const CONTEXT: usize = 128;
/// Rows and columns of the matrices.
const SIZES: [usize; 2] = [512, 1024];

/// Everything that was asked for.
pub(crate) fn run(arguments: &Arguments) -> Result<Report> {
    let device = WebGpu::open(WebGpuOptions::default())?;
    let adapter = device.info().name.clone();
    let device: Arc<dyn Device> = Arc::new(device);
    let mut report =
        Report { adapter, rounds: arguments.rounds, peers: Vec::new(), lines: Vec::new() };
    let wanted = |name: &str| arguments.only.as_ref().is_none_or(|only| name.contains(only));
    for file in &arguments.models {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if wanted(&name) {
            model(&name, file, &device, arguments, &mut report)
                .with_context(|| format!("measuring {name}"))?;
        }
    }
    let precise = CpuOptions { precise: true, ..Default::default() };
    let cpu: Arc<dyn Device> = Arc::new(Cpu::open(precise)?);
    for file in arguments.models.iter().chain(&arguments.texts) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if wanted("text") || wanted(&name) {
            let same = agreement::same(file, [&device, &cpu])
                .with_context(|| format!("comparing texts of {name}"))?;
            let most = agreement::TOKENS;
            report.lines.push(Line::at_least(&name, "tokens same as CPU `--precise`", most, same));
        }
    }
    if wanted("matmul") {
        products(&device, arguments, &mut report).context("measuring products")?;
    }
    Ok(report)
}

fn model(
    name: &str,
    file: &Path,
    device: &Arc<dyn Device>,
    arguments: &Arguments,
    report: &mut Report,
) -> Result<()> {
    let prompt: Vec<u32> = (0..PROMPT as u32).map(|i| 1000 + 37 * i).collect();
    let mut ours = Text::open(file, CONTEXT, Arc::clone(device))?;
    let mut theirs = None;
    if let Some(python) = &arguments.python {
        let (mut peer, version) = Peer::llama(python)?;
        let open = json!({ "file": file, "context": CONTEXT, "threads": 2, "layers": 99 });
        peer.seconds("open", open)?;
        report.peer(&version);
        theirs = Some(peer);
    }
    let (mut prefill, mut decode) = ([f64::INFINITY; 2], [f64::INFINITY; 2]);
    // The first round compiles what there is to compile.
    for round in 0..=arguments.rounds {
        let seconds = [ours.prefill(&prompt)?, ours.decode(ANSWER)?];
        let others = match &mut theirs {
            None => [f64::INFINITY; 2],
            Some(peer) => [
                peer.seconds("prefill", json!({ "tokens": prompt }))?,
                peer.seconds("decode", json!({ "count": ANSWER }))?,
            ],
        };
        if round > 0 {
            prefill = [prefill[0].min(seconds[0]), prefill[1].min(others[0])];
            decode = [decode[0].min(seconds[1]), decode[1].min(others[1])];
        }
    }
    let per_second = |tokens: usize, best: [f64; 2]| best.map(|seconds| tokens as f64 / seconds);
    for (what, goal, figures) in [
        ("prompt, tokens/s", 20.0, per_second(PROMPT, prefill)),
        ("answer, tokens/s", 5.0, per_second(ANSWER, decode)),
    ] {
        report.lines.push(Line::against(name, what, "llama.cpp Vulkan", goal, figures));
    }
    ours.prefill(&prompt)?;
    let each = ours.per_token(ANSWER)?;
    report.lines.push(Line::at_most(name, "submissions per token", 1.0, each.submissions));
    report.lines.push(Line::at_most(name, "allocations per token", 0.0, each.allocations));
    report.lines.push(Line::counted(name, "dispatches per token", each.dispatches));
    Ok(())
}

fn products(device: &Arc<dyn Device>, arguments: &Arguments, report: &mut Report) -> Result<()> {
    let mut burn = arguments.burn.as_deref().map(Peer::burn).transpose()?;
    if burn.is_some() {
        report.peer("burn 0.22.1");
    }
    for n in SIZES {
        let ours = Product::new(&**device, n)?;
        let mut best = [f64::INFINITY; 2];
        // The first rounds compile, and choose among kernels.
        for round in 0..arguments.rounds + 2 {
            let seconds = ours.take()?;
            let others = match &mut burn {
                None => f64::INFINITY,
                Some(peer) => {
                    let answer = peer.ask(&n.to_string())?;
                    answer.parse().with_context(|| answer)?
                }
            };
            if round > 1 {
                best = [best[0].min(seconds), best[1].min(others)];
            }
        }
        let flops = 2.0 * (n as f64).powi(3);
        let figures = best.map(|seconds| flops / seconds / 1e9);
        let name = format!("matmul f32 {n}");
        report.lines.push(Line::ratio(&name, "GFLOP/s", "burn", 1.0, figures));
    }
    Ok(())
}
