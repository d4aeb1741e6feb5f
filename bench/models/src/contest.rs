//! What is measured, and how: rounds of both sides in turn, the fastest of each counts.

use crate::{files::File, report::Report};
use anyhow::{Context, Result};
use bessemer_models_bench::{
    bandwidth::{Reader, Reading},
    line::{Goal, Line},
    peer::{Peer, Side},
    rounds::{Best, rounds},
};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Room for the longest text.
const CONTEXT: usize = 2304;
/// Tokens of the prompt and of the answer.
const PROMPT: usize = 512;
const ANSWER: usize = 128;
/// Two logits nearer than this may change places by rounding.
const NEAR_TIE: f64 = 0.1;

/// The text whose perplexity is measured: one that never changes.
const TEXT: &str = include_str!("../../../LICENSE-APACHE");
const PROMPTS: [&str; 4] = [
    "Once upon a time, in a small village by the sea,",
    "The three laws of thermodynamics are",
    "def fibonacci(n):\\n    ",
    "Der schnellste Weg von Hamburg nach Berlin",
];

/// The run so far.
pub(crate) struct Contest {
    python: PathBuf,
    rounds: usize,
    threads: usize,
    memory: Reader,
    /// Bytes per second, at the best moment.
    bandwidth: Reading,
    peer: String,
    lines: Vec<Line>,
    /// Tokens per second of llama.cpp's prompt in Q4_0, its fastest format.
    fastest_prefill: Option<f64>,
}

impl Contest {
    pub(crate) fn new(python: &Path, rounds: usize, threads: usize) -> Result<Contest> {
        let peer = Peer::start(Side::Llama, python)?.version.clone();
        Ok(Contest {
            python: python.to_owned(),
            rounds,
            threads,
            memory: Reader::new(threads)?,
            bandwidth: Reading::both(0.0),
            peer,
            lines: Vec::new(),
            fastest_prefill: None,
        })
    }

    pub(crate) fn report(self) -> Report {
        let Contest { rounds, threads, bandwidth, peer, lines, .. } = self;
        Report { rounds, threads, bandwidth, peer, lines }
    }

    /// All that is asked of SmolLM2.
    pub(crate) fn small_model(&mut self, file: &File) -> Result<()> {
        let kind = file.name.rsplit(' ').next().unwrap_or_default().to_owned();
        let first_token = self.first_token(file)?;
        let (mut ours, mut theirs) = self.both(file)?;
        let text: Vec<u32> = tokens(&mut theirs, TEXT)?;
        let speed = self.speed(&mut ours, &mut theirs, &text)?;
        let memory = ours.peak_memory()? / theirs.peak_memory()?;

        let prefill = PROMPT as f64 / speed.prefill.ours;
        if kind == "Q4_0" {
            self.fastest_prefill = Some(PROMPT as f64 / speed.prefill.theirs);
        }
        if kind == "F16" {
            let goal = Goal::AtLeast(2.0);
            self.add(file, "prefill 512", "llama.cpp", goal, speed.prefill.ratio(), Some(prefill));
        } else {
            let against = self.fastest_prefill.unwrap_or(PROMPT as f64 / speed.prefill.theirs);
            let ratio = prefill / against;
            let goal = Goal::AtLeast(2.5);
            self.add(file, "prefill 512", "llama.cpp's Q4_0", goal, ratio, Some(prefill));
        }
        let goal = match kind.as_str() {
            "Q4_0" => 1.75,
            "Q8_0" => 1.6,
            "F16" => 1.4,
            _ => 2.0,
        };
        self.decoding(file, &speed, goal, 0.8);
        let late = self.late_decode(&mut ours, &mut theirs, &text)?;
        let rate = Some(1.0 / late.ours);
        self.add(file, "decode at 2048", "llama.cpp", Goal::AtLeast(1.5), late.ratio(), rate);
        let ratio = first_token.ratio();
        self.add(file, "load to first token", "llama.cpp", Goal::AtLeast(1.0), ratio, None);
        self.add(file, "peak memory", "llama.cpp", Goal::AtMost(1.1), memory, None);
        self.quality(file, &mut ours, &mut theirs, &text)?;
        if kind != "F16" {
            self.precise(file, &mut theirs, &text)?;
        }
        Ok(())
    }

    /// Speed alone, of a model that is no use.
    pub(crate) fn large_model(&mut self, file: &File) -> Result<()> {
        let (mut ours, mut theirs) = self.both(file)?;
        let text: Vec<u32> = (0..PROMPT as u32).map(|i| i * 7919 % 128_000).collect();
        let speed = self.speed(&mut ours, &mut theirs, &text)?;
        let (ratio, rate) = (speed.prefill.ratio(), PROMPT as f64 / speed.prefill.ours);
        self.add(file, "prefill 512", "llama.cpp", Goal::AtLeast(1.5), ratio, Some(rate));
        self.decoding(file, &speed, 1.5, 0.85);
        Ok(())
    }

