//! The WebGPU device beside web-rwkv on the same adapter, with the same weights.

use crate::{
    Arguments,
    files::Folder,
    logits::{apart, text},
    report::Report,
    shape::{LARGE_HALF, SMALL, Shape},
};
use anyhow::{Context, Result, bail};
use bessemer_models_bench::{
    line::Goal,
    peer::{Peer, Side},
    rounds::{Turn, rounds},
};
use serde_json::json;
use std::{path::Path, process::Command};

/// Rounds, unless others are asked for: those on software adapters are long.
const ROUNDS: usize = 3;
/// Tokens of the prompt and of the answer.
const PROMPT: usize = 512;
const ANSWER: usize = 16;
const QUICK_PROMPT: usize = 64;
const QUICK_ANSWER: usize = 4;
/// Tokens before the answer.
const SHORT: usize = 32;
/// How many tokens web-rwkv may take at once; the fastest counts.
const CHUNKS: [usize; 4] = [32, 64, 128, 256];
/// Our format, and what web-rwkv calls the one with as many bits.
const PAIRS: [(&str, &str); 2] = [("F16", "f16"), ("Q8_0", "int8")];

/// Measures every shape in every pair of formats.
pub(crate) fn run(arguments: &Arguments, folder: &Folder, program: &Path) -> Result<Report> {
    let mut report = Report::new("webgpu");
    for shape in [SMALL, LARGE_HALF] {
        for (ours, theirs) in PAIRS {
            let name = format!("{} {ours}", shape.name);
            if arguments.wants(&name) {
                eprintln!("{name}");
                let mut contest =
                    Contest::open(arguments, folder, program, &shape, [ours, theirs])?;
                contest.run(arguments, &name, &mut report).with_context(|| name)?;
            }
        }
        // Gigabytes that are made again in seconds.
        folder.forget_safetensors(&shape);
    }
    Ok(report)
}

/// Both sides with a model.
struct Contest {
    adapter: String,
    ours: Peer,
    theirs: Peer,
    text: Vec<u32>,
}

impl Contest {
    fn open(
        arguments: &Arguments,
        folder: &Folder,
        program: &Path,
        shape: &Shape,
        [kind, quantized]: [&str; 2],
    ) -> Result<Contest> {
        let file = folder.file(shape, kind)?;
        let mut ours = Peer::start(Side::Bessemer, &arguments.python)?;
        let open = json!({
            "file": file.path, "context": 2 * PROMPT, "threads": arguments.threads, "device": "webgpu",
        });
        let adapter = ours.ask("open", open)?["device"].clone();
        let mut theirs = Peer::run(Command::new(program))?;
        let open = json!({ "file": folder.safetensors(shape)?, "quantized": quantized });
        let their_adapter = theirs.ask("open", open)?["device"].clone();
        if adapter != their_adapter {
            bail!("we run on {adapter} and web-rwkv on {their_adapter}");
        }
        let adapter = adapter.as_str().unwrap_or_default().to_owned();
        Ok(Contest { adapter, ours, theirs, text: text(PROMPT, shape.vocabulary) })
    }

    fn run(&mut self, arguments: &Arguments, name: &str, report: &mut Report) -> Result<()> {
        let Contest { adapter, ours, theirs, text } = self;
        let (prompt, answer) = match arguments.quick {
            true => (QUICK_PROMPT, QUICK_ANSWER),
            false => (PROMPT, ANSWER),
        };
        // Formats of 8 bits differ in how they round.
        let goal = if name.ends_with("F16") { Goal::AtMost(0.05) } else { Goal::None };
        let error = apart([ours, theirs], &text[..SHORT])?;
        report.add(name, "logits apart", "web-rwkv", goal, error, None);

        // The first prompt compiles what there is to compile.
        let text = &text[..prompt];
        ours.prefill(text)?;
        theirs.prefill(&text[..QUICK_PROMPT])?;
        let chunk = fastest_chunk(theirs, text)?;
        let count = arguments.rounds(ROUNDS);
        let request = json!({ "tokens": text, "chunk": chunk });
        let prefill = rounds(count, ours, theirs, |peer, turn| match turn {
            Turn::Ours => peer.prefill(text),
            Turn::Theirs => peer.number("prefill", request.clone(), "seconds"),
        })?;
        let (goal, rate) = (Goal::AtLeast(3.0), prompt as f64 / prefill.ours);
        report.add(name, "prefill", "web-rwkv", goal, prefill.ratio(), Some(rate));

        let decode = rounds(count, ours, theirs, |peer, _| {
            peer.prefill(&text[..SHORT])?;
            peer.decode(1)?;
            peer.decode(answer)
        })?;
        let rate = 1.0 / decode.ours;
        report.add(name, "decode", "web-rwkv", goal, decode.ratio(), Some(rate));
        report.set(format!(
            "On {adapter}, against {}; best of {count} rounds of each side in turn. A prompt has \
             {prompt} tokens, an answer {answer}.",
            theirs.version
        ));
        Ok(())
    }
}

/// How many tokens web-rwkv takes at once to be fastest.
fn fastest_chunk(theirs: &mut Peer, text: &[u32]) -> Result<usize> {
    let text = &text[..text.len().min(CHUNKS[CHUNKS.len() - 1])];
    let mut best = (f64::INFINITY, CHUNKS[0]);
    for chunk in CHUNKS.into_iter().filter(|&chunk| chunk <= text.len()) {
        let request = json!({ "tokens": text, "chunk": chunk });
        let seconds = theirs.number("prefill", request, "seconds")?;
        if seconds < best.0 {
            best = (seconds, chunk);
        }
    }
    Ok(best.1)
}
