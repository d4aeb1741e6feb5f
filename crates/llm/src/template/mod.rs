//! Chat templates: the model's own Jinja, which turns messages into the text it was trained on.

mod bounds;
mod chat;
mod environment;
mod python;
mod source;

pub use chat::{Chat, Message};

use crate::{Error, Result};
use minijinja::{
    AutoEscape, Environment, ErrorKind,
    machinery::{self, CompiledTemplate, TemplateConfig},
};
use std::sync::Arc;

/// Steps a template may take: enough for thousands of messages, and an endless loop ends soon.
const FUEL: u64 = 3_000_000;

/// The longest template that is read: some fifty times what models have.
const LONGEST: usize = 1 << 20;

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
    source: Arc<str>,
    environment: Arc<Environment<'static>>,
}

impl ChatTemplate {
    /// Reads a template.
    pub fn new(source: &str) -> Result<ChatTemplate> {
        if source.len() > LONGEST {
            let why = format!("it has {} bytes, more than {LONGEST}", source.len());
            return Err(Error::Template { why, remedy: REMEDY });
        }
        let source: Arc<str> = environment::without_generation_marks(source).into();
        let environment = environment::environment().map_err(refused)?;
        compile(&source).map_err(refused)?;
        Ok(ChatTemplate { source, environment: Arc::new(environment) })
    }

    /// The text of a chat. A template's own complaint, by `raise_exception`, is the error.
    pub fn render(&self, chat: &Chat) -> Result<String> {
        self.run(chat).map_err(refused)
    }

    fn run(&self, chat: &Chat) -> Result<String, minijinja::Error> {
        let mut template = compile(&self.source)?;
        let mut longest = bounds::count(&mut template.instructions);
        for block in template.blocks.values_mut() {
            longest = longest.max(bounds::count(block));
        }
        let mut environment = (*self.environment).clone();
        // What stands in the template itself is written without being counted.
        let most = bounds::MOST_BYTES / longest.max(1);
        environment.set_fuel(Some(FUEL.min(most as u64)));
        bounds::start();
        let mut text = String::new();
        machinery::eval(
            &environment,
            &template.instructions,
            chat.context(),
            &template.blocks,
            &mut machinery::make_string_output(&mut text),
            template.initial_auto_escape,
        )?;
        Ok(text)
    }
}

fn compile(source: &str) -> Result<CompiledTemplate<'_>, minijinja::Error> {
    bounds::check_products(source)?;
    let config = TemplateConfig {
        syntax_config: environment::syntax()?,
        default_auto_escape: Arc::new(|_| AutoEscape::None),
    };
    CompiledTemplate::new(NAME, source, &config)
}

pub(crate) const REMEDY: &str =
    "use the model without its template (raw), or get a file with a sound one";

fn refused(error: minijinja::Error) -> Error {
    let line = error.line().map_or(String::new(), |n| format!("line {n}: "));
    let why = match error.kind() {
        ErrorKind::OutOfFuel => format!("{line}it does not end: too many steps"),
        kind => match error.detail() {
            Some(detail) => format!("{line}{detail}"),
            None => format!("{line}{kind}"),
        },
    };
    Error::Template { why, remedy: REMEDY }
}