    fn decoding(&mut self, file: &File, speed: &Speed, goal: f64, share: f64) {
        self.bandwidth = self.bandwidth.with(speed.bandwidth, f64::max);
        let rate = 1.0 / speed.decode.ours;
        let ratio = speed.decode.ratio();
        self.add(file, "decode 128", "llama.cpp", Goal::AtLeast(goal), ratio, Some(rate));
        let Reading { small_pages, large_pages } =
            Reading::both(file.bytes * rate).with(speed.bandwidth, |ours, limit| ours / limit);
        let (limit, goal) = ("reading the weights", Goal::AtLeast(share));
        self.add(file, "decode 128", limit, goal, small_pages, None);
        let limit = "reading, pages of 2 MB";
        self.add(file, "decode 128", limit, Goal::None, large_pages, None);
    }

    /// Both sides with the model.
    fn both(&self, file: &File) -> Result<(Peer, Peer)> {
        let open = |side| -> Result<Peer> {
            let mut peer = Peer::start(side, &self.python)?;
            peer.open(&file.path, CONTEXT, self.threads)?;
            Ok(peer)
        };
        Ok((open(Side::Bessemer)?, open(Side::Llama)?))
    }

    fn speed(&self, ours: &mut Peer, theirs: &mut Peer, text: &[u32]) -> Result<Speed> {
        let prefill = rounds(self.rounds, ours, theirs, |peer, _| peer.prefill(&text[..PROMPT]))?;
        // Memory is a contender as well: its speed changes with what else goes on in the machine.
        let mut bandwidth = Reading::both(0.0);
        let decode = rounds(self.rounds, ours, theirs, |peer, _| {
            bandwidth = bandwidth.with(self.memory.read(), f64::max);
            peer.prefill(&text[..16])?;
            peer.decode(ANSWER)
        })?;
        Ok(Speed { prefill, decode, bandwidth })
    }

    fn late_decode(&self, ours: &mut Peer, theirs: &mut Peer, text: &[u32]) -> Result<Best> {
        let long: Vec<u32> = text.iter().copied().cycle().take(2048).collect();
        for peer in [&mut *ours, &mut *theirs] {
            peer.prefill(&long)?;
        }
        rounds(self.rounds, ours, theirs, |peer, _| peer.decode(32))
    }

    /// Seconds from nothing but a file in the page cache to the first token.
    fn first_token(&self, file: &File) -> Result<Best> {
        let mut best = Best::default();
        for _ in 0..self.rounds {
            for (side, best) in [(Side::Bessemer, &mut best.ours), (Side::Llama, &mut best.theirs)]
            {
                let mut peer = Peer::start(side, &self.python)?;
                let seconds = peer.open(&file.path, CONTEXT, self.threads)?;
                *best = best.min(seconds + peer.prefill(&[1, 2, 3, 4, 5, 6, 7, 8])?);
            }
        }
        Ok(best)
    }

    /// llama.cpp with the same weights in f32.
    fn exact(&self, file: &File) -> Result<Peer> {
        let exact = file.exact.as_ref().context("no exact file")?;
        let mut peer = Peer::start(Side::Llama, &self.python)?;
        let arguments =
            json!({ "file": exact, "context": 512, "threads": self.threads, "exact": true });
        peer.ask("open", arguments)?;
        Ok(peer)
    }

    /// Texts of a device that rounds as little as it can, and what they cost.
    fn precise(&mut self, file: &File, theirs: &mut Peer, text: &[u32]) -> Result<()> {
        let mut ours = Peer::start(Side::Bessemer, &self.python)?;
        let arguments = json!({
            "file": file.path, "context": CONTEXT, "threads": self.threads, "precise": true,
        });
        ours.ask("open", arguments)?;
        let mut exact = self.exact(file)?;
        let (mut same, mut theirs_same) = (usize::MAX, usize::MAX);
        for prompt in PROMPTS {
            let prompt = tokens(theirs, prompt)?;
            same = same.min(same_text([&mut ours, &mut exact], None, &prompt)?);
            theirs_same = theirs_same.min(same_text([theirs, &mut exact], None, &prompt)?);
        }
        let (work, judge) = ("same greedy tokens, `--precise`", "f32 arithmetic");
        self.add(file, work, judge, Goal::AtLeast(64.0), same as f64, None);
        let work = "same greedy tokens, llama.cpp's";
        self.add(file, work, judge, Goal::None, theirs_same as f64, None);
        let decode = rounds(self.rounds, &mut ours, theirs, |peer, _| {
            peer.prefill(&text[..16])?;
            peer.decode(ANSWER)
        })?;
        let rate = Some(1.0 / decode.ours);
        self.add(file, "decode 128, `--precise`", "llama.cpp", Goal::None, decode.ratio(), rate);
        Ok(())
    }

