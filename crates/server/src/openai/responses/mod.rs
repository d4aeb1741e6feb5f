//! `/v1/responses`: the newer API for conversations, which the server can keep.

mod input;
mod items;
mod kept;
mod stream;

pub(crate) use kept::Kept;

use super::{
    seconds,
    settings::{ResponseFormat, with_settings},
    tools::{ToolDef, tools_of},
};
use crate::{
    App, Refusal,
    around::new_id,
    ask::{self, Ask, Client, Conversation, Format, Input, Reason, count},
    body,
};
use axum::{
    Extension, Json,
    body::Body,
    extract::{Path, State},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use bessemer_llm::template::Message;
use items::Output;
use kept::Keep;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::time::SystemTime;
use stream::Frames;
use utoipa::ToSchema;

with_settings! {
    /// Something to respond to.
    ResponsesRequest {
        /// The model; the server's first if there is none.
        model: Option<String>,
        /// A text, or a list of messages, calls and their results.
        #[schema(value_type = Option<String>)]
        input: Option<Value>,
        /// What the model is told to be.
        instructions: Option<String>,
        /// The most tokens of the answer.
        #[schema(minimum = 1)]
        max_output_tokens: Option<i64>,
        /// The response that this goes on from.
        previous_response_id: Option<String>,
        /// Whether the server keeps the response, which is what it does if not told.
        store: Option<bool>,
        /// What the answer has to match.
        text: Option<TextOptions>,
        tools: Option<Vec<ToolDef>>,
        /// `auto`, `none`, `required` or a function.
        #[schema(value_type = Option<Object>)]
        tool_choice: Option<Value>,
        /// Whether several tools may be called at once.
        parallel_tool_calls: Option<bool>,
        /// Given back as it is.
        #[schema(value_type = Option<Object>)]
        metadata: Option<Map<String, Value>>,
    }
}

/// What the answer has to match.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub(crate) struct TextOptions {
    pub(crate) format: Option<ResponseFormat>,
}

/// What a response has besides its output.
#[derive(Clone, Debug)]
struct Head {
    id: String,
    created: u64,
    model: String,
    instructions: Option<String>,
    previous: Option<String>,
    metadata: Map<String, Value>,
    store: bool,
}

/// `POST /v1/responses`
#[utoipa::path(
    post, path = "/v1/responses", tag = "OpenAI", request_body = ResponsesRequest,
    responses((status = 200, description = "The response, or its events as server-sent events"))
)]
pub(crate) async fn responses(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let mut request: ResponsesRequest = body::json(&app, &headers, body).await?;
    let streams = request.stream.unwrap_or(false);
    let mut head = Head {
        id: new_id("resp"),
        created: seconds(SystemTime::now()),
        model: String::new(),
        instructions: request.instructions.clone(),
        previous: request.previous_response_id.clone(),
        metadata: request.metadata.take().unwrap_or_default(),
        store: request.store.unwrap_or(true),
    };
    let (ask, messages) = request.ask(&app, &client)?;
    let answers = ask::start(&app, &client, ask).await?;
    head.model = answers.model.clone();
    let keep = head.store.then(|| Keep { app: app.clone(), owner: client.name(None), messages });
    if streams {
        return Ok(crate::stream::respond(answers, Frames::new(head, keep)));
    }
    let mut output = Output::default();
    let whole = answers.whole().await?.into_iter().next();
    let whole = whole.ok_or_else(|| Refusal::internal("a response without an answer"))?;
    output.whole(&whole);
    let response = head.response(&output, Some(&whole.ended));
    if let Some(keep) = keep {
        keep.keep(&head.id, &output, &response);
    }
    Ok(Json(response).into_response())
}

/// `GET /v1/responses/{id}`
pub(crate) async fn get_response(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let found = app.responses.get(&id, &client.name(None)).ok_or_else(|| unknown("id", &id))?;
    Ok(Json(found.response).into_response())
}

/// `DELETE /v1/responses/{id}`
pub(crate) async fn delete_response(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    if !app.responses.remove(&id, &client.name(None)) {
        return Err(unknown("id", &id));
    }
    Ok(Json(json!({ "id": id, "object": "response", "deleted": true })).into_response())
}

fn unknown(field: &str, id: &str) -> Refusal {
    let id: String = id.chars().take(80).collect();
    Refusal {
        kind: crate::Kind::NoPage,
        ..Refusal::field(field, format!("there is no response {id:?}; only the latest are kept"))
    }
}

impl ResponsesRequest {
    /// What is asked, and the messages of the conversation so far.
    fn ask(mut self, app: &App, client: &Client) -> Result<(Ask, Vec<Message>), Refusal> {
        let limits = &app.options.limits;
        let settings = self.settings();
        let priority = settings.priority()?;
        let mut options = settings.options()?;
        let most = 1..=limits.answer_tokens;
        options.max_tokens = count("max_output_tokens", self.max_output_tokens, most)?;
        let (tools, choice) = tools_of(self.tools, self.tool_choice.as_ref())?;
        let format = match self.text.and_then(|text| text.format) {
            Some(format) => format.format("text.format", limits)?,
            None => Format::Free,
        };
        let input = self.input.ok_or_else(|| Refusal::field("input", "missing"))?;
        let mut conversation = match &self.previous_response_id {
            None => Vec::new(),
            Some(id) => {
                let found = app.responses.get(id, &client.name(None));
                found.ok_or_else(|| unknown("previous_response_id", id))?.messages
            }
        };
        conversation.extend(input::messages(&input)?);
        if conversation.is_empty() {
            return Err(Refusal::field("input", "there is none; send at least one message"));
        }
        // Instructions hold for this response only.
        let instructions = self.instructions.as_deref().map(Message::system);
        let messages = instructions.into_iter().chain(conversation.iter().cloned()).collect();
        let one_call = self.parallel_tool_calls == Some(false);
        let asked = Conversation { messages, tools, choice, one_call, ..Conversation::default() };
        let ask = Ask {
            model: self.model,
            inputs: vec![Input::Chat(Box::new(asked))],
            n: 1,
            options,
            logprobs: None,
            format,
            format_field: "text.format",
            prompt_field: "input",
            user: self.user,
            priority,
        };
        Ok((ask, conversation))
    }
}

impl Head {
    /// The response; without an end it is in progress.
    fn response(&self, output: &Output, ended: Option<&ask::Ended>) -> Value {
        let incomplete = ended.is_some_and(|ended| ended.reason == Reason::Length);
        let status = match (ended, incomplete) {
            (None, _) => "in_progress",
            (_, true) => "incomplete",
            _ => "completed",
        };
        let usage = ended.map(|ended| {
            let usage = &ended.usage;
            json!({
                "input_tokens": usage.prompt,
                "input_tokens_details": { "cached_tokens": usage.cached },
                "output_tokens": usage.answer,
                "output_tokens_details": { "reasoning_tokens": 0 },
                "total_tokens": usage.prompt + usage.answer,
            })
        });
        json!({
            "id": self.id,
            "object": "response",
            "created_at": self.created,
            "status": status,
            "error": null,
            "incomplete_details": incomplete.then(|| json!({ "reason": "max_output_tokens" })),
            "instructions": self.instructions,
            "metadata": self.metadata,
            "model": self.model,
            "output": output.json(),
            "parallel_tool_calls": true,
            "previous_response_id": self.previous,
            "store": self.store,
            "temperature": null,
            "top_p": null,
            "text": { "format": { "type": "text" } },
            "tool_choice": "auto",
            "tools": [],
            "truncation": "disabled",
            "usage": usage,
        })
    }
}
