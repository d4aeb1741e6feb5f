//! `/v1/messages`, and how many tokens they have.

use super::{MessagesRequest, stop_of, stream::Frames};
use crate::{
    App, Refusal,
    around::new_id,
    ask::{self, Client, Usage, Whole, tokens},
    body, stream,
};
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

/// `POST /v1/messages`
#[utoipa::path(
    post, path = "/v1/messages", tag = "Anthropic", request_body = MessagesRequest,
    responses((status = 200, description = "The answer, or its events as server-sent events"))
)]
pub(crate) async fn messages(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request: MessagesRequest = body::json(&app, &headers, body).await?;
    let streams = request.stream.unwrap_or(false);
    let answers = ask::start(&app, &client, request.ask(&app, true)?).await?;
    let (id, model) = (new_id("msg"), answers.model.clone());
    if streams {
        return Ok(stream::respond(answers, Frames::new(id, model)));
    }
    let whole = answers.whole().await?.into_iter().next();
    let whole = whole.ok_or_else(|| Refusal::internal("messages without an answer"))?;
    let (reason, sequence) = stop_of(&whole.ended.reason);
    Ok(Json(json!({
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content(&whole),
        "stop_reason": reason,
        "stop_sequence": sequence,
        "usage": usage(&whole.ended.usage),
    }))
    .into_response())
}

fn content(whole: &Whole) -> Vec<Value> {
    let mut blocks = Vec::new();
    if !whole.thinking.is_empty() {
        blocks.push(json!({ "type": "thinking", "thinking": whole.thinking, "signature": "" }));
    }
    if !whole.text.is_empty() || whole.calls.is_empty() {
        blocks.push(json!({ "type": "text", "text": whole.text }));
    }
    for call in &whole.calls {
        let input: Value = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
        let id = new_id("toolu");
        blocks.push(json!({ "type": "tool_use", "id": id, "name": call.name, "input": input }));
    }
    blocks
}

/// Tokens of the prompt that were known from before count apart.
pub(super) fn usage(usage: &Usage) -> Value {
    json!({
        "input_tokens": usage.prompt - usage.cached.min(usage.prompt),
        "cache_read_input_tokens": usage.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": usage.answer,
    })
}

/// `POST /v1/messages/count_tokens`
#[utoipa::path(
    post, path = "/v1/messages/count_tokens", tag = "Anthropic", request_body = MessagesRequest,
    responses((status = 200, description = "How many tokens the messages have"))
)]
pub(crate) async fn count_tokens(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request: MessagesRequest = body::json(&app, &headers, body).await?;
    let ask = request.ask(&app, false)?;
    app.admit(&client)?;
    let lease = app.models.get(ask.model.as_deref()).await?;
    let counted = app.blocking(move || tokens(&lease, "messages", &ask.inputs[0])).await??;
    Ok(Json(json!({ "input_tokens": counted.len() })).into_response())
}
