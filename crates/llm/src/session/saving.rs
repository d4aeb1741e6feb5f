//! Saving and restoring sessions, and checkpoints to rewind to.

use super::Session;
use crate::{Result, state::Checksums};
use std::io::{Read, Write};

impl Session {
    /// Writes the text and all that the model remembers of it, so that [`Session::restore`] can go
    /// on without taking the tokens through the model again.
    ///
    /// What is written has a version and is checked when it is read. It fits the same model on any
    /// device. It grows with the text where layers attend, and is of one size where they recur. The
    /// bytes come in pieces of up to a megabyte; files need no buffer.
    ///
    /// ```
    /// use bessemer_llm::Llm;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// let mut session = llm.session(Default::default())?;
    /// session.extend(&[1, 2, 3])?;
    /// let mut saved = Vec::new(); // or a file
    /// session.save(&mut saved)?;
    ///
    /// let mut other = llm.session(Default::default())?;
    /// other.restore(&mut saved.as_slice())?;
    /// assert_eq!(other.tokens(), [1, 2, 3]);
    /// assert_eq!(other.extend(&[4])?, session.extend(&[4])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&mut self, to: &mut dyn Write) -> Result<()> {
        self.settle()?;
        self.state.save(to)
    }

    /// Replaces the text with one that was saved, of the same model and with the same cache dtype.
    ///
    /// Bytes that are anything else are refused with the reason. No more memory is used than the
    /// session has already. The text is unchanged if the beginning of the bytes is refused (they are
    /// no state, or one of another model, or too long); it is empty if what follows is damaged.
    pub fn restore(&mut self, from: &mut dyn Read) -> Result<()> {
        self.restore_with(from, Checksums::Verify)
    }

    pub(crate) fn restore_with(&mut self, from: &mut dyn Read, checksums: Checksums) -> Result<()> {
        self.forget_started();
        self.state.load(from, checksums)
    }

    /// Keeps a snapshot of the text as it is, to which [`Session::rewind`] can return at no cost.
    /// Where all layers attend this does nothing: they return anywhere.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// let mut session = llm.session(Default::default())?;
    /// session.extend(&[1, 2, 3])?;
    /// session.snapshot()?;
    /// session.extend(&[4, 5])?;
    /// session.rewind(3);
    /// assert_eq!(session.state().rewind_point(3), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot(&mut self) -> Result<()> {
        self.settle()?;
        self.state.take_snapshot()
    }

    /// Remembers where the text is until the next checkpoint: it is about to be extended by tokens
    /// that may turn out wrong. Speculative decoding does this with every pass.
    pub fn checkpoint(&mut self) -> Result<()> {
        self.settle()?;
        self.state.checkpoint()
    }
}
