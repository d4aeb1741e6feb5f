//! A session: a text in progress, its state, and how to extend it.
//!
//! Whatever way a text came about (in one piece, in chunks, token by token, rewound, forked,
//! shifted), the session is in the same state. Text and sampling are in [`Llm`](crate::Llm).

mod cancel;
mod follow;
mod moving;
mod options;
mod saving;
mod show;
mod tuned;

pub use cancel::Cancel;
pub use options::SessionOptions;

use crate::{
    Error, Result,
    model::{Ask, EACH, Model, Workspace, room},
    state::State,
};
use bessemer_core::{Batch, Element, View};
use follow::Follow;
use std::{fmt, sync::Arc};

/// A text in progress. It can be extended, rewound to any point, forked, and extended again.
///
/// ```
/// use bessemer_llm::{Llm, SessionOptions};
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
/// # let llm = Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
/// let mut session = llm.session(SessionOptions { context: Some(64), ..Default::default() })?;
/// let logits = session.extend(&[1, 2, 3])?.to_vec();
/// let mut other = session.fork()?;
/// other.extend(&[4])?;
///
/// session.rewind(1);
/// assert_eq!(session.tokens(), [1]);
/// assert_eq!(session.become_text(&[1, 2, 3])?.len(), logits.len());
/// assert_eq!(other.tokens(), [1, 2, 3, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Session {
    model: Arc<Model>,
    options: SessionOptions,
    work: Workspace,
    /// What the model remembers of the text.
    state: State,
    /// The passes that give logits after each of 1, 2, … tokens: the same for every text, made
    /// when first asked for. Decoding is the first of them.
    each: [Option<Batch>; EACH],
    /// The passes after which the device chooses, where it does.
    follow: Option<Box<Follow>>,
    logits: Vec<f32>,
    positions: Vec<u32>,
}

impl Session {
    /// Opens a session with room for a text.
    pub fn new(model: &Arc<Model>, options: SessionOptions) -> Result<Session> {
        model.check_files_unchanged()?;
        let context = options.context_for(model.config())?;
        check_room(model, options, context)?;
        let state = State::new(model, context, options.cache, options.snapshots)?;
        Session::with(state, model, options)
    }

    /// A session that goes on from a state.
    fn with(state: State, model: &Arc<Model>, options: SessionOptions) -> Result<Session> {
        let (config, device) = (model.config(), &**model.device());
        let rows = rows_of(options, state.capacity());
        let work = Workspace::new(device, config, rows)?;
        let mut each = [const { None }; EACH];
        let one = each[0].insert(model.pass(&work, state.layers(), 1, Ask::Last)?);
        if follow::has_queue(device) {
            // Kernels are compiled while the prompt is still being read.
            device.prepare(one);
            device.prepare(&model.pass(&work, state.layers(), work.rows(), Ask::Last)?);
            device.prepare(&follow::choice(device, &work)?);
        }
        Ok(Session {
            model: Arc::clone(model),
            options,
            work,
            state,
            each,
            follow: None,
            logits: vec![0.0; config.vocabulary],
            positions: Vec::new(),
        })
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// How it was opened.
    pub fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// What the model remembers of the text.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The tokens so far.
    pub fn tokens(&self) -> &[u32] {
        self.state.tokens()
    }

    /// Tokens there is room for.
    pub fn capacity(&self) -> usize {
        self.state.capacity()
    }

    /// Tokens there is room for still.
    pub fn room(&self) -> usize {
        self.capacity() - self.state.len()
    }

    /// Takes more tokens through the model and gives the logits after the last of them.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// let mut session = llm.session(Default::default())?;
    /// let logits = session.extend(&[72, 105])?;
    /// assert_eq!(logits.len(), llm.tokenizer().len());
    /// assert_eq!(session.tokens(), [72, 105]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn extend(&mut self, tokens: &[u32]) -> Result<&mut [f32]> {
        self.through(tokens, Ask::Last, |_, _| Ok(true))?;
        if tokens.len() > 1 {
            self.state.take_snapshot_if_room()?;
        }
        Ok(&mut self.logits)
    }

