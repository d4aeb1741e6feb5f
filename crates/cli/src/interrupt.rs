//! Ctrl-C: it stops what is being written, and otherwise the program, with the terminal as it was.

use crate::progress;
use bessemer_llm::Cancel;
use std::{
    process,
    sync::{Mutex, PoisonError},
};

/// What is being written, if anything.
static WRITING: Mutex<Option<Cancel>> = Mutex::new(None);

/// While this lives, the first Ctrl-C only stops what is being written.
pub(crate) struct Stoppable(());

/// Lets Ctrl-C use `cancel` instead of ending the program.
pub(crate) fn stops(cancel: &Cancel) -> Stoppable {
    *WRITING.lock().unwrap_or_else(PoisonError::into_inner) = Some(cancel.clone());
    Stoppable(())
}

impl Drop for Stoppable {
    fn drop(&mut self) {
        WRITING.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Sets up what Ctrl-C does.
pub(crate) fn handle() {
    let handler = || {
        let writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match writing {
            Some(cancel) if !cancel.is_cancelled() => cancel.cancel(),
            _ => {
                progress::clear();
                // What shells expect of an interrupted program.
                process::exit(130);
            }
        }
    };
    // Without a handler the system ends the process itself, which is nearly as good.
    let _ = ctrlc::set_handler(handler);
}
