//! Moving a session to another device, if its device is lost.

use super::Session;
use crate::{
    Error, Result,
    model::{Ask, Model},
};
use std::sync::Arc;

impl Session {
    /// Moves the text to the same model on another device, where all of its tokens go through the
    /// model again. What the old device holds is not asked for: it may be lost. If this fails, the
    /// session is as it was.
    ///
    /// ```
    /// use bessemer_llm::{Llm, tiny};
    /// # use std::sync::Arc;
    /// # let open = || -> bessemer_core::Result<Arc<dyn bessemer_core::Device>> {
    /// #     Ok(Arc::new(bessemer_cpu::Cpu::open(Default::default())?))
    /// # };
    /// # let (gpu, cpu) = (open()?, open()?);
    /// let mut session = Llm::from_bytes(tiny::gguf(), &gpu)?.session(Default::default())?;
    /// session.extend(&[1, 2, 3])?;
    ///
    /// let other = Llm::from_bytes(tiny::gguf(), &cpu)?;
    /// session.move_to(other.model())?;
    /// assert_eq!(session.tokens(), [1, 2, 3]);
    /// assert!(session.extend(&[4]).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn move_to(&mut self, model: &Arc<Model>) -> Result<()> {
        let (from, to) = (self.model.config(), model.config());
        if from.vocabulary != to.vocabulary || from.context != to.context {
            return Err(Error::Session(format!(
                "move_to: the session's model has {} tokens and a context of {}, not {} and {}; use \
                 the same model on another device",
                from.vocabulary, from.context, to.vocabulary, to.context
            )));
        }
        let mut moved = Session::new(model, self.options)?;
        if !self.tokens().is_empty() {
            moved.through(self.tokens(), Ask::Nothing, |_, _| Ok(true))?;
        }
        *self = moved;
        Ok(())
    }
}
