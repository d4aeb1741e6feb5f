//! `/api/chat`.

use super::{
    is_unload, model_name,
    options::{Options, format_of},
    stream::{Lines, Style},
};
use crate::{
    App, Refusal,
    ask::{self, Ask, Client, Conversation, Input, Tool, ToolChoice, check_tools},
    body,
    openai::message_of,
    stream,
};
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use bessemer_llm::template::Message;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

/// A chat to answer.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct ChatRequest {
    pub(crate) model: Option<String>,
    /// The messages, oldest first; without any, the model is only loaded.
    pub(crate) messages: Option<Vec<ChatMessage>>,
    #[schema(value_type = Option<Vec<Object>>)]
    pub(crate) tools: Option<Vec<Value>>,
    /// `json`, or a JSON schema.
    #[schema(value_type = Option<Object>)]
    pub(crate) format: Option<Value>,
    pub(crate) options: Option<Options>,
    /// Whether it is sent as it comes, which it is if not said.
    pub(crate) stream: Option<bool>,
    /// 0 drops the model; other values mean nothing here.
    #[schema(value_type = Option<String>)]
    pub(crate) keep_alive: Option<Value>,
    /// Whether the model is to think first, for templates that know `enable_thinking`.
    #[schema(value_type = Option<bool>)]
    pub(crate) think: Option<Value>,
}

/// A message.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub(crate) struct ChatMessage {
    pub(crate) role: String,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub(crate) content: Option<Value>,
    #[serde(default)]
    #[schema(value_type = Option<Vec<Object>>)]
    pub(crate) tool_calls: Option<Value>,
    #[serde(default)]
    pub(crate) tool_name: Option<String>,
    /// Not supported.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>)]
    pub(crate) images: Option<Vec<Value>>,
}

/// `POST /api/chat`
#[utoipa::path(
    post, path = "/api/chat", tag = "ollama", request_body = ChatRequest,
    responses((status = 200, description = "The answer, whole or as lines of JSON"))
)]
pub(crate) async fn chat(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request: ChatRequest = body::json(&app, &headers, body).await?;
    let streams = request.stream.unwrap_or(true);
    let model = model_name(&app, request.model.clone());
    if request.messages.as_ref().is_none_or(Vec::is_empty) {
        let unload = is_unload(request.keep_alive.as_ref());
        return only_load(&app, model, unload, Style::Chat).await;
    }
    let mut ask = request.ask(&app)?;
    ask.model = model;
    let answers = ask::start(&app, &client, ask).await?;
    let lines = Lines { style: Style::Chat, model: answers.model.clone() };
    respond(answers, lines, streams).await
}

/// An answer whole, or as it comes.
pub(super) async fn respond(
    answers: ask::Answers,
    lines: Lines,
    streams: bool,
) -> Result<Response, Refusal> {
    if streams {
        return Ok(stream::respond(answers, lines));
    }
    let whole = answers.whole().await?.into_iter().next();
    let whole = whole.ok_or_else(|| Refusal::internal("a chat without an answer"))?;
    Ok(Json(lines.whole(&whole)).into_response())
}

/// Loads a model, or drops it, and does nothing else.
pub(super) async fn only_load(
    app: &App,
    model: Option<String>,
    unload: bool,
    style: Style,
) -> Result<Response, Refusal> {
    let name = app.models.find(model.as_deref())?.name;
    let reason = match unload {
        true => {
            app.models.unload(&name).await;
            "unload"
        }
        false => {
            app.models.get(Some(&name)).await?;
            "load"
        }
    };
    Ok(Json(Lines { style, model: name }.nothing(reason)).into_response())
}

impl ChatRequest {
    fn ask(self, app: &App) -> Result<Ask, Refusal> {
        let options = self.options.unwrap_or_default().options(app)?;
        let tools = tools_of(&self.tools.unwrap_or_default())?;
        let message = |(at, message): (usize, &ChatMessage)| -> Result<Message, Refusal> {
            let place = format!("messages[{at}]");
            if message.images.as_ref().is_some_and(|images| !images.is_empty()) {
                return Err(Refusal::field(format!("{place}.images"), "images are not supported"));
            }
            let empty = json!("");
            let content = message.content.as_ref().filter(|content| !content.is_null());
            message_of(
                &place,
                &message.role,
                Some(content.unwrap_or(&empty)),
                message.tool_calls.as_ref(),
                None,
                message.tool_name.as_deref(),
            )
        };
        let messages = self.messages.unwrap_or_default();
        let messages = messages.iter().enumerate().map(message).collect::<Result<_, _>>()?;
        let chat = Conversation {
            messages,
            tools,
            variables: thinking(self.think.as_ref())?,
            ..Conversation::default()
        };
        Ok(Ask {
            model: self.model,
            inputs: vec![Input::Chat(Box::new(chat))],
            n: 1,
            options,
            logprobs: None,
            format: format_of(self.format)?,
            format_field: "format",
            prompt_field: "messages",
            user: None,
            priority: 0,
        })
    }
}

/// The template's variable for thinking; levels of it count as yes.
pub(super) fn thinking(think: Option<&Value>) -> Result<Map<String, Value>, Refusal> {
    let thinks = match think {
        None | Some(Value::Null) => return Ok(Map::new()),
        Some(Value::Bool(thinks)) => *thinks,
        Some(Value::String(level)) if ["low", "medium", "high"].contains(&level.as_str()) => true,
        Some(_) => return Err(Refusal::field("think", "not true or false")),
    };
    Ok(Map::from_iter([("enable_thinking".to_owned(), thinks.into())]))
}

fn tools_of(tools: &[Value]) -> Result<Vec<Tool>, Refusal> {
    let tool = |(at, tool): (usize, &Value)| {
        let function = tool.get("function").unwrap_or(tool);
        let name = function.get("name").and_then(Value::as_str);
        let name =
            name.ok_or_else(|| Refusal::field(format!("tools[{at}].function.name"), "missing"))?;
        let description = function.get("description").and_then(Value::as_str).map(str::to_owned);
        let parameters = function.get("parameters").cloned().filter(|schema| !schema.is_null());
        let parameters = parameters.unwrap_or_else(|| json!({ "type": "object" }));
        Ok(Tool { name: name.to_owned(), description, parameters })
    };
    let tools = tools.iter().enumerate().map(tool).collect::<Result<Vec<_>, Refusal>>()?;
    check_tools("tools", &tools, &ToolChoice::Auto, "tools")?;
    Ok(tools)
}
