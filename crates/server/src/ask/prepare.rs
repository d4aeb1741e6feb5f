//! From what is asked to what the engine takes: tokens, and what says which may come next.

use super::{
    Ask, Conversation, Format, Input, Splitter, ToolChoice,
    format::Guided,
    tools::{self, ToolFormat},
};
use crate::{Kind, Refusal, models::Loaded, options::Limits};
use bessemer_engine::{Constraint, Priority, Request};
use bessemer_llm::{
    Error, GenerateOptions, Prompt,
    template::{Chat, Message},
    tokenizer::{Encode, Tokenizer},
};
use std::sync::Arc;

/// A request for the engine, and what reads its answer.
pub(super) struct Prepared {
    pub(super) request: Request,
    pub(super) splitter: Splitter,
    /// Whether the answer ends with its first call.
    pub(super) one_call: bool,
}

/// All requests of what is asked: for each input, as many as are wanted. It may take a while.
pub(super) fn prepare(
    loaded: &Loaded,
    limits: &Limits,
    ask: &Ask,
    user: &Arc<str>,
) -> Result<Vec<Prepared>, Refusal> {
    let mut all = Vec::new();
    for (at, input) in ask.inputs.iter().enumerate() {
        let field = match ask.inputs.len() {
            1 => ask.prompt_field.to_owned(),
            _ => format!("{}[{at}]", ask.prompt_field),
        };
        let prompt = tokens(loaded, &field, input)?;
        check_length(loaded, limits, &field, &prompt, &ask.options)?;
        let chat = match input {
            Input::Chat(chat) => Some(&**chat),
            _ => None,
        };
        let style = chat.filter(|chat| !chat.tools.is_empty()).map(|_| loaded.tool_style());
        let tool_format = style
            .filter(|_| chat.is_some_and(|chat| chat.choice != ToolChoice::None))
            .map(|style| style.format);
        for choice in 0..ask.n {
            let mut options = ask.options.clone();
            options.sampling.seed = options.sampling.seed.wrapping_add(choice as u64);
            if tool_format.is_some_and(|format| loaded.grammars.hides(format)) {
                options.show_special = true;
            }
            let constraint = constraint(loaded, limits, ask, chat, tool_format)?;
            let mut request = Request::new(prompt.clone(), options);
            request.is_chat = chat.is_some() && !loaded.is_plain();
            request.logprobs = ask.logprobs;
            request.constraint = constraint;
            request.user = Some(Arc::clone(user));
            request.priority = match ask.priority {
                ..0 => Priority::Low,
                0 => Priority::Normal,
                1.. => Priority::High,
            };
            let names = chat.map_or(Vec::new(), |chat| {
                chat.tools.iter().map(|tool| tool.name.clone()).collect()
            });
            let thinking = chat.is_some() && ends_in_thought(loaded.llm.tokenizer(), &prompt);
            let splitter = Splitter::new(tool_format, names, thinking);
            let one_call = chat.is_some_and(|chat| chat.one_call);
            all.push(Prepared { request, splitter, one_call });
        }
    }
    Ok(all)
}

/// The tokens of an input.
pub(crate) fn tokens(loaded: &Loaded, field: &str, input: &Input) -> Result<Vec<u32>, Refusal> {
    let llm = &loaded.llm;
    let refuse = |error: Error| refused(field, error);
    let tokens = match input {
        Input::Text(text) => llm.tokens(&Prompt::Text(text)).map_err(refuse)?,
        Input::Tokens(tokens) => {
            let most = llm.tokenizer().len().min(llm.model().config().vocabulary);
            if let Some(token) = tokens.iter().find(|&&token| token as usize >= most) {
                let why = format!("token {token} is out of range for a vocabulary of {most}");
                return Err(Refusal::field(field, why));
            }
            tokens.clone()
        }
        Input::Chat(chat) => {
            let rendered = chat_of(loaded, chat);
            let mut tokens = match loaded.is_plain() {
                false => llm.tokens(&Prompt::Chat(&rendered)).map_err(refuse)?,
                true => llm.tokens(&Prompt::Text(&plain(&rendered))).map_err(refuse)?,
            };
            if let Some(begun) = &chat.begun {
                tokens.extend(llm.tokenizer().encode(begun, Encode::PLAIN).map_err(refuse)?);
            }
            tokens
        }
    };
    if tokens.is_empty() {
        return Err(Refusal::field(field, "there is no text to go on from"));
    }
    Ok(tokens)
}

