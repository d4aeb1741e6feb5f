//! `/v1/embeddings`: what texts mean, as numbers.

use super::completions::inputs;
use crate::{
    App, Kind, Refusal,
    ask::{Client, Input, failed, refused, tokens},
    body,
    models::Lease,
};
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// Texts to embed.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct EmbeddingRequest {
    /// The model; the server's first if there is none.
    pub(crate) model: Option<String>,
    /// A text, a list of texts, a list of tokens, or a list of such lists.
    #[schema(value_type = Option<String>)]
    pub(crate) input: Option<Value>,
    /// `float` or `base64`, which is little-endian `f32`.
    pub(crate) encoding_format: Option<String>,
    /// How many numbers; the model's own width if not said.
    #[schema(minimum = 1)]
    pub(crate) dimensions: Option<i64>,
}

/// `POST /v1/embeddings`
#[utoipa::path(
    post, path = "/v1/embeddings", tag = "OpenAI", request_body = EmbeddingRequest,
    responses((status = 200, description = "A list of numbers for each text"))
)]
pub(crate) async fn embeddings(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request: EmbeddingRequest = body::json(&app, &headers, body).await?;
    let as_base64 = match request.encoding_format.as_deref() {
        None | Some("float") => false,
        Some("base64") => true,
        Some(other) => {
            let other: String = other.chars().take(40).collect();
            return Err(Refusal::field(
                "encoding_format",
                format!("{other:?} is not float or base64"),
            ));
        }
    };
    let input = request.input.ok_or_else(|| Refusal::field("input", "missing"))?;
    let texts = inputs(&input).map_err(|refusal| renamed(refusal, "input"))?;
    let (lease, mut vectors, used) =
        vectors(&app, &client, request.model.as_deref(), "input", texts).await?;
    if let Some(dimensions) = request.dimensions {
        let width = vectors.first().map_or(0, Vec::len);
        let kept = crate::ask::count("dimensions", Some(dimensions), 1..=width)?.unwrap_or(width);
        vectors.iter_mut().for_each(|vector| shorten(vector, kept));
    }
    let embedding = |vector: &Vec<f32>| -> Value {
        if as_base64 {
            let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
            return STANDARD.encode(bytes).into();
        }
        vector.as_slice().into()
    };
    let data: Vec<Value> = vectors
        .iter()
        .enumerate()
        .map(|(at, vector)| {
            json!({ "object": "embedding", "index": at, "embedding": embedding(vector) })
        })
        .collect();
    Ok(Json(json!({
        "object": "list",
        "model": lease.name,
        "data": data,
        "usage": { "prompt_tokens": used, "total_tokens": used },
    }))
    .into_response())
}

/// The vectors of texts, of length 1, and how many tokens the texts had.
pub(crate) async fn vectors(
    app: &App,
    client: &Client,
    model: Option<&str>,
    field: &'static str,
    texts: Vec<Input>,
) -> Result<(Lease, Vec<Vec<f32>>, usize), Refusal> {
    let most = app.options.limits.texts;
    if texts.len() > most {
        let why = format!("{} texts are more than {most}", texts.len());
        return Err(Refusal::field(field, why));
    }
    app.admit(client)?;
    let lease = app.models.get(model).await?;
    let lease_ = lease.clone();
    let all = app
        .blocking(move || {
            let several = texts.len() > 1;
            let text = |(at, text): (usize, &Input)| {
                let field = if several { format!("{field}[{at}]") } else { field.to_owned() };
                let tokens = tokens(&lease_, &field, text)?;
                if tokens.len() > lease_.context {
                    let (len, context) = (tokens.len(), lease_.context);
                    let why = format!("{field}: {len} tokens do not fit in a context of {context}");
                    let field = Some(field);
                    return Err(Refusal { field, ..Refusal::new(Kind::TooLong, why) });
                }
                Ok(tokens)
            };
            texts.iter().enumerate().map(text).collect::<Result<Vec<_>, _>>()
        })
        .await??;
    let used = all.iter().map(Vec::len).sum();
    if let Some(key) = &client.key {
        key.spend(used);
    }
    let mut vectors = Vec::with_capacity(all.len());
    for tokens in all {
        let pending = lease.engine.embed(tokens).map_err(refused)?;
        let mut vector = pending.await.map_err(failed)?;
        let width = vector.len();
        shorten(&mut vector, width);
        vectors.push(vector);
    }
    Ok((lease, vectors, used))
}

/// Keeps the first numbers, at length 1.
fn shorten(vector: &mut Vec<f32>, kept: usize) {
    vector.truncate(kept);
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
    }
}

/// The same about a field of another name.
fn renamed(refusal: Refusal, name: &str) -> Refusal {
    let rename = |text: &str| text.replacen("prompt", name, 1);
    let field = refusal.field.as_deref().map(rename);
    Refusal { message: rename(&refusal.message), field, ..refusal }
}
