//! The state of a session (KV caches and recurrent states): for each layer, the slots its mixer declares.
//!
//! Forking, rewinding, saving and speculative decoding use this interface and never look at the kind of layer.
//! Some memory has an entry per token and can be rewound anywhere; some is changed by every token
//! (`memory::Extent`), and for that there are `snapshots`.

mod format;
mod memory;
mod read;
mod snapshots;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use memory::{Memory, Slot};
pub(crate) use read::Checksums;
pub use snapshots::SnapshotOptions;

use crate::{
    Result,
    model::{LayerKind, Model},
};
use bessemer_core::{Batch, DType, Element, View};
use bessemer_ops::Copy;
use snapshots::Snapshots;
use std::{fmt, sync::Arc};

/// What a [`Session`](crate::Session) remembers of its text: its tokens, and what each layer of the
/// model has made of them.
///
/// ```
/// use bessemer_llm::Llm;
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
/// # let llm = Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
/// let mut session = llm.session(Default::default())?;
/// session.extend(&[1, 2, 3])?;
/// let state = session.state();
/// assert_eq!(state.tokens(), [1, 2, 3]);
/// // A model of attention alone rewinds anywhere at no cost.
/// assert!(state.rewinds_anywhere());
/// assert_eq!(state.rewind_point(2), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct State {
    model: Arc<Model>,
    layers: Vec<Memory>,
    capacity: usize,
    tokens: Vec<u32>,
    /// How many of the tokens fixed slots have seen; `None` if that is not known, since a pass has
    /// failed. Slots with an entry per token need no such number.
    held: Option<usize>,
    /// For states with fixed slots.
    snapshots: Option<Snapshots>,
}

impl State {
    /// Room for a text of `capacity` tokens, of which there are none.
    pub(crate) fn new(
        model: &Arc<Model>,
        capacity: usize,
        cache: DType,
        snapshots: SnapshotOptions,
    ) -> Result<State> {
        let mut state = State::alloc(model, capacity, cache)?;
        if state.layers.iter().any(|memory| memory.fixed().next().is_some()) {
            state.snapshots = Some(Snapshots::new(snapshots));
            state.start_from(&[])?;
            if let Some(snapshots) = &mut state.snapshots {
                snapshots.reserve(&**model.device(), &state.layers)?;
            }
        }
        Ok(state)
    }