/// What is said in a chat, for a model that knows no chats: it goes on with it.
fn plain(chat: &Chat) -> String {
    let text = |message: &Message| message.content.as_ref()?.as_str().map(str::to_owned);
    chat.messages.iter().filter_map(text).collect::<Vec<_>>().join("\n\n")
}

fn chat_of(loaded: &Loaded, conversation: &Conversation) -> Chat {
    let mut chat = Chat::new(conversation.messages.iter().cloned());
    chat.more = conversation.variables.clone();
    let none = Vec::new();
    let tools = match conversation.choice {
        ToolChoice::None => &none,
        _ => &conversation.tools,
    };
    let about_tools =
        |message: &Message| message.role == "tool" || message.more.contains_key("tool_calls");
    if !tools.is_empty() || chat.messages.iter().any(about_tools) {
        loaded.tool_style().tell(tools, &mut chat);
    }
    chat
}

/// Whether the prompt has opened a thought, which the answer then begins in the middle of.
fn ends_in_thought(tokenizer: &Tokenizer, prompt: &[u32]) -> bool {
    let mut stream = tokenizer.stream().show_special();
    let tail = &prompt[prompt.len().saturating_sub(8)..];
    let text: String = tail.iter().filter_map(|&token| stream.push(token).ok()).collect();
    text.trim_end().ends_with("<think>")
}

fn check_length(
    loaded: &Loaded,
    limits: &Limits,
    field: &str,
    prompt: &[u32],
    options: &GenerateOptions,
) -> Result<(), Refusal> {
    let (len, context) = (prompt.len(), loaded.context);
    if len >= context {
        let why = format!(
            "{field}: {len} tokens do not fit in a context of {context} together with an answer; \
             shorten the text"
        );
        let field = Some(field.to_owned());
        return Err(Refusal { field, ..Refusal::new(Kind::TooLong, why) });
    }
    if let Some(most) = options.max_tokens.filter(|&most| most > limits.answer_tokens) {
        let why = format!("{most} tokens are more than the limit of {}", limits.answer_tokens);
        return Err(Refusal::field("max_tokens", why));
    }
    Ok(())
}

fn constraint(
    loaded: &Loaded,
    limits: &Limits,
    ask: &Ask,
    chat: Option<&Conversation>,
    tool_format: Option<ToolFormat>,
) -> Result<Option<Box<dyn Constraint>>, Refusal> {
    let (grammars, most) = (&loaded.grammars, limits.grammar_bytes);
    let calls = chat.zip(tool_format).and_then(|(chat, format)| {
        let special = |mark: &str| grammars.special(mark);
        tools::grammar(format, &chat.tools, &chat.choice, chat.one_call, special)
    });
    let matcher = match calls {
        Some(lark) => grammars.compile("tools", &Format::Lark(lark), most)?,
        None => grammars.compile(ask.format_field, &ask.format, most)?,
    };
    Ok(matcher.map(|matcher| Box::new(Guided(matcher)) as Box<dyn Constraint>))
}

/// What the model's files say of a prompt: templates complain about roles, tokenizers about sizes.
pub(crate) fn refused(field: &str, error: Error) -> Refusal {
    match error {
        Error::Template { why, .. } => {
            Refusal::field(field, format!("the chat template says: {why}"))
        }
        Error::Tokenizer(why) => Refusal::field(field, why),
        Error::Session(why) | Error::State(why) => Refusal::field(field, why),
        Error::Sampling(bad) => {
            Refusal::field(bad.name, format!("{} is not {}", bad.value, bad.rule))
        }
        other => Refusal::internal(other),
    }
}
