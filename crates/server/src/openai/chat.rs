//! `/v1/chat/completions`.

use super::{
    finish_reason, logprobs_json, message_of,
    respond::{Chunk, Style},
    seconds,
    settings::{ResponseFormat, with_settings},
    timings_json,
    tools::{ToolDef, call_json, tools_of},
    usage_json,
};
use crate::{
    App, Refusal,
    around::new_id,
    ask::{self, Ask, Client, Conversation, Format, Input, Whole, count},
    body, stream,
};
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::time::SystemTime;
use utoipa::ToSchema;

with_settings! {
    /// A chat to answer.
    ChatRequest {
        /// The model; the server's first if there is none.
        model: Option<String>,
        /// The messages, oldest first.
        messages: Option<Vec<ChatMessage>>,
        /// The most tokens of the answer.
        #[schema(minimum = 1)]
        max_tokens: Option<i64>,
        /// The newer name of `max_tokens`.
        #[schema(minimum = 1)]
        max_completion_tokens: Option<i64>,
        /// How many answers.
        #[schema(minimum = 1)]
        n: Option<i64>,
        /// Whether to tell the probabilities of tokens.
        logprobs: Option<bool>,
        /// Of how many of the likeliest tokens.
        #[schema(minimum = 0, maximum = 20)]
        top_logprobs: Option<i64>,
        response_format: Option<ResponseFormat>,
        tools: Option<Vec<ToolDef>>,
        /// `auto`, `none`, `required` or a function.
        #[schema(value_type = Option<Object>)]
        tool_choice: Option<Value>,
        /// Whether several tools may be called at once.
        parallel_tool_calls: Option<bool>,
        stream_options: Option<StreamOptions>,
        /// Variables of the model's template, such as `enable_thinking`.
        #[schema(value_type = Option<Object>)]
        chat_template_kwargs: Option<Map<String, Value>>,
    }
}

/// A message.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub(crate) struct ChatMessage {
    /// `system`, `developer`, `user`, `assistant` or `tool`.
    pub(crate) role: String,
    /// A text, or a list of parts with texts.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub(crate) content: Option<Value>,
    /// Calls that the model has made.
    #[serde(default)]
    #[schema(value_type = Option<Vec<Object>>)]
    pub(crate) tool_calls: Option<Value>,
    /// Which call this is the result of.
    #[serde(default)]
    pub(crate) tool_call_id: Option<String>,
    #[serde(default)]
    pub(crate) name: Option<String>,
}

/// What else a stream tells.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub(crate) struct StreamOptions {
    /// Whether the last chunk tells what was used.
    pub(crate) include_usage: Option<bool>,
}

/// `POST /v1/chat/completions`
#[utoipa::path(
    post, path = "/v1/chat/completions", tag = "OpenAI", request_body = ChatRequest,
    responses((status = 200, description = "The answer, or chunks of it as server-sent events"))
)]
pub(crate) async fn chat(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request: ChatRequest = body::json(&app, &headers, body).await?;
    let streams = request.stream.unwrap_or(false);
    let usage = request.stream_options.unwrap_or_default().include_usage.unwrap_or(false);
    let ask = request.ask(&app)?;
    let answers = ask::start(&app, &client, ask).await?;
    let (id, created) = (new_id("chatcmpl"), seconds(SystemTime::now()));
    if streams {
        let chunks = Chunk::new(Style::Chat, id, created, &answers, usage);
        return Ok(stream::respond(answers, chunks));
    }
    let model = answers.model.clone();
    let all = answers.whole().await?;
    let used: Vec<_> = all.iter().map(|whole| whole.ended.usage).collect();
    let choices: Vec<Value> = all.iter().enumerate().map(|(at, whole)| choice(at, whole)).collect();
    Ok(Json(json!({
        "id": id,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": choices,
        "usage": usage_json(&used),
        "timings": all.first().map(|whole| timings_json(&whole.ended)),
    }))
    .into_response())
}

fn choice(index: usize, whole: &Whole) -> Value {
    let mut message = json!({ "role": "assistant", "content": whole.text, "refusal": null });
    if !whole.calls.is_empty() {
        message["tool_calls"] = whole.calls.iter().map(call_json).collect();
        if whole.text.is_empty() {
            message["content"] = Value::Null;
        }
    }
    if !whole.thinking.is_empty() {
        message["reasoning_content"] = whole.thinking.as_str().into();
    }
    json!({
        "index": index,
        "message": message,
        "logprobs": (!whole.words.is_empty()).then(|| logprobs_json(&whole.words)),
        "finish_reason": finish_reason(&whole.ended.reason),
    })
}

impl ChatRequest {
    fn ask(mut self, app: &App) -> Result<Ask, Refusal> {
        let limits = &app.options.limits;
        let settings = self.settings();
        let priority = settings.priority()?;
        let mut options = settings.options()?;
        let most = 1..=limits.answer_tokens;
        options.max_tokens = match self.max_completion_tokens {
            None => count("max_tokens", self.max_tokens, most)?,
            some => count("max_completion_tokens", some, most)?,
        };
        let messages = self.messages.ok_or_else(|| Refusal::field("messages", "missing"))?;
        if messages.is_empty() {
            return Err(Refusal::field("messages", "there are none; send at least one"));
        }
        let n = count("n", self.n, 1..=limits.answers)?.unwrap_or(1);
        let logprobs = logprobs(self.logprobs, self.top_logprobs)?;
        let (tools, choice) = tools_of(self.tools, self.tool_choice.as_ref())?;
        let format = match self.response_format {
            Some(format) => format.format("response_format", limits)?,
            None => Format::Free,
        };
        let message = |(at, message): (usize, &ChatMessage)| {
            message_of(
                &format!("messages[{at}]"),
                &message.role,
                message.content.as_ref(),
                message.tool_calls.as_ref(),
                message.tool_call_id.as_deref(),
                message.name.as_deref(),
            )
        };
        let messages = messages.iter().enumerate().map(message).collect::<Result<Vec<_>, _>>()?;
        let conversation = Conversation {
            messages,
            begun: None,
            tools,
            choice,
            one_call: self.parallel_tool_calls == Some(false),
            variables: self.chat_template_kwargs.unwrap_or_default(),
        };
        Ok(Ask {
            model: self.model,
            inputs: vec![Input::Chat(Box::new(conversation))],
            n,
            options,
            logprobs,
            format,
            format_field: "response_format",
            prompt_field: "messages",
            user: self.user,
            priority,
        })
    }
}

/// How many of the likeliest tokens to tell, if any.
pub(super) fn logprobs(wanted: Option<bool>, top: Option<i64>) -> Result<Option<usize>, Refusal> {
    let top = count("top_logprobs", top, 0..=20)?;
    match (wanted.unwrap_or(false), top) {
        (false, Some(1..)) => Err(Refusal::field("top_logprobs", "needs logprobs to be true")),
        (false, _) => Ok(None),
        (true, top) => Ok(Some(top.unwrap_or(0))),
    }
}
