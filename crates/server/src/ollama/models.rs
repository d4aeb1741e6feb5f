//! What clients ask about models.

use super::{model_name, rfc3339};
use crate::{App, Refusal, body, models::Loaded};
use axum::{
    Json,
    body::Body,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

/// `GET /api/tags`
#[utoipa::path(
    get, path = "/api/tags", tag = "ollama",
    responses((status = 200, description = "All models, loaded or not"))
)]
pub(crate) async fn tags(State(app): State<App>) -> Response {
    let model = |listing: &crate::Listing| {
        json!({
            "name": listing.name,
            "model": listing.name,
            "modified_at": rfc3339(listing.since),
            "size": listing.bytes,
            "digest": "",
            "details": details(),
        })
    };
    let models: Vec<Value> = app.models.list().iter().map(model).collect();
    Json(json!({ "models": models })).into_response()
}

/// `GET /api/ps`
#[utoipa::path(
    get, path = "/api/ps", tag = "ollama",
    responses((status = 200, description = "The models that are loaded"))
)]
pub(crate) async fn ps(State(app): State<App>) -> Response {
    // They stay until the memory is needed.
    let end = rfc3339(SystemTime::now() + Duration::from_secs(365 * 86_400));
    let model = |model: &std::sync::Arc<Loaded>| {
        let on_gpu = !model.llm.model().device().info().capabilities.host_memory;
        json!({
            "name": model.name,
            "model": model.name,
            "size": model.bytes,
            "digest": "",
            "details": details(),
            "expires_at": end,
            "size_vram": if on_gpu { model.bytes } else { 0 },
            "context_length": model.context,
        })
    };
    let models: Vec<Value> = app.models.loaded().iter().map(model).collect();
    Json(json!({ "models": models })).into_response()
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ShowRequest {
    model: Option<String>,
    /// Its older name.
    name: Option<String>,
}

/// `POST /api/show`
pub(crate) async fn show(
    State(app): State<App>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request: ShowRequest = body::json(&app, &headers, body).await?;
    let name = model_name(&app, request.model.or(request.name));
    let lease = app.models.get(name.as_deref()).await?;
    let config = lease.llm.model().config();
    let chats = lease.chats();
    let mut capabilities = vec!["completion", "embedding"];
    if chats {
        capabilities.push("tools");
    }
    Ok(Json(json!({
        "modelfile": "",
        "parameters": "",
        "template": "",
        "details": details(),
        "model_info": {
            "general.architecture": "bessemer",
            "bessemer.context_length": config.context,
            "bessemer.embedding_length": config.hidden,
            "bessemer.vocab_size": config.vocabulary,
        },
        "capabilities": capabilities,
        "modified_at": rfc3339(lease.since),
    }))
    .into_response())
}

/// `GET /api/version`
#[utoipa::path(
    get, path = "/api/version", tag = "ollama",
    responses((status = 200, description = "The version of the server"))
)]
pub(crate) async fn version() -> Response {
    Json(json!({ "version": env!("CARGO_PKG_VERSION") })).into_response()
}

fn details() -> Value {
    json!({
        "parent_model": "",
        "format": "gguf",
        "family": "bessemer",
        "families": null,
        "parameter_size": "",
        "quantization_level": "",
    })
}
