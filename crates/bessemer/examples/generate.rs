//! Continues a prompt and streams the text: `generate MODEL PROMPT`.

use bessemer::llm::{GenerateOptions, SessionOptions, sampling::Sampling};
use std::{env, error::Error, io::Write};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let (Some(model), Some(prompt)) = (args.next(), args.next()) else {
        return Err("usage: generate MODEL PROMPT".into());
    };
    let llm = bessemer::open_llm(&model)?;
    let mut session = llm.session(SessionOptions { context: Some(1024), ..Default::default() })?;
    let options = GenerateOptions {
        max_tokens: Some(200),
        sampling: Sampling { temperature: 0.7, seed: 1, ..Sampling::default() },
        ..GenerateOptions::default()
    };
    let mut text = llm.generate(&mut session, &prompt, &options)?;
    print!("{prompt}");
    for piece in &mut text {
        print!("{}", piece?);
        std::io::stdout().flush()?;
    }
    let (timings, reason) = (text.timings(), text.stop_reason().map_or("", |reason| reason.name()));
    eprintln!(
        "\n[{reason}; {:.0} ms to the first token, then {:.1} tokens/s]",
        timings.first_token_ms(),
        timings.decode_tokens_per_s()
    );
    Ok(())
}
