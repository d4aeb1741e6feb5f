//! `bessemer run`: one prompt, one text.

use crate::{
    args::Global,
    fault::Fault,
    generate::{
        GenerateArgs, LoadArgs, Loaded, StateArgs, no_template, timings_json, timings_text,
    },
    input, interrupt,
    terminal::tell,
    text::DIM,
};
use bessemer_llm::{
    Cancel, GenerateOptions, Generation, Prompt, StopReason,
    template::{Chat, Message},
    tokenizer::{Encode, Tokenizer},
};
use clap::Args;
use serde_json::json;
use std::io::Write;

/// Generate text with a model
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Run {
    /// The prompt; read from stdin if it is `-` or not given
    prompt: Option<String>,

    /// The prompt, as an alternative to the argument
    #[arg(long = "prompt", short = 'p', value_name = "TEXT", conflicts_with = "prompt")]
    prompt_flag: Option<String>,

    #[command(flatten)]
    load: LoadArgs,

    #[command(flatten)]
    generate: GenerateArgs,

    #[command(flatten)]
    state: StateArgs,

    /// The system prompt, for models with a chat template
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,

    /// Do not use the chat template: the model continues the prompt
    #[arg(long, conflicts_with = "system")]
    raw: bool,

    /// Parse special tokens in a raw prompt, such as <|im_start|>
    #[arg(long, requires = "raw")]
    special: bool,

    /// Print timings to stderr at the end
    #[arg(long)]
    timings: bool,

    /// Print one JSON object at the end instead of streaming text
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  bessemer run \"Once upon a time\"
  bessemer run \"Once upon a time\" --seed 7 --temperature 0.6 --timings
  bessemer run --model smollm2 \"What is a Bessemer converter?\"
  bessemer run --model smollm2 --system \"Answer in one line.\" < question.txt
  bessemer run --model smollm2 --raw --special \"<|im_start|>user Hi<|im_end|>\"
  bessemer run --model base.gguf --raw \"def fibonacci(n):\" --temperature 0 -n 100
  bessemer run --model smollm2 \"Name a colour\" --json | jq -r .text
  bessemer run --model base.gguf --raw -n 0 --save-state book.state < book.txt
  bessemer run --model base.gguf --raw --state book.state \"In short, this book\"

Put a prompt that starts with a dash after `--`. A model with a chat template answers the prompt. \
A model without one, or with --raw, continues it; the prompt is then printed first. Ctrl-C stops \
the generation; the exit code is then 130, and no state is saved. With --state, the prompt follows \
the text whose state was saved, which need not go through the model again. JSON fields: model, prompt, text, tokens (their ids), \
stop (end, stop, length, context or cancelled), seed, timings.";

impl Run {
    pub(crate) fn run(self, global: &Global, out: &mut dyn Write) -> Result<(), Fault> {
        let prompt = input::text(self.prompt.or(self.prompt_flag), "prompt")?;
        self.state.check()?;
        let loaded = self.load.load(global)?;
        let llm = &loaded.llm;
        let cancel = Cancel::new();
        let options = self.generate.options(llm, &cancel)?;
        let mut session = self.load.session(llm)?;
        let before = self.state.restore(&mut session)?;

        let has_template = !self.raw && llm.template()?.is_some();
        if self.system.is_some() && !has_template {
            return Err(no_template(&loaded.name));
        }
        let messages = self.system.as_deref().map(Message::system);
        let chat = Chat::new(messages.into_iter().chain([Message::user(&prompt)]));
        let special = match self.special {
            true => special_tokens(llm.tokenizer(), &prompt, before.is_empty())?,
            false => Vec::new(),
        };
        let what = match (has_template, self.special) {
            (true, _) => Prompt::Chat(&chat),
            (false, true) => Prompt::Tokens(&special),
            (false, false) => Prompt::Text(&prompt),
        };
        let stoppable = interrupt::stops(&cancel);
        let generation = llm.generate_after(&mut session, &before, what, &options)?;
        let read = generation.prompt().to_vec();
        let (stopped, last) = if self.json {
            write_json(&loaded, &prompt, generation, &options, out)?
        } else {
            if !has_template {
                write!(out, "{prompt}")?;
                out.flush()?;
            }
            write_text(generation, &options, self.timings, out)?
        };
        drop(stoppable);
        match stopped {
            StopReason::Cancelled => Err(Fault::Interrupted),
            // The last token has not gone through the model; if none was asked for, the prompt has not.
            _ => match last {
                Some(last) => self.state.save(&mut session, &[last]),
                None => {
                    let done = session.tokens().len();
                    self.state.save(&mut session, &read[done..])
                }
            },
        }
    }
}

/// The tokens of a prompt with special tokens in it. One that starts with what is put before every text, as
/// `<s>`, does not get that twice; one that does not start the text does not get it at all.
fn special_tokens(tokenizer: &Tokenizer, prompt: &str, starts: bool) -> Result<Vec<u32>, Fault> {
    let mut tokens = tokenizer.encode(prompt, Encode { affixes: starts, special: true })?;
    if !starts {
        return Ok(tokens);
    }
    let before = tokenizer.affixes().0;
    if tokens[before.len()..].starts_with(before) {
        tokens.drain(..before.len());
    }
    Ok(tokens)
}

fn write_text(
    mut generation: Generation<'_>,
    options: &GenerateOptions,
    timings: bool,
    out: &mut dyn Write,
) -> Result<(StopReason, Option<u32>), Fault> {
    for piece in &mut generation {
        write!(out, "{}", piece?)?;
        out.flush()?;
    }
    writeln!(out)?;
    out.flush()?;
    let stop = generation.stop_reason().cloned();
    if timings {
        let line = timings_text(&generation.timings(), stop.as_ref(), options.sampling.seed);
        tell!("{DIM}{line}{DIM:#}");
    }
    Ok((stop.unwrap_or(StopReason::Cancelled), generation.tokens().last().copied()))
}

fn write_json(
    loaded: &Loaded,
    prompt: &str,
    generation: Generation<'_>,
    options: &GenerateOptions,
    out: &mut dyn Write,
) -> Result<(StopReason, Option<u32>), Fault> {
    let answer = generation.finish()?;
    let value = json!({
        "model": loaded.name,
        "prompt": prompt,
        "text": answer.text,
        "tokens": answer.tokens,
        "stop": answer.stop.name(),
        "seed": options.sampling.seed,
        "load_ms": loaded.seconds * 1e3,
        "timings": timings_json(&answer.timings),
    });
    serde_json::to_writer_pretty(&mut *out, &value)?;
    writeln!(out)?;
    Ok((answer.stop, answer.tokens.last().copied()))
}