    /// Makes all texts begin with these numbers in `(layer, slot)`, all fixed, and with what is usual in
    /// the others. The text is empty afterwards.
    pub(crate) fn start_from(&mut self, start: &[(usize, &'static str, Vec<f32>)]) -> Result<()> {
        self.tokens.clear();
        self.begin();
        let device = self.model.device();
        for (slot, view) in self.layers.iter().flat_map(Memory::fixed) {
            device.write(&view.slice()?, &slot.start_bytes(view))?;
        }
        for (layer, slot, numbers) in start {
            device.write(&self.layers[*layer].slot(slot).slice()?, f32::as_bytes(numbers))?;
        }
        if let Some(snapshots) = &mut self.snapshots {
            snapshots.restart(&**device, &self.layers)?;
        }
        self.held = Some(0);
        Ok(())
    }

    fn alloc(model: &Arc<Model>, capacity: usize, cache: DType) -> Result<State> {
        let (config, device) = (model.config(), &**model.device());
        let layer = |kind: &LayerKind| Memory::new(device, &kind.memory(config, cache), capacity);
        let layers = config.kinds.iter().map(layer).collect::<Result<_>>()?;
        let model = Arc::clone(model);
        Ok(State { model, layers, capacity, tokens: Vec::new(), held: Some(0), snapshots: None })
    }

    /// The tokens of the text.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// How many tokens the text has.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there is no text yet.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// How many tokens it has room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The bytes it takes on the device, without snapshots.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// use bessemer_core::DType;
    /// use bessemer_llm::SessionOptions;
    ///
    /// let bytes = |cache| -> bessemer_llm::Result<usize> {
    ///     Ok(llm.session(SessionOptions { cache, ..Default::default() })?.state().bytes())
    /// };
    /// assert_eq!(bytes(DType::F32)?, 2 * bytes(DType::F16)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bytes(&self) -> usize {
        let slots = self.layers.iter().flat_map(Memory::slots);
        slots.map(|(_, view)| view.stored_bytes()).sum()
    }

    /// Whether it can be rewound to any length at no cost: attention can; recurrences can only be
    /// rewound to snapshots.
    pub fn rewinds_anywhere(&self) -> bool {
        self.snapshots.is_none()
    }

    /// The largest length up to `len` that it can be rewound to at no cost. What lies between goes
    /// through the model again when the text is extended.
    pub fn rewind_point(&self, len: usize) -> usize {
        let len = len.min(self.len());
        match &self.snapshots {
            None => len,
            Some(snapshots) => {
                let held = self.held.filter(|&held| held <= len).unwrap_or(0);
                snapshots.nearest(len).max(held)
            }
        }
    }

    /// The lengths there are snapshots of, shortest first; none where it rewinds anywhere.
    pub fn snapshots(&self) -> Vec<usize> {
        self.snapshots.iter().flat_map(Snapshots::lens).collect()
    }

    /// What each layer remembers.
    pub(crate) fn layers(&self) -> &[Memory] {
        &self.layers
    }

    /// What layer `number` remembers.
    pub(crate) fn layer(&self, number: usize) -> &Memory {
        &self.layers[number]
    }

    /// Forgets all but the first `len` tokens. Fixed slots are brought there by the next
    /// [`State::restore`].
    pub(crate) fn truncate(&mut self, len: usize) {
        self.tokens.truncate(len);
        if let Some(snapshots) = &mut self.snapshots {
            snapshots.truncate(len);
        }
    }

    /// Whether fixed slots have seen all tokens and no others: a pass may follow.
    pub(crate) fn is_settled(&self) -> bool {
        self.rewinds_anywhere() || self.held == Some(self.len())
    }

    /// Brings fixed slots to the latest snapshot that the text begins with and says how many
    /// tokens that has. Those after it must go through the model again.
    pub(crate) fn restore(&mut self) -> Result<usize> {
        let Some(snapshots) = &self.snapshots else { return Ok(self.len()) };
        let point = self.rewind_point(self.len());
        if self.held != Some(point) {
            self.held = None;
            snapshots.restore(&**self.model.device(), &self.layers, point)?;
            self.held = Some(point);
        }
        Ok(point)
    }

    /// A pass is about to change fixed slots: until it has worked, they are good for nothing.
    pub(crate) fn begin(&mut self) {
        self.held = None;
    }

    /// A pass has worked: fixed slots have seen `held` tokens. A snapshot is taken if one is due.
    pub(crate) fn finish(&mut self, held: usize) -> Result<()> {
        self.held = Some(held);
        match &self.snapshots {
            Some(snapshots) if snapshots.is_due(held) => self.take_snapshot_if_room(),
            _ => Ok(()),
        }
    }

    /// Adds tokens that have gone through the model.
    pub(crate) fn push(&mut self, tokens: &[u32]) {
        self.tokens.extend_from_slice(tokens);
    }

    /// Keeps a snapshot of fixed slots as they are.
    pub(crate) fn take_snapshot(&mut self) -> Result<()> {
        match (&mut self.snapshots, self.held) {
            (Some(snapshots), Some(held)) => {
                snapshots.take(&**self.model.device(), &self.layers, held)
            }
            _ => Ok(()),
        }
    }

    /// The same, unless the device is out of memory: nobody has asked for it.
    pub(crate) fn take_snapshot_if_room(&mut self) -> Result<()> {
        match (&mut self.snapshots, self.held) {
            (Some(snapshots), Some(held)) => {
                snapshots.take_if_room(&**self.model.device(), &self.layers, held)
            }
            _ => Ok(()),
        }
    }

    /// Remembers fixed slots as they are until the next checkpoint.
    pub(crate) fn checkpoint(&mut self) -> Result<()> {
        match (&mut self.snapshots, self.held) {
            (Some(snapshots), Some(held)) => {
                snapshots.checkpoint(&**self.model.device(), &self.layers, held)
            }
            _ => Ok(()),
        }
    }

    /// A second state of the same text. Only what the text has filled is copied; snapshots are
    /// shared.
    pub(crate) fn fork(&self, cache: DType) -> Result<State> {
        let mut fork = State::alloc(&self.model, self.capacity, cache)?;
        let mut batch = Batch::new();
        let slots = |state: &State| -> Vec<(Slot, View)> {
            state.layers.iter().flat_map(Memory::slots).cloned().collect()
        };
        for ((slot, from), (_, to)) in slots(self).into_iter().zip(slots(&fork)) {
            if slot.is_fixed() {
                batch.push(Copy { x: from, out: to })?;
            } else if !self.is_empty() {
                let filled = 0..self.len();
                let (x, out) = (from.narrow(1, filled.clone())?, to.narrow(1, filled)?);
                batch.push(Copy { x, out })?;
            }
        }
        let device = self.model.device();
        device.wait(device.submit(&batch)?)?;
        fork.tokens.clone_from(&self.tokens);
        fork.held = self.held;
        fork.snapshots = self.snapshots.as_ref().map(Snapshots::share);
        Ok(fork)
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (len, capacity) = (self.len(), self.capacity);
        write!(f, "State ({} layers, {len} of {capacity} tokens)", self.layers.len())
    }
}
