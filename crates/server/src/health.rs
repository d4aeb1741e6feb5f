//! Whether the server is there and ready, and its metrics.

use crate::App;
use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

/// The process is alive.
pub(crate) async fn health() -> Response {
    Json(json!({ "status": "ok" })).into_response()
}

/// It takes requests: not while it ends.
pub(crate) async fn ready(State(app): State<App>) -> Response {
    let loaded: Vec<String> = app.models.loaded().iter().map(|model| model.name.clone()).collect();
    let (status, word) = match app.is_draining() {
        true => (StatusCode::SERVICE_UNAVAILABLE, "draining"),
        false => (StatusCode::OK, "ready"),
    };
    (status, Json(json!({ "status": word, "models_loaded": loaded }))).into_response()
}

/// For Prometheus.
pub(crate) async fn metrics(State(app): State<App>) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], app.metrics.text(&app.models)).into_response()
}
