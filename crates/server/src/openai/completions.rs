//! `/v1/completions`: texts to go on with, without a template.

use super::{
    chat::StreamOptions,
    content::kind_of,
    finish_reason,
    respond::{Chunk, Style},
    seconds,
    settings::{ResponseFormat, with_settings},
    timings_json, usage_json,
};
use crate::{
    App, Refusal,
    around::new_id,
    ask::{self, Ask, Client, Format, Input, Word, choices, count},
    body, stream,
};
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value, json};
use std::time::SystemTime;

with_settings! {
    /// A text to go on with.
    CompletionRequest {
        /// The model; the server's first if there is none.
        model: Option<String>,
        /// A text, a list of texts, a list of tokens, or a list of such lists.
        #[schema(value_type = Option<String>)]
        prompt: Option<Value>,
        /// The most tokens of the answer; 16 if not said.
        #[schema(minimum = 0)]
        max_tokens: Option<i64>,
        /// How many answers to each prompt.
        #[schema(minimum = 1)]
        n: Option<i64>,
        /// Of how many of the likeliest tokens to tell the probabilities.
        #[schema(minimum = 0, maximum = 20)]
        logprobs: Option<i64>,
        /// Whether the answer begins with the prompt.
        echo: Option<bool>,
        response_format: Option<ResponseFormat>,
        stream_options: Option<StreamOptions>,
        /// Not supported.
        suffix: Option<String>,
        /// Not supported beyond `n`.
        best_of: Option<i64>,
    }
}

/// What OpenAI's API makes if not told how many.
const USUAL_TOKENS: usize = 16;

/// `POST /v1/completions`
#[utoipa::path(
    post, path = "/v1/completions", tag = "OpenAI", request_body = CompletionRequest,
    responses((status = 200, description = "The texts, or chunks of them as server-sent events"))
)]
pub(crate) async fn completions(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request: CompletionRequest = body::json(&app, &headers, body).await?;
    let streams = request.stream.unwrap_or(false);
    let usage = request.stream_options.unwrap_or_default().include_usage.unwrap_or(false);
    let echo = request.echo.unwrap_or(false);
    let ask = request.ask(&app)?;
    let (n, prompts) = (ask.n, echo.then(|| ask.inputs.clone()));
    let answers = ask::start(&app, &client, ask).await?;
    let (id, created) = (new_id("cmpl"), seconds(SystemTime::now()));
    if streams {
        let chunks = Chunk::new(Style::Text, id, created, &answers, usage);
        return Ok(stream::respond(answers, chunks));
    }
    let model = answers.model.clone();
    let all = answers.whole().await?;
    let used: Vec<_> = all.iter().map(|whole| whole.ended.usage).collect();
    let choice = |(at, whole): (usize, &ask::Whole)| {
        let before = match prompts.as_ref().map(|prompts| &prompts[at / n]) {
            Some(Input::Text(text)) => text.as_str(),
            _ => "",
        };
        let text = format!("{before}{}{}", whole.thinking, whole.text);
        let words = (!whole.words.is_empty())
            .then(|| logprobs_json(&whole.words, &mut before.chars().count()));
        json!({
            "index": at,
            "text": text,
            "logprobs": words,
            "finish_reason": finish_reason(&whole.ended.reason),
        })
    };
    let choices: Vec<Value> = all.iter().enumerate().map(choice).collect();
    Ok(Json(json!({
        "id": id,
        "object": "text_completion",
        "created": created,
        "model": model,
        "choices": choices,
        "usage": usage_json(&used),
        "timings": all.first().map(|whole| timings_json(&whole.ended)),
    }))
    .into_response())
}

impl CompletionRequest {
    fn ask(mut self, app: &App) -> Result<Ask, Refusal> {
        let limits = &app.options.limits;
        let settings = self.settings();
        let priority = settings.priority()?;
        let mut options = settings.options()?;
        let most = count("max_tokens", self.max_tokens, 0..=limits.answer_tokens)?;
        options.max_tokens = Some(most.unwrap_or(USUAL_TOKENS));
        if self.suffix.is_some_and(|suffix| !suffix.is_empty()) {
            return Err(Refusal::field("suffix", "not supported"));
        }
        let n = count("n", self.n, 1..=limits.answers)?.unwrap_or(1);
        if self.best_of.is_some_and(|best| best != n as i64) {
            return Err(Refusal::field("best_of", "not supported beyond n"));
        }
        let prompt = self.prompt.ok_or_else(|| Refusal::field("prompt", "missing"))?;
        let inputs = inputs(&prompt)?;
        choices(limits, inputs.len(), n)?;
        if self.echo == Some(true) {
            let texts = inputs.iter().all(|input| matches!(input, Input::Text(_)));
            if self.stream == Some(true) || !texts || self.logprobs.is_some() {
                let why = "only supported for texts, without stream and logprobs";
                return Err(Refusal::field("echo", why));
            }
        }
        let format = match self.response_format {
            Some(format) => format.format("response_format", limits)?,
            None => Format::Free,
        };
        Ok(Ask {
            model: self.model,
            inputs,
            n,
            options,
            logprobs: count("logprobs", self.logprobs, 0..=20)?,
            format,
            format_field: "response_format",
            prompt_field: "prompt",
            user: self.user,
            priority,
        })
    }
}

/// The prompts, in any of the forms that there are for them.
pub(super) fn inputs(prompt: &Value) -> Result<Vec<Input>, Refusal> {
    let items = match prompt {
        Value::String(text) => return Ok(vec![Input::Text(text.clone())]),
        Value::Array(items) if items.is_empty() => {
            return Err(Refusal::field("prompt", "there is none; send at least one"));
        }
        Value::Array(items) => items,
        other => {
            let why = format!("{}, not a text or a list", kind_of(other));
            return Err(Refusal::field("prompt", why));
        }
    };
    if items[0].is_number() {
        return Ok(vec![tokens("prompt", items)?]);
    }
    let input = |(at, item): (usize, &Value)| match item {
        Value::String(text) => Ok(Input::Text(text.clone())),
        Value::Array(items) => tokens(&format!("prompt[{at}]"), items),
        other => {
            let why = format!("{}, not a text or a list of tokens", kind_of(other));
            Err(Refusal::field(format!("prompt[{at}]"), why))
        }
    };
    items.iter().enumerate().map(input).collect()
}

fn tokens(field: &str, items: &[Value]) -> Result<Input, Refusal> {
    let token = |(at, item): (usize, &Value)| {
        let token = item.as_u64().and_then(|token| u32::try_from(token).ok());
        token.ok_or_else(|| Refusal::field(format!("{field}[{at}]"), "not the number of a token"))
    };
    Ok(Input::Tokens(items.iter().enumerate().map(token).collect::<Result<_, _>>()?))
}

/// Tokens with their probabilities, in the older form. `offset` is where the text is, in characters.
pub(super) fn logprobs_json(words: &[Word], offset: &mut usize) -> Value {
    let (mut tokens, mut logprobs, mut top, mut offsets) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for word in words {
        let text = word.likely.text();
        offsets.push(*offset);
        *offset += text.chars().count();
        tokens.push(text);
        logprobs.push(word.likely.logprob);
        let likeliest: Map<String, Value> =
            word.top.iter().map(|likely| (likely.text(), likely.logprob.into())).collect();
        top.push(likeliest);
    }
    json!({
        "tokens": tokens,
        "token_logprobs": logprobs,
        "top_logprobs": top,
        "text_offset": offsets,
    })
}
