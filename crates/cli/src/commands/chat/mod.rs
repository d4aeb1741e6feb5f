//! `bessemer chat`: a conversation at the terminal, or from a script.
//!
//! `talk` is the conversation, `lines` where lines come from, `orders` what starts with a slash, `complete`
//! what Tab does.

mod complete;
mod lines;
mod orders;
mod talk;

use crate::{
    args::Global,
    fault::Fault,
    generate::{GenerateArgs, LoadArgs, StateArgs, no_template},
    terminal::tell,
    text::{BAD, BOLD, DIM},
};
use bessemer_llm::Cancel;
use clap::Args;
use lines::{Line, Lines};
use orders::Order;
use std::io::Write;
use talk::Talk;

/// Chat with a model
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Chat {
    #[command(flatten)]
    load: LoadArgs,

    #[command(flatten)]
    generate: GenerateArgs,

    #[command(flatten)]
    state: StateArgs,

    /// The system prompt
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,

    /// Do not use the chat template: the model continues what you type
    #[arg(long, conflicts_with = "system")]
    raw: bool,

    /// Print timings after each answer
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
  bessemer chat --model smollm2 --state talk.state --save-state talk.state

At the prompt, the arrow keys edit the line and browse the history, which is kept between chats, \
and Tab completes commands and settings. A line that ends in \\ continues on the next. Ctrl-C \
stops the answer, Ctrl-D quits. /help lists the chat commands: /reset /save /load /set. From a \
pipe, each line is one message. When the conversation no longer fits into the context, its oldest \
messages are dropped. With --state, the conversation follows the text whose state was saved, also \
after /reset. JSON fields: role, content, tokens (their number), stop, timings.";

impl Chat {
    pub(crate) fn run(self, global: &Global, out: &mut dyn Write) -> Result<(), Fault> {
        self.state.check()?;
        let loaded = self.load.load(global)?;
        let cancel = Cancel::new();
        let options = self.generate.options(&loaded.llm, &cancel)?;
        let raw = self.raw || loaded.llm.template()?.is_none();
        if raw && self.system.is_some() {
            return Err(no_template(&loaded.name));
        }
        let mut session = self.load.session(&loaded.llm)?;
        let before = self.state.restore(&mut session)?;
        let mut lines = Lines::open()?;
        if lines.is_terminal() && !self.json {
            let how = if raw { "it goes on with what you type" } else { "it answers" };
            let name = &loaded.name;
            writeln!(out, "{BOLD}{name}{BOLD:#} {DIM}{how}; /help for help, Ctrl-D quits{DIM:#}")?;
        }
        let mut talk = Talk::new(&loaded, session, before, options, raw);
        talk.system = self.system;
        talk.timings = self.timings;
        talk.json = self.json;
        loop {
            out.flush()?;
            let line = match lines.next()? {
                Line::End => break,
                Line::Interrupted => {
                    tell!("{DIM}Ctrl-D quits{DIM:#}");
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
                Some(Ok(order)) => report(talk.obey(order)),
                Some(Err(why)) => tell!("{BAD}error:{BAD:#} {why}"),
            }
        }
        let (session, rest) = talk.end();
        self.state.save(session, rest)
    }
}

/// What became of an order: a word on stderr, also if it went wrong. The conversation goes on.
fn report(done: Result<String, Fault>) {
    match done {
        Ok(said) => tell!("{DIM}{said}{DIM:#}"),
        Err(fault) => _ = fault.tell(),
    }
}
