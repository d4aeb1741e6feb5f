//! The handle of an engine: requests go in here, and wait for the thread that drives the device.

use crate::{
    Answering, EngineOptions, Error, Pending, Refused, Request, Result, Stats, backend,
    channel::{Sender, channel},
    queue::Queue,
    worker::{Ticket, Worker},
};
use bessemer_llm::{Llm, WhenFull, Writer};
use std::{
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Computes many texts at once on one model. Clones are handles to the same engine; when the last is
/// dropped, what still runs is cancelled and the engine stops.
///
/// ```
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
/// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
/// use bessemer_engine::{Engine, Request};
/// use bessemer_llm::GenerateOptions;
///
/// let engine = Engine::new(llm, Default::default())?;
/// let options = GenerateOptions { max_tokens: Some(4), ignore_end: true, ..Default::default() };
/// let answers: Result<Vec<_>, _> =
///     (0..3).map(|i| engine.submit(Request::new(vec![65 + i, 66], options.clone()))).collect();
/// for answer in answers? {
///     assert_eq!(answer.finish()?.tokens.len(), 4);
/// }
/// assert_eq!(engine.stats().totals.generated_tokens, 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Engine(Arc<Handle>);

struct Handle {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What the handle and the thread share.
pub(crate) struct Shared {
    llm: Llm,
    options: EngineOptions,
    /// The longest text.
    capacity: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    queue: Queue<Ticket>,
    jobs: Vec<Job>,
    /// Those who wait until all is done.
    drained: Vec<Sender<Result<()>>>,
    draining: bool,
    stopping: bool,
    stats: Stats,
    /// How long a request takes from one end to the next, of late.
    pace: Duration,
    last_end: Option<Instant>,
}

/// Something to compute beside texts.
pub(crate) enum Job {
    /// The mean state of a text.
    Embed { tokens: Vec<u32>, result: Sender<Result<Vec<f32>>> },
}

impl Engine {
    /// Starts an engine: its memory is taken now.
    pub fn new(llm: Llm, options: EngineOptions) -> Result<Engine> {
        options.check()?;
        let backend = backend::open(llm.model(), &options)?;
        let shared = Arc::new(Shared {
            llm,
            options: options.clone(),
            capacity: backend.capacity(),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let theirs = Arc::clone(&shared);
        let work = move || {
            let _last = StopOnExit(&theirs);
            Worker::new(&theirs.llm, options, &theirs, backend).run();
        };
        let thread = thread::Builder::new().name("engine".into()).spawn(work);
        let thread =
            thread.map_err(|error| Error::field("engine", format!("no thread: {error}")))?;
        Ok(Engine(Arc::new(Handle { shared, thread: Some(thread) })))
    }

    /// The model.
    pub fn llm(&self) -> &Llm {
        &self.0.shared.llm
    }

    /// The longest text, in tokens: prompt and answer.
    pub fn context(&self) -> usize {
        self.0.shared.capacity
    }

    /// Asks for a text. Its answer comes as it is made.
    pub fn submit(&self, request: Request) -> Result<Answering, Refused> {
        let shared = &self.0.shared;
        shared.check(&request)?;
        let mut state = shared.lock();
        if state.draining || state.stopping {
            return Err(Refused::Draining);
        }
        let waiting = state.queue.len();
        if waiting >= shared.options.most_waiting {
            state.stats.totals.refused += 1;
            let retry_after = state.pace.max(Duration::from_secs(1));
            return Err(Refused::QueueFull { waiting, retry_after });
        }
        state.stats.totals.taken += 1;
        let most = request.options.max_tokens.unwrap_or(usize::MAX).min(shared.capacity);
        let cost = request.prompt.len().saturating_add(most);
        let (user, priority) = (request.user.clone(), request.priority);
        let (events, answers) = channel();
        state.queue.push(Ticket { request, events, since: Instant::now() }, cost, user, priority);
        drop(state);
        shared.changed.notify_all();
        Ok(Answering::new(answers))
    }

    /// What a text means to the model: see [`Llm::embed`]. It is computed between two steps.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// let engine = bessemer_engine::Engine::new(llm, Default::default())?;
    /// let meaning = engine.embed(vec![72, 105])?.wait()?;
    /// assert_eq!(meaning.len(), engine.llm().model().config().hidden);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn embed(&self, tokens: Vec<u32>) -> Result<Pending<Vec<f32>>, Refused> {
        let shared = &self.0.shared;
        shared.check_tokens(&tokens)?;
        let (result, pending) = channel();
        let mut state = shared.lock();
        if state.draining || state.stopping {
            return Err(Refused::Draining);
        }
        let waiting = state.jobs.len();
        if waiting >= shared.options.most_waiting {
            let retry_after = Duration::from_secs(1);
            return Err(Refused::QueueFull { waiting, retry_after });
        }
        state.jobs.push(Job::Embed { tokens, result });
        drop(state);
        shared.changed.notify_all();
        Ok(Pending(pending))
    }

    /// What the engine is doing. As of the last step, except for the requests that wait.
    pub fn stats(&self) -> Stats {
        let state = self.0.shared.lock();
        Stats { waiting: state.queue.len(), ..state.stats }
    }

    /// Takes no more requests. The result comes when those that were taken have ended.
    pub fn drain(&self) -> Pending<()> {
        let (drained, pending) = channel();
        let mut state = self.0.shared.lock();
        state.draining = true;
        state.drained.push(drained);
        drop(state);
        self.0.shared.changed.notify_all();
        Pending(pending)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // What it holds is sound after every statement.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self, request: &Request) -> Result<()> {
        let Request { prompt, options, state, keep_state, .. } = request;
        self.check_tokens(prompt)?;
        options.sampling.check(self.llm.tokenizer().len()).map_err(bessemer_llm::Error::from)?;
        if options.when_full != WhenFull::Stop {
            let why = "an engine ends texts when the context is full; use `stop`";
            return Err(Error::field("when_full", why));
        }
        Writer::new(self.llm.tokenizer(), options, request.is_chat)?;
        if (state.is_some() || *keep_state) && self.llm.model().config().state_grows() {
            let why = "only states of models that recur are given out and taken back";
            return Err(Error::field("state", why));
        }
        Ok(())
    }

    fn check_tokens(&self, tokens: &[u32]) -> Result<()> {
        let (len, capacity) = (tokens.len(), self.capacity);
        if tokens.is_empty() {
            return Err(Error::field("prompt", "has no tokens; pass at least one"));
        }
        if len > capacity {
            let why = format!("has {len} tokens, but the context is {capacity}; shorten it");
            return Err(Error::field("prompt", why));
        }
        let vocabulary = self.llm.model().config().vocabulary;
        if let Some(token) = tokens.iter().find(|&&token| token as usize >= vocabulary) {
            let why = format!("token {token} is out of range for a vocabulary of {vocabulary}");
            return Err(Error::field("prompt", why));
        }
        Ok(())
    }

    /// What there is to do besides the texts that run; waits for it if there are none. `None` when the
    /// engine is to stop.
    pub(crate) fn wait(&self, idle: bool) -> Option<Vec<Job>> {
        let mut state = self.lock();
        loop {
            if state.stopping {
                return None;
            }
            if !idle || !state.queue.is_empty() || !state.jobs.is_empty() {
                return Some(std::mem::take(&mut state.jobs));
            }
            for drained in std::mem::take(&mut state.drained) {
                drained.send(Ok(()));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The request whose turn it is.
    pub(crate) fn next(&self) -> Option<Ticket> {
        self.lock().queue.pop()
    }

    /// Takes requests that wait out of the queue.
    pub(crate) fn cancelled(&self, unwanted: impl FnMut(&Ticket) -> bool) -> Vec<Ticket> {
        let mut state = self.lock();
        if state.queue.is_empty() { Vec::new() } else { state.queue.remove(unwanted) }
    }

    /// Publishes what the thread says of itself.
    pub(crate) fn report(&self, stats: Stats) {
        let mut state = self.lock();
        let before = state.stats.totals;
        let ended = stats.totals.ended - before.ended;
        if ended > 0 {
            let now = Instant::now();
            let since = state.last_end.replace(now).map_or(Duration::ZERO, |last| now - last);
            state.pace = (3 * state.pace + since / ended as u32) / 4;
        }
        let (taken, refused) = (before.taken, before.refused);
        state.stats = stats;
        (state.stats.totals.taken, state.stats.totals.refused) = (taken, refused);
    }
}

/// Whoever waits for a thread that has ended, or panicked, hears of it.
struct StopOnExit<'a>(&'a Shared);

impl Drop for StopOnExit<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.stopping = true;
        let left = (std::mem::take(&mut state.queue), std::mem::take(&mut state.jobs));
        let drained = std::mem::take(&mut state.drained);
        drop(state);
        // What is dropped tells those who wait that nothing comes.
        drop((left, drained));
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.lock().stopping = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic there was told of by the thread itself.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stats = self.stats();
        write!(f, "Engine ({} running, {} waiting)", stats.running, stats.waiting)
    }
}
