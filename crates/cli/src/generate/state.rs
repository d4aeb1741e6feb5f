//! States of sessions in files: what a model remembers of a text, to go on from another time.

use crate::{
    fault::Fault,
    files::{may_write, write_with},
};
use anyhow::Context;
use bessemer_llm::{
    Session,
    files::{Pth, Safetensors, Tensors},
};
use clap::Args;
use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
};

/// The heading of its flags in help.
const STATE: &str = "State";

// Where a text starts, and where its state goes.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct StateArgs {
    /// Continue from a state that --save-state wrote, with the same model: the text goes on after it. A .pth or
    /// .safetensors file is a trained initial state of an RWKV model
    #[arg(long, value_name = "FILE", help_heading = STATE)]
    state: Option<PathBuf>,

    /// Save the model's state at the end
    #[arg(long, value_name = "FILE", help_heading = STATE)]
    save_state: Option<PathBuf>,
}

impl StateArgs {
    /// Refuses a file that cannot be written, before there is anything to write.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        match &self.save_state {
            Some(path) => Ok(may_write(path).context("--save-state")?),
            None => Ok(()),
        }
    }

    /// Restores the state to go on from, and gives the tokens of its text.
    pub(crate) fn restore(&self, session: &mut Session) -> Result<Vec<u32>, Fault> {
        let Some(path) = &self.state else { return Ok(Vec::new()) };
        let what = || format!("--state {}", path.display());
        if let Some(states) = trained(path).transpose().with_context(what)? {
            session.start_from(&states).with_context(what)?;
            return Ok(Vec::new());
        }
        let file = File::open(path).with_context(what)?;
        session.restore(&mut BufReader::new(file)).with_context(what)?;
        Ok(session.tokens().to_vec())
    }

    /// Saves the state of a text, if that was asked for. `rest` are the tokens that have not gone through
    /// the model yet; the last of a text that fills the context has no room to.
    pub(crate) fn save(&self, session: &mut Session, rest: &[u32]) -> Result<(), Fault> {
        let Some(path) = &self.save_state else { return Ok(()) };
        let rest = &rest[..rest.len().min(session.room())];
        if !rest.is_empty() {
            session.extend(rest)?;
        }
        write_with(path, |file| Ok(session.save(file)?)).context("--save-state")?;
        Ok(())
    }
}

/// The tensors of a trained state, if the name of the file is that of one.
fn trained(path: &Path) -> Option<bessemer_llm::Result<Tensors>> {
    let is = |end: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(end));
    if is("pth") {
        Some(Pth::open(path).map(|file| file.tensors().clone()))
    } else if is("safetensors") {
        Some(Safetensors::open(path).map(|file| file.tensors().clone()))
    } else {
        None
    }
}