    /// The same, unless it is cancelled between two chunks: then what was done stays, and there
    /// are no logits.
    pub fn extend_unless(&mut self, cancel: &Cancel, tokens: &[u32]) -> Result<Option<&mut [f32]>> {
        let all = self.through(tokens, Ask::Last, |_, _| Ok(!cancel.is_cancelled()))?;
        if all {
            // This is how prompts come: other answers to it may be asked for.
            self.state.take_snapshot_if_room()?;
        }
        Ok(all.then_some(&mut self.logits))
    }

    /// The most tokens that [`Session::extend_each`] takes.
    pub const MOST_EACH: usize = EACH;

    /// Takes a few tokens through the model at once and gives the logits after each of them,
    /// one row after another. They are bit for bit those that the tokens would get one by one.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// let mut session = llm.session(Default::default())?;
    /// let vocabulary = llm.model().config().vocabulary;
    /// let last = session.extend_each(&[72, 105])?[vocabulary..2 * vocabulary].to_vec();
    /// session.rewind(1);
    /// assert_eq!(session.extend(&[105])?, last);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn extend_each(&mut self, tokens: &[u32]) -> Result<&mut [f32]> {
        if tokens.len() > EACH {
            let len = tokens.len();
            return Err(Error::Session(format!("extend_each: {len} tokens are more than {EACH}")));
        }
        self.check(tokens)?;
        self.pass(tokens, Ask::Each)?;
        self.read_logits(tokens.len())?;
        Ok(&mut self.logits)
    }

    /// Makes `tokens` the text, keeping what both begin with, and gives the logits after them.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// let mut session = llm.session(Default::default())?;
    /// session.extend(&[1, 2, 3])?;
    /// // Only the last token goes through the model.
    /// session.become_text(&[1, 2, 4])?;
    /// assert_eq!(session.tokens(), [1, 2, 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn become_text(&mut self, tokens: &[u32]) -> Result<&mut [f32]> {
        let kept = self.keep_prefix_of(tokens)?;
        self.extend(&tokens[kept..])
    }

    /// The mean of the model's last normed states over `tokens`, which become the text.
    pub fn mean_state(&mut self, tokens: &[u32]) -> Result<Vec<f32>> {
        self.rewind(0);
        let hidden = self.model.config().hidden;
        let (mut sums, mut states) = (vec![0.0f64; hidden], Vec::new());
        self.through(tokens, Ask::States, |session, rows| {
            states.resize(rows * hidden, 0.0);
            session.read(&session.work.normed.narrow(0, 0..rows)?, &mut states)?;
            for row in states.chunks_exact(hidden) {
                sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += f64::from(*x));
            }
            Ok(true)
        })?;
        let mean: Vec<f32> = sums.iter().map(|sum| (sum / tokens.len() as f64) as f32).collect();
        self.refuse_nan(&mean, "states")?;
        Ok(mean)
    }

    /// Forgets all but the first `len` tokens.
    ///
    /// Attention simply does not look at the rest. A recurrence has to go back to a snapshot, and
    /// the tokens from there to `len` go through the model again when the text is next extended:
    /// [`State::rewind_point`] says where that is.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// let mut session = llm.session(Default::default())?;
    /// session.extend(&[1, 2, 3])?;
    /// session.rewind(1);
    /// assert_eq!(session.tokens(), [1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rewind(&mut self, len: usize) {
        if len < self.state.len() {
            self.forget_started();
            self.state.truncate(len);
        }
    }

    /// What was started ahead has gone another way than the text.
    fn forget_started(&mut self) {
        if let Some(follow) = &mut self.follow {
            follow.forget();
        }
    }

    /// A second session with the same text, from which both go their own ways. Only what the text
    /// has filled of the state is copied.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// let mut first = llm.session(Default::default())?;
    /// first.extend(&[1, 2])?;
    /// let mut second = first.fork()?;
    /// first.extend(&[3])?;
    /// second.extend(&[4])?;
    /// assert_eq!((first.tokens(), second.tokens()), (&[1, 2, 3][..], &[1, 2, 4][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fork(&self) -> Result<Session> {
        check_room(&self.model, self.options, self.capacity())?;
        let state = self.state.fork(self.options.cache)?;
        Session::with(state, &self.model, self.options)
    }

    /// Makes room in a full context: of the text after the first `keep` tokens the older half is
    /// dropped. `false` if it was cancelled; then the text ends early.
    ///
    /// What is left goes through the model again: keys and values were made with positions, and
    /// with tokens, that are gone. (Turning the keys back would be cheaper and is only near: the
    /// values would still know the dropped tokens.) Since half is dropped at once, this costs at
    /// most one token of prefill for each token of text.
    pub fn shift(&mut self, keep: usize, cancel: &Cancel) -> Result<bool> {
        let len = self.state.len();
        let keep = keep.min(len);
        let drop = (len - keep).div_ceil(2);
        if drop == 0 {
            let why =
                format!("shift: keeping all {len} tokens of the text frees no room; keep fewer");
            return Err(Error::Session(why));
        }
        let rest = self.tokens()[keep + drop..].to_vec();
        self.rewind(keep);
        match rest.is_empty() {
            true => Ok(true),
            false => self.through(&rest, Ask::Nothing, |_, _| Ok(!cancel.is_cancelled())),
        }
    }

    /// Rewinds to what the text has in common with `tokens` and the state can return to, so that at
    /// least one of them is left to go through the model. How many need not.
    pub(crate) fn keep_prefix_of(&mut self, tokens: &[u32]) -> Result<usize> {
        if tokens.is_empty() || tokens.len() > self.capacity() {
            // Refused as if for an empty session, and nothing is forgotten.
            self.check_after(0, tokens)?;
        }
        let same = self.tokens().iter().zip(tokens).take_while(|(a, b)| a == b).count();
        let kept = self.state.rewind_point(same.min(tokens.len() - 1));
        self.rewind(kept);
        Ok(kept)
    }

    fn check(&self, tokens: &[u32]) -> Result<()> {
        self.check_after(self.state.len(), tokens)
    }

    /// Whether `tokens` can follow a text of `len`.
    fn check_after(&self, len: usize, tokens: &[u32]) -> Result<()> {
        let room = self.capacity() - len;
        if tokens.is_empty() {
            let why = "session: the text has no tokens; pass at least one";
            return Err(Error::Session(why.into()));
        }
        if tokens.len() > room {
            return Err(Error::Session(format!(
                "session: {} more tokens do not fit in a context of {}, of which {room} are free; \
                 shorten the text or use a larger context",
                tokens.len(),
                self.capacity()
            )));
        }
        let vocabulary = self.model.config().vocabulary;
        if let Some(token) = tokens.iter().find(|&&token| token as usize >= vocabulary) {
            return Err(Error::Session(format!(
                "session: token {token} is out of range for a vocabulary of {vocabulary}"
            )));
        }
        Ok(())
    }

    /// Takes tokens through the model in chunks; after each, `go_on` is asked (with the number of
    /// its rows) whether to. Whether all went through. Of the logits, only the last are read.
    fn through(
        &mut self,
        tokens: &[u32],
        ask: Ask,
        mut go_on: impl FnMut(&Session, usize) -> Result<bool>,
    ) -> Result<bool> {
        self.check(tokens)?;
        let rows = self.options.chunk.min(self.work.rows());
        let mut chunks = tokens.chunks(rows).peekable();
        while let Some(chunk) = chunks.next() {
            let last = chunks.peek().is_none();
            self.pass(chunk, if ask == Ask::Last && !last { Ask::Nothing } else { ask })?;
            if !go_on(self, chunk.len())? && !last {
                return Ok(false);
            }
        }
        if ask == Ask::Last {
            self.read_logits(1)?;
        }
        Ok(true)
    }

    /// Takes a chunk through the model. The tokens only count once that has worked.
    fn pass(&mut self, chunk: &[u32], ask: Ask) -> Result<()> {
        self.settle()?;
        self.run(chunk, self.state.len(), ask)?;
        self.state.push(chunk);
        self.state.finish(self.state.len())
    }

    /// Makes sure that the state is that of the text: tokens since the last snapshot go through
    /// the model again after a recurrence was rewound, or a pass has failed.
    fn settle(&mut self) -> Result<()> {
        if self.state.is_settled() {
            return Ok(());
        }
        let mut at = self.state.restore()?;
        let rest = self.tokens()[at..].to_vec();
        // A few tokens were likely decoded one by one, and get the same bits again.
        let (size, ask) = match rest.len() > EACH {
            true => (self.options.chunk.min(self.work.rows()), Ask::Nothing),
            false => (EACH, Ask::Each),
        };
        for chunk in rest.chunks(size) {
            self.run(chunk, at, ask)?;
            at += chunk.len();
            self.state.finish(at)?;
        }
        Ok(())
    }

    /// Runs a pass over tokens that follow the first `start` of the text.
    fn run(&mut self, chunk: &[u32], start: usize, ask: Ask) -> Result<()> {
        self.forget_started();
        let first = start as u32;
        self.positions.clear();
        self.positions.extend(first..first + chunk.len() as u32);
        self.write(&self.work.tokens, chunk)?;
        self.write(&self.work.positions, &self.positions)?;
        self.state.begin();
        let device = self.model.device();
        let ticket = match (ask, chunk.len()) {
            (Ask::Last, 1) | (Ask::Each, _) => {
                let batch = &mut self.each[chunk.len() - 1];
                let batch = match batch {
                    Some(batch) => batch,
                    None => batch.insert(self.model.pass(
                        &self.work,
                        self.state.layers(),
                        chunk.len(),
                        Ask::Each,
                    )?),
                };
                let ticket = device.submit(batch)?;
                if chunk.len() == 1 {
                    // Likely there is a next token, whichever it will be.
                    device.encode_ahead(batch);
                }
                ticket
            }
            (_, rows) => {
                device.submit(&self.model.pass(&self.work, self.state.layers(), rows, ask)?)?
            }
        };
        device.wait(ticket)?;
        self.model.check_files()
    }

    /// The logits of the first `rows` come from the device. If they do not come, or with NaN among
    /// them, the tokens do not count.
    fn read_logits(&mut self, rows: usize) -> Result<()> {
        let vocabulary = self.model.config().vocabulary;
        let mut logits = std::mem::take(&mut self.logits);
        logits.resize(rows * vocabulary, 0.0);
        let read = self.read(&self.work.logits.narrow(0, 0..rows)?, &mut logits);
        self.logits = logits;
        let sound = read.and_then(|()| self.refuse_nan(&self.logits, "logits"));
        if sound.is_err() {
            self.state.truncate(self.state.len() - rows);
        }
        sound
    }

    fn refuse_nan(&self, numbers: &[f32], what: &str) -> Result<()> {
        let wrong = numbers.iter().filter(|x| x.is_nan()).count();
        if wrong == 0 {
            return Ok(());
        }
        Err(Error::Session(format!(
            "{:?}: {wrong} of {} {what} are NaN; the weights are damaged or too large for their dtype, \
             so download the file again",
            self.model,
            numbers.len()
        )))
    }

    fn write(&self, view: &View, values: &[u32]) -> Result<()> {
        let rows = view.narrow(0, 0..values.len())?;
        Ok(self.model.device().write(&rows.slice()?, u32::as_bytes(values))?)
    }

    fn read(&self, view: &View, out: &mut [f32]) -> Result<()> {
        Ok(self.model.device().read(&view.slice()?, f32::as_bytes_mut(out))?)
    }
}

/// The tokens that a session of so many has room to take through the model at once.
fn rows_of(options: SessionOptions, context: usize) -> usize {
    options.chunk.max(EACH).min(context)
}

fn check_room(model: &Model, options: SessionOptions, context: usize) -> Result<()> {
    let rows = rows_of(options, context);
    room::for_text(model.config(), context, options.cache, rows, &**model.device())
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (len, capacity) = (self.state.len(), self.capacity());
        write!(f, "Session ({:?}, {len} of {capacity} tokens)", self.model)
    }
}
