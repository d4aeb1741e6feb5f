//! `/state`: what a model remembers of a text, to be kept, taken elsewhere and gone on from. A state of
//! a recurrent model is small, however long its text.

use crate::{
    App, Refusal,
    around::new_id,
    ask::{Client, Input, refused_by_model, tokens},
    body,
    models::Loaded,
};
use axum::{
    Extension, Json,
    body::Body,
    extract::{Path, Query, State},
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use bessemer_llm::{Session, SessionOptions};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

/// The states that are kept, oldest first.
#[derive(Debug, Default)]
pub(crate) struct States(Mutex<VecDeque<Kept>>);

#[derive(Clone, Debug)]
struct Kept {
    id: String,
    /// Others do not see it.
    owner: String,
    model: String,
    bytes: Bytes,
}

/// The most that are kept, and their most bytes.
const MOST: (usize, usize) = (256, 256 << 20);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Wanted {
    model: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CreateRequest {
    model: Option<String>,
    /// The text to remember.
    prompt: Option<String>,
    /// The state that the text goes on from.
    state: Option<String>,
}

/// `POST /state`: keeps a state. A body of JSON has a text to remember; any other is a state that was
/// taken out of a server before.
pub(crate) async fn create_state(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    Query(wanted): Query<Wanted>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    app.admit(&client)?;
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_bytes = kind.is_some_and(|kind| kind.starts_with("application/octet-stream"));
    let owner = client.name(None);
    let (model, work): (_, Box<dyn FnOnce(&Loaded) -> Made + Send>) = match is_bytes {
        true => {
            let bytes = body::read(&app, body).await?;
            (wanted.model, Box::new(move |loaded| restored(loaded, &bytes)))
        }
        false => {
            let request: CreateRequest = body::json(&app, &headers, body).await?;
            let prompt = request.prompt.ok_or_else(|| Refusal::field("prompt", "missing"))?;
            let before = match &request.state {
                None => None,
                Some(id) => Some(app.states.get(id, &owner).ok_or_else(|| unknown("state", id))?),
            };
            let model = before.as_ref().map(|kept| kept.model.clone()).or(request.model);
            (model, Box::new(move |loaded| remembered(loaded, prompt, before.as_ref())))
        }
    };
    let lease = app.models.get(model.as_deref()).await?;
    let model = lease.name.clone();
    let (count, bytes) = app.blocking(move || work(&lease)).await??;
    if let Some(key) = &client.key {
        key.spend(count);
    }
    let (id, size) = (new_id("state"), bytes.len());
    app.states.push(Kept { id: id.clone(), owner, model: model.clone(), bytes: bytes.into() });
    let kept =
        json!({ "id": id, "object": "state", "model": model, "tokens": count, "bytes": size });
    Ok(Json(kept).into_response())
}

/// `GET /state/{id}`: the bytes of a state.
pub(crate) async fn get_state(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let kept = app.states.get(&id, &client.name(None)).ok_or_else(|| unknown("id", &id))?;
    Ok(([(header::CONTENT_TYPE, "application/octet-stream")], kept.bytes).into_response())
}

/// `DELETE /state/{id}`
pub(crate) async fn delete_state(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    if !app.states.remove(&id, &client.name(None)) {
        return Err(unknown("id", &id));
    }
    Ok(Json(json!({ "id": id, "object": "state", "deleted": true })).into_response())
}

/// How many tokens a text has, and its state.
type Made = Result<(usize, Vec<u8>), Refusal>;

fn session(loaded: &Loaded) -> Result<Session, Refusal> {
    let options = SessionOptions { context: Some(loaded.context), ..SessionOptions::default() };
    loaded.llm.session(options).map_err(Refusal::internal)
}

/// The state after a text.
fn remembered(loaded: &Loaded, prompt: String, before: Option<&Kept>) -> Made {
    let mut session = session(loaded)?;
    let mut tokens = tokens(loaded, "prompt", &Input::Text(prompt))?;
    let refuse = |error| refused_by_model("prompt", error);
    if let Some(kept) = before {
        session.restore(&mut &kept.bytes[..]).map_err(refuse)?;
        let begins = loaded.llm.tokenizer().affixes().0;
        if tokens.starts_with(begins) {
            tokens.drain(..begins.len());
        }
    }
    if !tokens.is_empty() {
        session.extend(&tokens).map_err(refuse)?;
    }
    saved(session)
}

/// The state that was taken out before.
fn restored(loaded: &Loaded, bytes: &[u8]) -> Made {
    let mut session = session(loaded)?;
    session.restore(&mut &*bytes).map_err(|error| Refusal::field("body", error))?;
    saved(session)
}

fn saved(mut session: Session) -> Made {
    let mut bytes = Vec::new();
    session.save(&mut bytes).map_err(Refusal::internal)?;
    Ok((session.tokens().len(), bytes))
}

fn unknown(field: &str, id: &str) -> Refusal {
    let id: String = id.chars().take(80).collect();
    let why = format!("there is no state {id:?}; only the latest are kept");
    Refusal { kind: crate::Kind::NoPage, ..Refusal::field(field, why) }
}

impl States {
    fn get(&self, id: &str, owner: &str) -> Option<Kept> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|kept| kept.id == id && kept.owner == owner).cloned()
    }

    fn remove(&self, id: &str, owner: &str) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = all.len();
        all.retain(|kept| kept.id != id || kept.owner != owner);
        all.len() < before
    }

    fn push(&self, state: Kept) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_back(state);
        let mut bytes: usize = all.iter().map(|kept| kept.bytes.len()).sum();
        while all.len() > MOST.0 || (bytes > MOST.1 && all.len() > 1) {
            bytes -= all.pop_front().map_or(bytes, |oldest| oldest.bytes.len());
        }
    }
}
