//! A conversation: its messages, its settings, and the answers of a model.

use super::orders::{self, Order};
use crate::{
    fault::Fault,
    files::write_whole,
    generate::{Loaded, timings_json, timings_text},
    interrupt,
    terminal::{self, Wrap, tell},
    text::{DIM, WARN},
};
use anyhow::{Context, anyhow};
use bessemer_llm::{
    GenerateOptions, Prompt, SETTINGS, Session, Setting, StopReason,
    template::{Chat, Message},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{fs, io::Write, path::Path};

/// A conversation with a model.
pub(super) struct Talk<'a> {
    loaded: &'a Loaded,
    session: Session,
    /// The tokens of the text that the conversation follows.
    before: Vec<u32>,
    /// The last token of the last answer, which has not gone through the model yet.
    last: Option<u32>,
    options: GenerateOptions,
    pub(super) system: Option<String>,
    /// The messages, without the system's.
    messages: Vec<Message>,
    /// Without a template: all text so far.
    text: Option<String>,
    pub(super) timings: bool,
    pub(super) json: bool,
}

/// A conversation in a file.
#[derive(Serialize, Deserialize)]
struct Saved {
    model: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default)]
    messages: Vec<Message>,
}

/// Tokens of the context that are kept free for an answer.
const ROOM: usize = 64;

