//! Chat templates: the model's own Jinja, which turns messages into the text it was trained on.
//! The language itself, and its limits, are in `bessemer_jinja`.

mod chat;
mod clock;
mod source;
pub(crate) mod world;

pub use chat::{Chat, Message};

use crate::{Cancel, Error, Result};
use bessemer_jinja::{Environment, ErrorKind, Template};

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
/// assert!(endless.render(&chat).unwrap_err().to_string().contains("10,000,000 steps"));
/// # Ok::<(), bessemer_llm::Error>(())
/// ```
#[derive(Clone)]
pub struct ChatTemplate {
    template: Template,
}

impl ChatTemplate {
    /// Reads a template. `rwkv-world` is the name of one, the format of RWKV's world models.
    ///
    /// ```
    /// use bessemer_llm::template::{Chat, ChatTemplate, Message};
    ///
    /// let chat = Chat::new([Message::user("Hello!")]);
    /// let text = ChatTemplate::new("rwkv-world")?.render(&chat)?;
    /// assert_eq!(text, "User: Hello!\n\nAssistant:");
    /// # Ok::<(), bessemer_llm::Error>(())
    /// ```
    pub fn new(source: &str) -> Result<ChatTemplate> {
        let source = if source.trim() == world::NAME { world::SOURCE } else { source };
        Ok(ChatTemplate { template: Template::new(source).map_err(refused)? })
    }

    /// The text of a chat. A template's own complaint, by `raise_exception`, is the error.
    pub fn render(&self, chat: &Chat) -> Result<String> {
        self.run(chat, None).map_err(refused)
    }

    /// The text of a chat; `None` if it was cancelled.
    pub(crate) fn render_unless(&self, cancel: &Cancel, chat: &Chat) -> Result<Option<String>> {
        match self.run(chat, Some(cancel)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::Cancelled => Ok(None),
            Err(error) => Err(refused(error)),
        }
    }

    fn run(&self, chat: &Chat, cancel: Option<&Cancel>) -> Result<String, bessemer_jinja::Error> {
        let clock = |format: &str| clock::format(chat.now, format);
        let environment = Environment { clock: Some(&clock), cancel: cancel.map(Cancel::flag) };
        self.template.render_with(&chat.variables(), &environment)
    }
}

pub(crate) const REMEDY: &str =
    "use the model without its template (raw), or get a file with a sound one";

fn refused(error: bessemer_jinja::Error) -> Error {
    Error::Template { why: error.to_string(), remedy: REMEDY }
}
