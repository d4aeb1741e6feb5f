//! `/tokenize` and `/detokenize`.

use crate::{
    App, Refusal,
    ask::{Client, refused_by_model},
    body,
};
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use bessemer_llm::tokenizer::Encode;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// A text to turn into tokens.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct TokenizeRequest {
    pub(crate) model: Option<String>,
    pub(crate) content: Option<String>,
    /// Whether what begins and ends a text is added.
    pub(crate) add_special: Option<bool>,
    /// Whether words that are spelled like special tokens are those.
    pub(crate) parse_special: Option<bool>,
    /// Whether each token comes with its text.
    pub(crate) with_pieces: Option<bool>,
}

/// `POST /tokenize`
#[utoipa::path(
    post, path = "/tokenize", tag = "bessemer", request_body = TokenizeRequest,
    responses((status = 200, description = "The tokens of a text"))
)]
pub(crate) async fn tokenize(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request: TokenizeRequest = body::json(&app, &headers, body).await?;
    let content = request.content.ok_or_else(|| Refusal::field("content", "missing"))?;
    app.admit(&client)?;
    let lease = app.models.get(request.model.as_deref()).await?;
    let (affixes, special) =
        (request.add_special.unwrap_or(false), request.parse_special.unwrap_or(true));
    let pieces = request.with_pieces.unwrap_or(false);
    let tokens = app
        .blocking(move || -> Result<Vec<Value>, Refusal> {
            let tokenizer = lease.llm.tokenizer();
            let tokens = tokenizer.encode(&content, Encode { affixes, special });
            let tokens = tokens.map_err(|error| refused_by_model("content", error))?;
            let token = |&id: &u32| match pieces {
                false => Value::from(id),
                true => {
                    let piece = tokenizer.piece(id).unwrap_or_default();
                    json!({ "id": id, "piece": String::from_utf8_lossy(piece) })
                }
            };
            Ok(tokens.iter().map(token).collect())
        })
        .await??;
    Ok(Json(json!({ "tokens": tokens })).into_response())
}

/// Tokens to turn into text.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct DetokenizeRequest {
    pub(crate) model: Option<String>,
    pub(crate) tokens: Option<Vec<u32>>,
}

/// `POST /detokenize`
#[utoipa::path(
    post, path = "/detokenize", tag = "bessemer", request_body = DetokenizeRequest,
    responses((status = 200, description = "The text of tokens"))
)]
pub(crate) async fn detokenize(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request: DetokenizeRequest = body::json(&app, &headers, body).await?;
    let tokens = request.tokens.ok_or_else(|| Refusal::field("tokens", "missing"))?;
    app.admit(&client)?;
    let lease = app.models.get(request.model.as_deref()).await?;
    let text = app.blocking(move || lease.llm.tokenizer().decode(&tokens)).await?;
    let text = text.map_err(|error| refused_by_model("tokens", error))?;
    Ok(Json(json!({ "content": text })).into_response())
}
