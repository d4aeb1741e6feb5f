//! What Prometheus is told: how long things take, how much there is to do, and what is used.

use crate::ask::{Reason, Times, Usage};
use crate::models::Models;
use bessemer_engine::Stats;
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};
use std::{
    sync::{Arc, atomic::AtomicU64},
    time::{Duration, Instant},
};

/// All metrics.
#[derive(Clone, Debug)]
pub(crate) struct Metrics {
    registry: Arc<Registry>,
    first_token: ByModel<Histogram>,
    between_tokens: ByModel<Histogram>,
    queue: ByModel<Histogram>,
    speed: ByModel<Histogram>,
    duration: ByModel<Histogram>,
    page_use: ByModel<Histogram>,
    batch: ByModel<Histogram>,
    prompt_tokens: ByModel<Counter>,
    cached_tokens: ByModel<Counter>,
    answer_tokens: ByModel<Counter>,
    answers: Family<Answered, Counter>,
    requests: Family<Requested, Counter>,
    refusals: Family<Refused, Counter>,
    running: ByModel<Gauge>,
    waiting: ByModel<Gauge>,
    pages: ByModel<Gauge<f64, AtomicU64>>,
    paused: ByModel<Gauge>,
    loaded: Gauge,
    connections: Gauge,
}

type ByModel<M> = Family<ModelLabel, M, fn() -> M>;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ModelLabel {
    model: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    model: String,
    reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Requested {
    path: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Refused {
    kind: &'static str,
}

/// Seconds from a millisecond to minutes.
fn times() -> Histogram {
    Histogram::new([
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
        300.0,
    ])
}

fn speeds() -> Histogram {
    Histogram::new([1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0, 1280.0])
}

fn shares() -> Histogram {
    Histogram::new([0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0])
}

fn sizes() -> Histogram {
    Histogram::new([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0])
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let mut registry = Registry::with_prefix("bessemer");
        fn by<M>(make: fn() -> M) -> ByModel<M>
        where
            M: Clone,
        {
            Family::new_with_constructor(make)
        }
        let mut metrics = Metrics {
            registry: Arc::default(),
            first_token: by(times),
            between_tokens: by(times),
            queue: by(times),
            speed: by(speeds),
            duration: by(times),
            page_use: by(shares),
            batch: by(sizes),
            prompt_tokens: by(Counter::default),
            cached_tokens: by(Counter::default),
            answer_tokens: by(Counter::default),
            answers: Family::default(),
            requests: Family::default(),
            refusals: Family::default(),
            running: by(Gauge::default),
            waiting: by(Gauge::default),
            pages: by(Gauge::default),
            paused: by(Gauge::default),
            loaded: Gauge::default(),
            connections: Gauge::default(),
        };
        let seconds = || Unit::Seconds;
        let m = &metrics;
        registry.register_with_unit(
            "time_to_first_token",
            "Time from a request to the first token of its answer",
            seconds(),
            m.first_token.clone(),
        );
        registry.register_with_unit(
            "time_between_tokens",
            "Time between two tokens of an answer",
            seconds(),
            m.between_tokens.clone(),
        );
        registry.register_with_unit(
            "queue",
            "Time that requests waited for a place",
            seconds(),
            m.queue.clone(),
        );
        registry.register_with_unit(
            "request_duration",
            "Time from a request to the end of its answer",
            seconds(),
            m.duration.clone(),
        );
        registry.register(
            "tokens_per_second",
            "Tokens per second of each answer, after its first token",
            m.speed.clone(),
        );
        registry.register(
            "page_use",
            "Share of the KV cache's pages in use, sampled every second",
            m.page_use.clone(),
        );
        registry.register(
            "batch_size",
            "Rows of a step: tokens that go through the model together, sampled every second",
            m.batch.clone(),
        );
        registry.register("prompt_tokens", "Tokens of prompts", m.prompt_tokens.clone());
        registry.register(
            "cached_tokens",
            "Tokens of prompts that were known from other requests",
            m.cached_tokens.clone(),
        );
        registry.register("generated_tokens", "Tokens of answers", m.answer_tokens.clone());
        registry.register("answers", "Answers, by why they ended", m.answers.clone());
        registry.register("http_requests", "Requests, by path and status", m.requests.clone());
        registry.register("refusals", "Requests that were refused, by why", m.refusals.clone());
        registry.register(
            "requests_running",
            "Requests that have a place in the batch",
            m.running.clone(),
        );
        registry.register(
            "requests_waiting",
            "Requests in the queue, the gateway's TotalQueuedRequests",
            m.waiting.clone(),
        );
        registry.register(
            "kv_cache_utilization",
            "Share of the KV cache in use, the gateway's KVCacheUtilization",
            m.pages.clone(),
        );
        registry.register("paused", "Pauses of answers for want of pages", m.paused.clone());
        registry.register("models_loaded", "Models that are loaded", m.loaded.clone());
        registry.register("connections", "Connections that are open", m.connections.clone());
        metrics.registry = Arc::new(registry);
        metrics
    }

    /// The text that Prometheus reads.
    pub(crate) fn text(&self, models: &Models) -> String {
        self.sample(models, false);
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }

    /// Takes note of how busy the engines are.
    pub(crate) fn sample(&self, models: &Models, distributions: bool) {
        let loaded = models.loaded();
        self.loaded.set(loaded.len() as i64);
        let listed = models.list();
        let gone = |name: &str| !loaded.iter().any(|model| model.name == name);
        for listing in listed.iter().filter(|listing| gone(&listing.name)) {
            let label = label(&listing.name);
            for family in [&self.running, &self.waiting] {
                family.get_or_create(&label).set(0);
            }
            self.pages.get_or_create(&label).set(0.0);
        }
        for model in &loaded {
            let stats = model.engine.stats();
            let label = label(&model.name);
            self.running.get_or_create(&label).set(stats.running as i64);
            self.waiting.get_or_create(&label).set(stats.waiting as i64);
            self.paused.get_or_create(&label).set(stats.totals.paused.cast_signed());
            let share = page_share(&stats);
            self.pages.get_or_create(&label).set(share);
            if distributions && stats.running > 0 {
                self.page_use.get_or_create(&label).observe(share);
                self.batch.get_or_create(&label).observe(stats.batch as f64);
            }
        }
    }

    pub(crate) fn request(&self, path: &str, status: u16) {
        let path = path.to_owned();
        self.requests.get_or_create(&Requested { path, status }).inc();
    }

    pub(crate) fn refusal(&self, kind: &'static str) {
        self.refusals.get_or_create(&Refused { kind }).inc();
    }

    pub(crate) fn connected(&self) -> Connected {
        self.connections.inc();
        Connected(self.connections.clone())
    }

    /// What measures one answer.
    pub(crate) fn meter(&self, model: &str, prompt: usize, started: Instant) -> Meter {
        let label = label(model);
        self.prompt_tokens.get_or_create(&label).inc_by(prompt as u64);
        let between = self.between_tokens.get_or_create(&label).clone();
        let generated = self.answer_tokens.get_or_create(&label).clone();
        Meter { metrics: self.clone(), label, prompt, started, last: None, between, generated }
    }
}

fn label(model: &str) -> ModelLabel {
    ModelLabel { model: model.to_owned() }
}

/// The share of pages in use. Those that are only kept for texts that begin alike are free to be had.
pub(crate) fn page_share(stats: &Stats) -> f64 {
    stats.pages.used as f64 / stats.pages.all().max(1) as f64
}

/// An open connection.
pub(crate) struct Connected(Gauge);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Measures one answer.
#[derive(Debug)]
pub(crate) struct Meter {
    metrics: Metrics,
    label: ModelLabel,
    prompt: usize,
    started: Instant,
    last: Option<Instant>,
    between: Histogram,
    generated: Counter,
}

impl Meter {
    /// Tokens of the prompt.
    pub(crate) fn prompt(&self) -> usize {
        self.prompt
    }

    /// Tokens have come.
    pub(crate) fn tokens(&mut self, count: usize) {
        let now = Instant::now();
        if count == 0 {
            return;
        }
        self.generated.inc_by(count as u64);
        match self.last.replace(now) {
            None => {
                let family = &self.metrics.first_token;
                family.get_or_create(&self.label).observe((now - self.started).as_secs_f64());
            }
            Some(last) => {
                let each = (now - last).as_secs_f64() / count as f64;
                (0..count).for_each(|_| self.between.observe(each));
            }
        }
    }

    /// It is over.
    pub(crate) fn ended(&self, reason: &Reason, usage: &Usage, times: &Times) {
        let Metrics { queue, duration, speed, cached_tokens, answers, .. } = &self.metrics;
        queue.get_or_create(&self.label).observe(times.queue.as_secs_f64());
        duration.get_or_create(&self.label).observe(self.started.elapsed().as_secs_f64());
        cached_tokens.get_or_create(&self.label).inc_by(usage.cached as u64);
        if usage.answer > 1 && times.decode > Duration::ZERO {
            let each_second = (usage.answer - 1) as f64 / times.decode.as_secs_f64();
            speed.get_or_create(&self.label).observe(each_second);
        }
        let reason = match reason {
            Reason::End => "end",
            Reason::Stop(_) => "stop",
            Reason::Length => "length",
            Reason::Calls => "calls",
            Reason::Cancelled => "cancelled",
        };
        answers.get_or_create(&Answered { model: self.label.model.clone(), reason }).inc();
    }
}
