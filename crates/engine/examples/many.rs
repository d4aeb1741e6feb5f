//! Tokens per second of 1, 2, 4, … texts at once, and the share of a step that is not the device's.
//!
//! ```text
//! cargo run --release -p bessemer-engine --example many -- model.gguf [prompt tokens] [tokens] [most texts]
//! ```

use bessemer_core::Device;
use bessemer_cpu::Cpu;
use bessemer_engine::{Engine, EngineOptions, Request};
use bessemer_llm::{GenerateOptions, Llm, sampling::Sampling};
use std::{error::Error, sync::Arc, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: many MODEL [PROMPT] [TOKENS] [TEXTS]")?;
    let mut number = |usual: usize| arguments.next().map_or(Ok(usual), |text| text.parse());
    let (prompt, tokens, most) = (number(64)?, number(64)?, number(32)?);
    let device: Arc<dyn Device> = Arc::new(Cpu::open(Default::default())?);
    let llm = Llm::open(path, &device)?;
    let context = Some(prompt + tokens + 1);
    let options = EngineOptions { most_running: most, context, ..Default::default() };
    let mut count = 1;
    while count <= most {
        let engine = Engine::new(llm.clone(), options.clone())?;
        let started = Instant::now();
        let answers: Vec<_> = (0..count as u32)
            .map(|text| {
                let prompt =
                    (0..prompt as u32).map(|i| 300 + (i * 7 + text * 131) % 1000).collect();
                let sampling = Sampling::greedy();
                let max_tokens = Some(tokens);
                let options = GenerateOptions {
                    sampling,
                    max_tokens,
                    ignore_end: true,
                    ..Default::default()
                };
                engine.submit(Request::new(prompt, options))
            })
            .collect::<Result<_, _>>()?;
        let mut decode = 0.0f64;
        for answer in answers {
            decode = decode.max(answer.finish()?.end.timings.decode.as_secs_f64());
        }
        let (all, totals) = (started.elapsed().as_secs_f64(), engine.stats().totals);
        let own =
            totals.off_device.as_secs_f64() / (totals.off_device + totals.on_device).as_secs_f64();
        println!(
            "{count:>3} texts: {:>8.1} tokens/s while decoding, {:>8.1} in all, {:.1} % not the device's",
            (count * (tokens - 1)) as f64 / decode,
            (count * tokens) as f64 / all,
            100.0 * own
        );
        count *= 2;
    }
    Ok(())
}
