//! The OpenAPI document of all paths.

use crate::{anthropic, native, ollama, openai};
use axum::{
    Json,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use std::sync::LazyLock;
use utoipa::OpenApi;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "bessemer",
        description = "Language models over the OpenAI, Anthropic and ollama APIs"
    ),
    paths(
        openai::chat::chat,
        openai::completions::completions,
        openai::embeddings::embeddings,
        openai::responses::responses,
        openai::models::models,
        openai::models::model,
        anthropic::messages::messages,
        anthropic::messages::count_tokens,
        ollama::chat::chat,
        ollama::generate::generate,
        ollama::embed::embed,
        ollama::models::tags,
        ollama::models::ps,
        ollama::models::version,
        native::tokens::tokenize,
        native::tokens::detokenize,
    ),
    components(schemas(
        openai::ChatRequest,
        openai::CompletionRequest,
        openai::EmbeddingRequest,
        openai::ResponsesRequest,
        anthropic::MessagesRequest,
        ollama::ChatRequest,
        ollama::GenerateRequest,
        ollama::EmbedRequest,
        native::TokenizeRequest,
        native::DetokenizeRequest,
    ))
)]
struct Document;

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let mut document = serde_json::to_value(Document::openapi()).unwrap_or_default();
    let Some(paths) = document["paths"].as_object_mut() else { return document };
    let operations = paths.values_mut().filter_map(Value::as_object_mut);
    for operation in operations.flat_map(|path| path.values_mut()) {
        let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else {
            continue;
        };
        // Every path refuses in these ways, in the form of its API.
        for (status, description) in REFUSALS {
            let refusal = json!({ "description": description });
            responses.entry(status).or_insert(refusal);
        }
    }
    document
});

const REFUSALS: [(&str, &str); 10] = [
    ("400", "A field is wrong, or the body is not JSON"),
    ("401", "There is no API key, or it is not known"),
    ("403", "A page of another site asks"),
    ("404", "There is no such model"),
    ("405", "The path does not take this method"),
    ("408", "The body took too long"),
    ("413", "The body is too large"),
    ("415", "The body is not JSON by its type"),
    ("429", "The queue is full, or the key has used what it may"),
    ("503", "The server is shutting down, or has no memory for the model"),
];

/// `GET /openapi.json`
pub(crate) async fn document() -> Response {
    Json(&*DOCUMENT).into_response()
}
