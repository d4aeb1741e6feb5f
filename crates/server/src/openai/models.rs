//! `/v1/models`.

use super::seconds;
use crate::{App, Refusal, models::Listing};
use axum::{
    Json,
    extract::{Path, State},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

/// `GET /v1/models`
#[utoipa::path(
    get, path = "/v1/models", tag = "OpenAI",
    responses((status = 200, description = "All models, loaded or not"))
)]
pub(crate) async fn models(State(app): State<App>) -> Response {
    let data: Vec<Value> = app.models.list().iter().map(|listing| json_of(&app, listing)).collect();
    Json(json!({ "object": "list", "data": data })).into_response()
}

/// `GET /v1/models/{model}`
#[utoipa::path(
    get, path = "/v1/models/{model}", tag = "OpenAI",
    params(("model" = String, Path, description = "The name of a model")),
    responses(
        (status = 200, description = "The model"),
        (status = 404, description = "There is no such model")
    )
)]
pub(crate) async fn model(
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    let listing = app.models.find(Some(&name))?;
    Ok(Json(json_of(&app, &listing)).into_response())
}

fn json_of(app: &App, listing: &Listing) -> Value {
    let loaded = app.models.loaded().into_iter().find(|model| model.name == listing.name);
    json!({
        "id": listing.name,
        "object": "model",
        "created": seconds(listing.since),
        "owned_by": "bessemer",
        "loaded": loaded.is_some(),
        "context": loaded.as_ref().map(|model| model.context),
        "bytes": listing.bytes,
        "chat": loaded.map(|model| model.chats()),
    })
}
