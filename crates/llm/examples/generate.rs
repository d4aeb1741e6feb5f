//! Writes on from a prompt, always with the likeliest token, and says how fast:
//! `generate MODEL PROMPT [TOKENS]`, where MODEL is a GGUF file or a folder with safetensors.

use bessemer_core::Device;
use bessemer_llm::{GenerateOptions, Llm, SessionOptions, sampling::Sampling};
use std::{
    io::{Write, stdout},
    sync::Arc,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let usage = "usage: generate MODEL PROMPT [TOKENS]";
    let (model, prompt) = (args.next().ok_or(usage)?, args.next().ok_or(usage)?);
    let tokens = args.next().map_or(Ok(64), |n| n.parse())?;
    let device: Arc<dyn Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    let llm = Llm::open(model, &device)?;
    let mut session = llm.session(SessionOptions { context: Some(2048), ..Default::default() })?;
    let options = GenerateOptions {
        max_tokens: Some(tokens),
        sampling: Sampling { temperature: 0.0, ..Default::default() },
        ignore_end: true,
        ..Default::default()
    };
    let before = device.stats().dispatches;
    let mut text = llm.generate(&mut session, prompt.as_str(), &options)?;
    for piece in &mut text {
        print!("{}", piece?);
        stdout().flush()?;
    }
    let timings = text.timings();
    println!();
    eprintln!(
        "prompt: {} tokens, {:.0}/s; text: {} tokens, {:.1}/s; {} dispatches",
        timings.prompt_tokens,
        timings.prefill_tokens_per_s(),
        timings.tokens,
        timings.decode_tokens_per_s(),
        device.stats().dispatches - before,
    );
    Ok(())
}
