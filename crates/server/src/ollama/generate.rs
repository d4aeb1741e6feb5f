//! `/api/generate`.

use super::{
    chat::{only_load, respond, thinking},
    is_unload, model_name,
    options::{Options, format_of},
    stream::{Lines, Style},
};
use crate::{
    App, Refusal,
    ask::{self, Ask, Client, Conversation, Input},
    body,
};
use axum::{Extension, body::Body, extract::State, http::HeaderMap, response::Response};
use bessemer_llm::template::Message;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A prompt to answer, or a text to go on with.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct GenerateRequest {
    pub(crate) model: Option<String>,
    /// The prompt; without one, the model is only loaded.
    pub(crate) prompt: Option<String>,
    /// What the model is told to be.
    pub(crate) system: Option<String>,
    /// Whether the prompt is gone on with as it is, without the model's template.
    pub(crate) raw: Option<bool>,
    /// `json`, or a JSON schema.
    #[schema(value_type = Option<Object>)]
    pub(crate) format: Option<Value>,
    pub(crate) options: Option<Options>,
    /// Whether it is sent as it comes, which it is if not said.
    pub(crate) stream: Option<bool>,
    /// 0 drops the model; other values mean nothing here.
    #[schema(value_type = Option<String>)]
    pub(crate) keep_alive: Option<Value>,
    /// Whether the model is to think first, for templates that know `enable_thinking`.
    #[schema(value_type = Option<bool>)]
    pub(crate) think: Option<Value>,
    /// Not supported.
    pub(crate) suffix: Option<String>,
    /// Not supported.
    pub(crate) template: Option<String>,
    /// Not supported.
    #[schema(value_type = Option<Vec<String>>)]
    pub(crate) images: Option<Vec<Value>>,
}

/// `POST /api/generate`
#[utoipa::path(
    post, path = "/api/generate", tag = "ollama", request_body = GenerateRequest,
    responses((status = 200, description = "The answer, whole or as lines of JSON"))
)]
pub(crate) async fn generate(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request: GenerateRequest = body::json(&app, &headers, body).await?;
    let model = model_name(&app, request.model.clone());
    if request.prompt.as_ref().is_none_or(String::is_empty) {
        let unload = is_unload(request.keep_alive.as_ref());
        return only_load(&app, model, unload, Style::Generate).await;
    }
    let streams = request.stream.unwrap_or(true);
    // Whether there is a template is known once the model is loaded.
    let templated = match request.raw.unwrap_or(false) {
        true => false,
        false => app.models.get(model.as_deref()).await?.chats(),
    };
    let mut ask = request.ask(&app, templated)?;
    ask.model = model;
    let answers = ask::start(&app, &client, ask).await?;
    let lines = Lines { style: Style::Generate, model: answers.model.clone() };
    respond(answers, lines, streams).await
}

impl GenerateRequest {
    fn ask(self, app: &App, templated: bool) -> Result<Ask, Refusal> {
        let unsupported = [
            ("suffix", self.suffix.is_some_and(|suffix| !suffix.is_empty())),
            ("template", self.template.is_some_and(|template| !template.is_empty())),
            ("images", self.images.is_some_and(|images| !images.is_empty())),
        ];
        if let Some((name, _)) = unsupported.iter().find(|(_, given)| *given) {
            return Err(Refusal::field(*name, "not supported"));
        }
        let prompt = self.prompt.unwrap_or_default();
        let input = match templated {
            false => Input::Text(prompt),
            true => {
                let system = self.system.as_deref().filter(|system| !system.is_empty());
                let messages =
                    system.map(Message::system).into_iter().chain([Message::user(&prompt)]);
                Input::Chat(Box::new(Conversation {
                    messages: messages.collect(),
                    variables: thinking(self.think.as_ref())?,
                    ..Conversation::default()
                }))
            }
        };
        Ok(Ask {
            model: self.model,
            inputs: vec![input],
            n: 1,
            options: self.options.unwrap_or_default().options(app)?,
            logprobs: None,
            format: format_of(self.format)?,
            format_field: "format",
            prompt_field: "prompt",
            user: None,
            priority: 0,
        })
    }
}
