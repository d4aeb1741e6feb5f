//! Logits of many tokens of a text, for scoring.

use super::Session;
use crate::{Result, model::Ask};

impl Session {
    /// Takes more tokens through the model and shows the logits after each of them, from the one
    /// with number `from` on: with the number of the token they come after.
    ///
    /// They are those of a prompt, many tokens at a time: near to what [`Session::extend_each`]
    /// gives, and sooner there.
    pub fn extend_showing(
        &mut self,
        tokens: &[u32],
        from: usize,
        mut see: impl FnMut(usize, &[f32]),
    ) -> Result<()> {
        let vocabulary = self.model.config().vocabulary;
        let most = self.work.logits.shape()[0];
        let (mut logits, mut before) = (vec![0.0; most * vocabulary], 0);
        self.through(tokens, Ask::States, |session, rows| {
            let device = session.model.device();
            let mut first = from.saturating_sub(before);
            while first < rows {
                let group = first..rows.min(first + most);
                let batch = session.model.logits_of_states(&session.work, group.clone())?;
                device.wait(device.submit(&batch)?)?;
                let logits = &mut logits[..group.len() * vocabulary];
                session.read(&session.work.logits.narrow(0, 0..group.len())?, logits)?;
                session.refuse_nan(logits, "logits")?;
                first = group.end;
                for (row, logits) in group.zip(logits.chunks_exact(vocabulary)) {
                    see(before + row, logits);
                }
            }
            before += rows;
            Ok(true)
        })?;
        Ok(())
    }
}
