//! Tokens become text: whole characters, up to a token or a text that ends it.

use super::{GenerateOptions, StopReason, stops::Stops};
use crate::{
    Error, Result,
    tokenizer::{TextStream, Tokenizer},
};

/// The text of an answer as its tokens come, and what ends it. [`Generation`](super::Generation) has one;
/// so has whoever chooses tokens otherwise.
///
/// ```
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
/// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
/// use bessemer_llm::{GenerateOptions, StopReason, Writer};
///
/// let options = GenerateOptions { stop: vec!["."].into_iter().map(String::from).collect(), ..Default::default() };
/// let mut writer = Writer::new(llm.tokenizer(), &options, false)?;
/// assert_eq!(writer.push(u32::from(b'a'))?, ("a".into(), None));
/// assert_eq!(writer.push(u32::from(b'.'))?, ("".into(), Some(StopReason::Text(".".into()))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Writer<'t> {
    tokenizer: &'t Tokenizer,
    /// `None` once the text has ended.
    stream: Option<TextStream<'t>>,
    stops: Stops,
    ignore_end: bool,
    /// Whether the end of a turn does not end it: it is no chat.
    ignore_turns: bool,
}

impl<'t> Writer<'t> {
    /// A text that has not begun. The end of a turn only ends an answer in a chat.
    pub fn new(
        tokenizer: &'t Tokenizer,
        options: &GenerateOptions,
        is_chat: bool,
    ) -> Result<Writer<'t>> {
        Writer::with(tokenizer, options, is_chat, !is_chat)
    }

    /// The same, where what ends a turn as text and what does as a token are asked for apart.
    pub(super) fn with(
        tokenizer: &'t Tokenizer,
        options: &GenerateOptions,
        turns_end: bool,
        ignore_turns: bool,
    ) -> Result<Writer<'t>> {
        if options.stop.iter().any(String::is_empty) {
            return Err(Error::Session(
                "stop: an empty string would end every text; remove it".into(),
            ));
        }
        let mut stops = options.stop.clone();
        if turns_end && !options.ignore_end {
            stops.extend(tokenizer.turn_ends().iter().copied().map(String::from));
        }
        Ok(Writer {
            tokenizer,
            stream: Some(match options.show_special {
                true => tokenizer.stream().show_special(),
                false => tokenizer.stream(),
            }),
            stops: Stops::new(&stops),
            ignore_end: options.ignore_end,
            ignore_turns,
        })
    }

    /// Takes the next token: the text that is sure now, and why it ends here if it does.
    pub fn push(&mut self, token: u32) -> Result<(String, Option<StopReason>)> {
        if self.is_end(token) {
            return Ok((self.finish(), Some(StopReason::End(token))));
        }
        let text = match &mut self.stream {
            Some(stream) => stream.push(token)?,
            None => String::new(),
        };
        let (text, found) = self.stops.push(&text);
        let found = found.map(|found| StopReason::Text(found.to_owned()));
        if found.is_some() {
            // What came behind it is not wanted.
            self.stream = None;
        }
        Ok((text, found))
    }

    /// The text ends for another reason: what was held back comes out.
    pub fn finish(&mut self) -> String {
        let rest = self.stream.take().map(TextStream::finish).unwrap_or_default();
        let (mut text, found) = self.stops.push(&rest);
        if found.is_none() {
            text += &self.stops.finish();
        }
        text
    }

    /// Whether a token ends the text.
    pub fn is_end(&self, token: u32) -> bool {
        match self.ignore_turns {
            _ if self.ignore_end => false,
            true => self.tokenizer.is_end_of_text(token),
            false => self.tokenizer.is_end(token),
        }
    }
}
