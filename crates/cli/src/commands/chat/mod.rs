//! `bessemer chat`: a conversation at the terminal, or from a script.
//!
//! `talk` is the conversation, `lines` where lines come from, `orders` what starts with a slash.

mod lines;
mod orders;
mod talk;

use crate::{
    args::Global,
    fault::Fault,
    generate::{GenerateArgs, LoadArgs},
    text::{BOLD, DIM},
};
use bessemer_llm::Cancel;
use clap::Args;
use lines::{Line, Lines};
use orders::Order;
use std::io::Write;
use talk::Talk;

/// Talk to a model
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Chat {
    #[command(flatten)]
    load: LoadArgs,

    #[command(flatten)]
    generate: GenerateArgs,

    /// What the model is told to be
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,

    /// No chat template: the model goes on with what you type
    #[arg(long, conflicts_with = "system")]
    raw: bool,

    /// Say after each answer how long it took
    #[arg(long)]
    timings: bool,

    /// Print each answer as a JSON object on one line
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  bessemer chat --model smollm2
  bessemer chat --model smollm2 --system \"You are a patient teacher.\" --temperature 0.5
  printf 'Hello!\\nTell me more.\\n' | bessemer chat --model smollm2 --json

At the prompt: arrows edit and recall, a line that ends in \\ goes on in the next, Ctrl-C stops the
answer (not the program), Ctrl-D leaves. /help lists what else there is: /reset /save /load /set.
From a pipe each line is a message. When the conversation no longer fits the context, its oldest
messages are left out. JSON: role, content, tokens (how many), stop, timings.";

impl Chat {
    pub(crate) fn run(self, global: &Global, out: &mut dyn Write) -> Result<(), Fault> {
        let loaded = self.load.load(global)?;
        let cancel = Cancel::new();
        let options = self.generate.options(&loaded.llm, &cancel)?;
        let raw = self.raw || loaded.llm.template()?.is_none();
        if raw && self.system.is_some() {
            let why = format!("{} has no chat template: --system means nothing to it", loaded.name);
            return Err(Fault::usage(why));
        }
        let session = self.load.session(&loaded.llm)?;
        let mut lines = Lines::open()?;
        if lines.is_terminal() && !self.json {
            let how = if raw { "it goes on with what you type" } else { "it answers" };
            let name = &loaded.name;
            writeln!(out, "{BOLD}{name}{BOLD:#} {DIM}{how}; /help for help, Ctrl-D leaves{DIM:#}")?;
        }
        let mut talk = Talk::new(&loaded, session, options, self.system, raw);
        talk.timings = self.timings;
        talk.json = self.json;
        loop {
            out.flush()?;
            let line = match lines.next()? {
                Line::End => break,
                Line::Interrupted => {
                    anstream::eprintln!("{DIM}Ctrl-D leaves{DIM:#}");
                    continue;
                }
                Line::Text(line) => line,
            };
            match Order::parse(&line) {
                None if line.trim().is_empty() => {}
                None => match talk.say(&line, out) {
                    // A line that cannot be answered is no reason to leave somebody who can type another.
                    Err(fault) if lines.is_terminal() && fault.is_of_model() => _ = fault.tell(),
                    said => said?,
                },
                Some(Ok(Order::Quit)) => break,
                Some(Ok(order)) => tell(talk.obey(order))?,
                Some(Err(why)) => anstream::eprintln!("{why}"),
            }
        }
        lines.close();
        Ok(())
    }
}

/// What became of an order: a word on stderr, also if it went wrong. The conversation goes on.
fn tell(done: Result<String, Fault>) -> Result<(), Fault> {
    match done {
        Ok(said) => anstream::eprintln!("{DIM}{said}{DIM:#}"),
        Err(fault) => _ = fault.tell(),
    }
    Ok(())
}
