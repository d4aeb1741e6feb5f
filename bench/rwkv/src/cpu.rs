//! The CPU beside llama.cpp: rounds of both sides in turn, the fastest of each counts.

use crate::{
    Arguments,
    files::{File, Folder, KINDS},
    logits::{apart, text},
    report::Report,
    shape::{LARGE, SMALL},
};
use anyhow::Result;
use bessemer::Device;
use bessemer_models_bench::{
    bandwidth::{Reader, Reading},
    line::Goal,
    peer::{Peer, Side},
    rounds::{Turn, rounds},
};

/// Rounds, unless others are asked for.
const ROUNDS: usize = 5;
/// Tokens of the prompt whose speed is measured.
const PROMPT: usize = 512;
/// Tokens of the prompt before an answer, and of the short text.
const SHORT: usize = 32;
/// Tokens of the answer, and of that to the long text.
const ANSWER: usize = 128;
const LATE_ANSWER: usize = 64;
/// Tokens of the long text; less if time is short.
const LONG: usize = 32_000;
const QUICK_LONG: usize = 2_000;

/// The run so far.
struct Contest<'a> {
    arguments: &'a Arguments,
    memory: Reader,
    /// Bytes per second, at the best moment.
    bandwidth: Reading,
    long: Vec<u32>,
    report: Report,
}

/// Measures every shape in every format.
pub(crate) fn run(arguments: &Arguments, folder: &Folder) -> Result<Report> {
    let peer = Peer::start(Side::Llama, &arguments.python)?.version.clone();
    let long = if arguments.quick { QUICK_LONG } else { LONG };
    let mut contest = Contest {
        arguments,
        memory: Reader::new(arguments.threads)?,
        bandwidth: Reading::both(0.0),
        long: text(long, SMALL.vocabulary),
        report: Report::new("cpu"),
    };
    for shape in [SMALL, LARGE] {
        for kind in KINDS {
            if arguments.wants(&format!("{} {kind}", shape.name)) {
                let file = folder.file(&shape, kind)?;
                eprintln!("{}", file.name);
                contest.model(&file)?;
            }
        }
    }
    let Contest { bandwidth, mut report, .. } = contest;
    let device = Device::open("cpu")?;
    report.set(format!(
        "{} with {}, {} threads, against {peer}; best of {} rounds of each side in turn. Memory can be \
         read at {:.1} GB/s, in pages of 2 MB at {:.1}. The long text has {long} tokens.",
        device.info().name,
        device.info().features.join(", "),
        arguments.threads,
        arguments.rounds(ROUNDS),
        bandwidth.small_pages / 1e9,
        bandwidth.large_pages / 1e9
    ));
    Ok(report)
}

impl Contest<'_> {
    fn model(&mut self, file: &File) -> Result<()> {
        self.speed(file)?;
        self.long_text(file)
    }

    /// Prompts and answers beside llama.cpp.
    fn speed(&mut self, file: &File) -> Result<()> {
        let (mut ours, mut theirs) =
            (self.open(Side::Bessemer, file)?, self.open(Side::Llama, file)?);
        let error = apart([&mut ours, &mut theirs], &self.long[..SHORT])?;
        let goal = Goal::AtMost(0.25);
        self.report.add(&file.name, "logits apart", "llama.cpp", goal, error, None);

        let count = self.arguments.rounds(ROUNDS);
        let prompt = &self.long[..PROMPT];
        let prefill = rounds(count, &mut ours, &mut theirs, |peer, _| peer.prefill(prompt))?;
        let (goal, rate) = (Goal::AtLeast(3.0), PROMPT as f64 / prefill.ours);
        self.report.add(&file.name, "prefill", "llama.cpp", goal, prefill.ratio(), Some(rate));

        // Memory is a contender as well: its speed changes with what else goes on in the machine.
        let mut bandwidth = Reading::both(0.0);
        let decode = rounds(count, &mut ours, &mut theirs, |peer, _| {
            bandwidth = bandwidth.with(self.memory.read(), f64::max);
            peer.prefill(&self.long[..SHORT])?;
            peer.decode(ANSWER)
        })?;
        self.bandwidth = self.bandwidth.with(bandwidth, f64::max);
        let (goal, rate) = (Goal::AtLeast(1.75), 1.0 / decode.ours);
        self.report.add(&file.name, "decode", "llama.cpp", goal, decode.ratio(), Some(rate));
        let read = Reading::both((file.weights + file.state) as f64 * rate);
        let share = read.with(bandwidth, |ours, limit| ours / limit);
        let (limit, goal) = ("reading weights and state", Goal::AtLeast(0.8));
        self.report.add(&file.name, "decode", limit, goal, share.small_pages, None);
        let limit = "reading, pages of 2 MB";
        self.report.add(&file.name, "decode", limit, Goal::None, share.large_pages, None);
        let (memory, their_memory) = (ours.peak_memory()?, theirs.peak_memory()?);
        let (ratio, figure) = (memory / their_memory, Some(memory / 1e6));
        self.report.add(&file.name, "peak memory, MB", "llama.cpp", Goal::None, ratio, figure);
        Ok(())
    }

    /// A long text beside a short one, both ours: speed and memory.
    fn long_text(&mut self, file: &File) -> Result<()> {
        let (mut short, mut long) =
            (self.open(Side::Bessemer, file)?, self.open(Side::Bessemer, file)?);
        for peer in [&mut short, &mut long] {
            // What a prompt of any length needs once.
            peer.prefill(&self.long[..PROMPT])?;
        }
        short.prefill(&self.long[..SHORT])?;
        long.prefill(&self.long)?;
        for peer in [&mut short, &mut long] {
            peer.decode(LATE_ANSWER)?;
        }
        let (memory, short_memory) = (long.memory()?, short.memory()?);
        let count = self.arguments.rounds(ROUNDS);
        let best = rounds(count, &mut long, &mut short, |peer, turn| {
            if turn == Turn::Theirs {
                peer.prefill(&self.long[..SHORT])?;
            }
            peer.decode(LATE_ANSWER)
        })?;
        let (goal, rate) = (Goal::AtLeast(0.98), 1.0 / best.ours);
        let against = "after 32 tokens";
        self.report.add(&file.name, "decode, long text", against, goal, best.ratio(), Some(rate));
        let (goal, ratio) = (Goal::AtMost(1.01), memory / short_memory);
        let figure = Some(memory / 1e6);
        self.report.add(&file.name, "memory, long text, MB", against, goal, ratio, figure);
        Ok(())
    }

    fn open(&self, side: Side, file: &File) -> Result<Peer> {
        let mut peer = Peer::start(side, &self.arguments.python)?;
        peer.open(&file.path, 2 * LONG, self.arguments.threads)?;
        Ok(peer)
    }
}
