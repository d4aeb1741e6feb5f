//! Chat templates: the model's own Jinja, which turns messages into the text it was trained on.

mod chat;
mod environment;
mod python;
mod source;

pub use chat::{Chat, Message};

use crate::{Error, Result};
use minijinja::{Environment, ErrorKind};
use std::{io, sync::Arc};

/// Steps a template may take: enough for thousands of messages, and an endless loop ends soon.
const FUEL: u64 = 3_000_000;

/// The most text a template may write.
const MOST_BYTES: usize = 64 << 20;

const NAME: &str = "chat";

/// A model's chat template.
///
/// ```
/// use bessemer_llm::template::{Chat, ChatTemplate, Message};
///
/// let template = ChatTemplate::new(
///     "{% for m in messages %}<|{{ m.role }}|>{{ m.content | trim }}{{ '\n' }}{% endfor %}\
///      {% if add_generation_prompt %}<|assistant|>{% endif %}",
/// )?;
/// let chat = Chat::new([Message::user("Hello ")]);
/// assert_eq!(template.render(&chat)?, "<|user|>Hello\n<|assistant|>");
///
/// let endless = ChatTemplate::new(
///     "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}",
/// )?;
/// assert!(endless.render(&chat).unwrap_err().to_string().contains("does not end"));
/// # Ok::<(), bessemer_llm::Error>(())
/// ```
#[derive(Clone)]
pub struct ChatTemplate {
    environment: Arc<Environment<'static>>,
}

impl ChatTemplate {
    /// Reads a template.
    pub fn new(source: &str) -> Result<ChatTemplate> {
        let mut environment = environment::environment(FUEL).map_err(refused)?;
        environment
            .add_template_owned(NAME, environment::without_generation_marks(source))
            .map_err(refused)?;
        Ok(ChatTemplate { environment: Arc::new(environment) })
    }

    /// The text of a chat. A template's own complaint, by `raise_exception`, is the error.
    pub fn render(&self, chat: &Chat) -> Result<String> {
        let template = self.environment.get_template(NAME).map_err(refused)?;
        let mut out = Limited(Vec::new());
        template.render_captured_to(chat.context(), &mut out).map_err(refused)?;
        String::from_utf8(out.0).map_err(|e| Error::Template { why: e.to_string(), remedy: REMEDY })
    }
}

pub(crate) const REMEDY: &str =
    "use the model without its template (raw), or get a file with a sound one";

fn refused(error: minijinja::Error) -> Error {
    let line = error.line().map_or(String::new(), |n| format!("line {n}: "));
    let why = match error.kind() {
        ErrorKind::OutOfFuel => format!("it does not end: stopped after {FUEL} steps"),
        ErrorKind::WriteFailure => {
            format!("{line}it writes more than {} MB", MOST_BYTES >> 20)
        }
        kind => match error.detail() {
            Some(detail) => format!("{line}{detail}"),
            None => format!("{line}{kind}"),
        },
    };
    Error::Template { why, remedy: REMEDY }
}

/// Text up to a limit.
struct Limited(Vec<u8>);

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