    /// Logits, texts and perplexity.
    fn quality(
        &mut self,
        file: &File,
        ours: &mut Peer,
        theirs: &mut Peer,
        text: &[u32],
    ) -> Result<()> {
        let mut exact = self.exact(file)?;
        let (mut errors, mut same, mut same_as_exact) = ([0.0; 2], usize::MAX, usize::MAX);
        for prompt in PROMPTS {
            let prompt = tokens(theirs, prompt)?;
            let logits = |peer: &mut Peer| {
                peer.numbers("last_logits", json!({ "tokens": prompt }), "logits")
            };
            let right = logits(&mut exact)?;
            for (peer, error) in [&mut *ours, &mut *theirs].into_iter().zip(&mut errors) {
                let found = logits(peer)?;
                let squares = found.iter().zip(&right).map(|(a, b)| (a - b) * (a - b));
                *error += squares.sum::<f64>() / right.len() as f64;
            }
            same = same.min(same_text([ours, theirs], Some(&mut exact), &prompt)?);
            same_as_exact = same_as_exact.min(same_text([ours, &mut exact], None, &prompt)?);
        }
        let ratio = (errors[0] / errors[1]).sqrt();
        self.add(file, "error of first logits", "llama.cpp", Goal::AtMost(1.0), ratio, None);
        let goal = Goal::AtLeast(64.0);
        self.add(file, "same greedy tokens", "llama.cpp", goal, same as f64, None);
        // With activations of 8 bits that is luck; `--precise` is held to it.
        let goal = if file.name.ends_with("F16") { goal } else { Goal::None };
        self.add(file, "same greedy tokens", "f32 arithmetic", goal, same_as_exact as f64, None);

        let mut sums = [0.0; 2];
        for window in text.chunks_exact(512).take(4) {
            for (peer, sum) in [&mut *ours, &mut *theirs].into_iter().zip(&mut sums) {
                let answer = peer.ask("losses", json!({ "tokens": window }))?;
                let number = |name: &str| answer[name].as_f64().context("no number");
                *sum += number("sum")? / number("count")? / 4.0;
            }
        }
        let ratio = (sums[0] - sums[1]).abs().exp();
        let rate = Some(sums[0].exp());
        self.add(file, "perplexity, either way", "llama.cpp", Goal::AtMost(1.005), ratio, rate);
        Ok(())
    }

    fn add(
        &mut self,
        file: &File,
        work: &'static str,
        against: &'static str,
        goal: Goal,
        ratio: f64,
        figure: Option<f64>,
    ) {
        let line = Line { file: file.name.clone(), work, against, goal, ratio, figure };
        eprintln!("  {line}");
        self.lines.push(line);
    }
}

struct Speed {
    prefill: Best,
    decode: Best,
    /// Bytes per second that could be read meanwhile.
    bandwidth: Reading,
}

fn tokens(llama: &mut Peer, text: &str) -> Result<Vec<u32>> {
    let tokens = llama.numbers("tokenize", json!({ "text": text }), "tokens")?;
    Ok(tokens.into_iter().map(|token| token as u32).collect())
}

/// How many of 64 greedy tokens are the same; all, if it is a near-tie where the texts part, for either
/// side or for the judge.
fn same_text(sides: [&mut Peer; 2], judge: Option<&mut Peer>, prompt: &[u32]) -> Result<usize> {
    let decode = |peer: &mut Peer| -> Result<Vec<f64>> {
        peer.prefill(prompt)?;
        peer.numbers("decode", json!({ "count": 64 }), "tokens")
    };
    let [ours, theirs] = sides;
    let (a, b) = (decode(ours)?, decode(theirs)?);
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    if same == a.len() {
        return Ok(same);
    }
    let mut text = prompt.to_vec();
    text.extend(a[..same].iter().map(|&token| token as u32));
    for peer in [ours, theirs].into_iter().chain(judge) {
        let logits = peer.numbers("last_logits", json!({ "tokens": text }), "logits")?;
        if (logits[a[same] as usize] - logits[b[same] as usize]).abs() < NEAR_TIE {
            return Ok(a.len());
        }
    }
    Ok(same)
}