impl<'a> Talk<'a> {
    pub(super) fn new(
        loaded: &'a Loaded,
        session: Session,
        before: Vec<u32>,
        options: GenerateOptions,
        raw: bool,
    ) -> Talk<'a> {
        Talk {
            loaded,
            session,
            before,
            last: None,
            options,
            system: None,
            messages: Vec::new(),
            text: raw.then(String::new),
            timings: false,
            json: false,
        }
    }

    /// Says something to the model and writes its answer. If it has none, nothing was said.
    pub(super) fn say(&mut self, line: &str, out: &mut dyn Write) -> Result<(), Fault> {
        let before = (self.messages.clone(), self.text.clone());
        let said = self.answer(line, out);
        if said.is_err() {
            (self.messages, self.text) = before;
        }
        said
    }

    fn answer(&mut self, line: &str, out: &mut dyn Write) -> Result<(), Fault> {
        let line = line.strip_prefix('/').unwrap_or(line);
        self.options.cancel.reset();
        let stoppable = interrupt::stops(&self.options.cancel);
        self.add(line)?;
        let (llm, chat) = (&self.loaded.llm, self.chat());
        let prompt = match &self.text {
            Some(text) => Prompt::Text(text),
            None => Prompt::Chat(&chat),
        };
        self.last = None;
        let (session, options) = (&mut self.session, &self.options);
        let mut generation = llm.generate_after(session, &self.before, prompt, options)?;
        let mut answer = String::new();
        let mut screen = Wrap::new(out, terminal::columns());
        for piece in &mut generation {
            let piece = piece?;
            if !self.json {
                screen.write(&piece)?;
            }
            answer += &piece;
        }
        screen.finish()?;
        let (stop, timings) = (generation.stop_reason().cloned(), generation.timings());
        self.last = generation.tokens().last().copied();
        drop((generation, stoppable));
        if self.json {
            let value = json!({
                "role": "assistant",
                "content": answer,
                "tokens": timings.tokens,
                "stop": stop.as_ref().map(StopReason::name),
                "seed": self.options.sampling.seed,
                "timings": timings_json(&timings),
            });
            writeln!(out, "{value}")?;
        } else {
            writeln!(out)?;
        }
        out.flush()?;
        if let Some(text) = &mut self.text {
            text.push_str(&answer);
        } else {
            self.messages.push(Message::assistant(&answer));
        }
        match &stop {
            Some(StopReason::ContextFull) => {
                note("the context is full; clear it with /reset, or use a larger --context")
            }
            Some(StopReason::Cancelled) if !self.json => note("stopped"),
            _ => {}
        }
        if self.timings {
            note(&timings_text(&timings, stop.as_ref(), self.options.sampling.seed));
        }
        Ok(())
    }

    /// Adds a line to the conversation; older messages go if they do not fit.
    fn add(&mut self, line: &str) -> Result<(), Fault> {
        if let Some(text) = &mut self.text {
            text.push_str(line);
            return Ok(());
        }
        self.messages.push(Message::user(line));
        let mut dropped = 0;
        loop {
            let tokens = self.loaded.llm.tokens(&Prompt::Chat(&self.chat()))?;
            let capacity = self.session.capacity();
            let fits = self.before.len() + tokens.len() + ROOM.min(capacity / 4) <= capacity;
            if fits || self.messages.len() == 1 {
                if dropped > 0 && !self.json {
                    note(&format!(
                        "the context is full: the oldest {dropped} messages were dropped"
                    ));
                }
                return Ok(());
            }
            // A turn at a time: templates want people and models to alternate.
            let turn = self.messages.iter().skip(1).position(|message| message.role == "user");
            let turn = turn.map_or(self.messages.len() - 1, |at| at + 1);
            self.messages.drain(..turn);
            dropped += turn;
        }
    }

    /// The session at the end, and the tokens that have not gone through the model yet.
    pub(super) fn end(&mut self) -> (&mut Session, &[u32]) {
        let is_clear = self.messages.is_empty() && self.text.as_ref().is_none_or(String::is_empty);
        if is_clear {
            self.session.rewind(self.before.len());
            self.last = None;
        }
        (&mut self.session, self.last.as_slice())
    }

    fn chat(&self) -> Chat {
        let system = self.system.as_deref().map(Message::system);
        Chat::new(system.into_iter().chain(self.messages.iter().cloned()))
    }

    /// Does what is asked of the program; gives what to say of it.
    pub(super) fn obey(&mut self, order: Order) -> Result<String, Fault> {
        match order {
            Order::Help => Ok(orders::help()),
            Order::Reset => {
                self.messages.clear();
                self.text.iter_mut().for_each(String::clear);
                Ok("the conversation is cleared".to_owned())
            }
            Order::Save(path) => self.save(&path),
            Order::Load(path) => self.load(&path),
            Order::Set(None) => Ok(self.settings()),
            Order::Set(Some((key, value))) => self.set(&key, &value),
            Order::Quit => Ok(String::new()),
        }
    }

    fn save(&self, path: &Path) -> Result<String, Fault> {
        let messages = self.chat().messages;
        let saved = Saved { model: self.loaded.name.clone(), text: self.text.clone(), messages };
        write_whole(path, serde_json::to_string_pretty(&saved)?.as_bytes())?;
        Ok(format!("saved to {}", path.display()))
    }

    fn load(&mut self, path: &Path) -> Result<String, Fault> {
        let json = fs::read(path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let saved: Saved = serde_json::from_slice(&json)
            .map_err(|e| anyhow!("{}: not a conversation that /save wrote: {e}", path.display()))?;
        let why = match (saved.text.is_some(), self.text.is_some()) {
            (true, false) => "saved without a chat template; start the chat with --raw to load it",
            (false, true) => "saved with a chat template, and this chat has none",
            _ => "",
        };
        if !why.is_empty() {
            return Err(anyhow!("{}: {why}", path.display()).into());
        }
        let (system, messages) =
            saved.messages.into_iter().partition(|m: &Message| m.role == "system");
        let system: Vec<Message> = system;
        if let Some(content) = system.first().and_then(|message| message.content.as_ref()) {
            self.system = content.as_str().map(str::to_owned);
        }
        self.messages = messages;
        self.text = saved.text;
        let count = self.messages.len();
        Ok(format!("loaded {count} messages from {}, with {}", path.display(), saved.model))
    }

    fn settings(&self) -> String {
        let system = self.system.as_ref().map_or("none".to_owned(), |text| format!("{text:?}"));
        let line = |finer: bool| {
            let settings = SETTINGS.iter().filter(|setting| setting.finer == finer);
            let shown =
                settings.map(|setting| format!("{} {}", setting.name, setting.show(&self.options)));
            shown.collect::<Vec<_>>().join(", ")
        };
        format!("{}\n{}\nsystem {system}", line(false), line(true))
    }

    fn set(&mut self, key: &str, value: &str) -> Result<String, Fault> {
        if key == "system" {
            if self.text.is_some() {
                return Err(Fault::usage(
                    "/set system: this chat has no template, so it takes no system prompt",
                ));
            }
            self.system = (value != "none").then(|| value.to_owned());
            return Ok(self.settings());
        }
        let mut options = self.options.clone();
        let Some(setting) = Setting::find(key) else {
            return Err(Fault::usage(format!("/set {key}: unknown setting; /help lists them")));
        };
        let set = setting.set(&mut options, value);
        let checked = set.and_then(|()| options.sampling.check(self.loaded.llm.tokenizer().len()));
        checked.map_err(|bad| Fault::usage(format!("/set {key} {value}: not {}", bad.rule)))?;
        self.options = options;
        Ok(self.settings())
    }
}

fn note(words: &str) {
    let style = if words.contains("full") { WARN } else { DIM };
    tell!("{style}{words}{style:#}");
}
