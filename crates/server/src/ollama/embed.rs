//! `/api/embed`, and its older form.

use super::model_name;
use crate::{
    App, Refusal,
    ask::{Client, Input},
    body,
    openai::{strings, vectors},
};
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Instant;
use utoipa::ToSchema;

/// Texts to embed.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct EmbedRequest {
    pub(crate) model: Option<String>,
    /// A text, or a list of texts.
    #[schema(value_type = Option<Vec<String>>)]
    pub(crate) input: Option<Value>,
    /// The one text of the older form.
    pub(crate) prompt: Option<String>,
}

/// `POST /api/embed`
#[utoipa::path(
    post, path = "/api/embed", tag = "ollama", request_body = EmbedRequest,
    responses((status = 200, description = "A list of numbers for each text"))
)]
pub(crate) async fn embed(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let started = Instant::now();
    let request: EmbedRequest = body::json(&app, &headers, body).await?;
    let input = request.input.ok_or_else(|| Refusal::field("input", "missing"))?;
    let texts = strings("input", Some(&input))?;
    let inputs = texts.into_iter().map(Input::Text).collect();
    let model = model_name(&app, request.model);
    let (lease, vectors, used) = vectors(&app, &client, model.as_deref(), "input", inputs).await?;
    Ok(Json(json!({
        "model": lease.name,
        "embeddings": vectors,
        "total_duration": u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX),
        "load_duration": 0,
        "prompt_eval_count": used,
    }))
    .into_response())
}

/// `POST /api/embeddings`: one text.
pub(crate) async fn embeddings(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request: EmbedRequest = body::json(&app, &headers, body).await?;
    let prompt = request.prompt.ok_or_else(|| Refusal::field("prompt", "missing"))?;
    let model = model_name(&app, request.model);
    let inputs = vec![Input::Text(prompt)];
    let (_, vectors, _) = vectors(&app, &client, model.as_deref(), "prompt", inputs).await?;
    Ok(Json(json!({ "embedding": vectors.into_iter().next() })).into_response())
}
