//! What all handlers share, and the table of paths.

use crate::{
    Kind, Options, Refusal, anthropic, around,
    ask::{self, Client},
    health,
    metrics::Metrics,
    models::{Catalogue, ModelOptions, Models},
    native, ollama, openai, page,
};
use axum::{
    Router, middleware,
    routing::{get, post},
};
use std::{
    fmt,
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::Semaphore;

/// What all handlers share.
#[derive(Clone)]
pub(crate) struct App(Arc<Shared>);

/// See [`App`].
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) models: Models,
    pub(crate) metrics: Metrics,
    pub(crate) states: native::States,
    pub(crate) responses: openai::Kept,
    draining: AtomicBool,
    /// Who may use a thread for work that takes a while: tokenizing, templates, grammars.
    threads: Semaphore,
}

impl App {
    pub(crate) fn new(
        options: Options,
        catalogue: Arc<dyn Catalogue>,
        models: ModelOptions,
    ) -> App {
        let threads = std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 16);
        App(Arc::new(Shared {
            options,
            models: Models::new(catalogue, models),
            metrics: Metrics::new(),
            states: native::States::default(),
            responses: openai::Kept::default(),
            draining: AtomicBool::new(false),
            threads: Semaphore::new(threads),
        }))
    }

    /// Runs what takes a while on a thread of its own, a few at a time.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let _permit = self.threads.acquire().await.map_err(Refusal::internal)?;
        tokio::task::spawn_blocking(work).await.map_err(Refusal::internal)
    }

    /// Whether a client may ask something of a model now.
    pub(crate) fn admit(&self, client: &Client) -> Result<(), Refusal> {
        if self.is_draining() {
            return Err(ask::draining());
        }
        client.key.as_ref().map_or(Ok(()), |key| key.admit())
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::SeqCst)
    }

    /// Takes no more requests from now on.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::SeqCst);
        self.models.drain();
    }
}

impl Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("options", &self.options).finish_non_exhaustive()
    }
}

/// All paths.
pub(crate) fn router(app: App) -> Router {
    let mut router = Router::new()
        .route("/v1/chat/completions", post(openai::chat))
        .route("/v1/completions", post(openai::completions))
        .route("/v1/embeddings", post(openai::embeddings))
        .route("/v1/responses", post(openai::responses))
        .route("/v1/responses/{id}", get(openai::get_response).delete(openai::delete_response))
        .route("/v1/models", get(openai::models))
        .route("/v1/models/{*model}", get(openai::model))
        .route("/v1/messages", post(anthropic::messages))
        .route("/v1/messages/count_tokens", post(anthropic::count_tokens))
        .route("/api/chat", post(ollama::chat))
        .route("/api/generate", post(ollama::generate))
        .route("/api/embed", post(ollama::embed))
        .route("/api/embeddings", post(ollama::embeddings))
        .route("/api/tags", get(ollama::tags))
        .route("/api/ps", get(ollama::ps))
        .route("/api/show", post(ollama::show))
        .route("/api/version", get(ollama::version))
        .route("/tokenize", post(native::tokenize))
        .route("/detokenize", post(native::detokenize))
        .route("/state", post(native::create_state))
        .route("/state/{id}", get(native::get_state).delete(native::delete_state))
        .route("/health", get(health::health))
        .route("/ready", get(health::ready))
        .route("/metrics", get(health::metrics))
        .route("/openapi.json", get(crate::openapi::document));
    if app.options.page {
        router = router
            .route("/", get(page::index))
            .route("/page/{*file}", get(page::file))
            .route("/favicon.ico", get(page::icon));
    }
    router
        .fallback(async || Refusal::new(Kind::NoPage, "there is nothing at this path"))
        .method_not_allowed_fallback(async || {
            Refusal::new(Kind::Method, "this path does not take this method")
        })
        .layer(middleware::from_fn_with_state(app.clone(), around::around))
        .with_state(app)
}
