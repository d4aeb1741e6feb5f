//! Ctrl-C: it stops what is being written, and otherwise the program, with the terminal as it was.

use crate::progress;
use std::process;

/// Sets up what Ctrl-C does.
pub(crate) fn handle() {
    let handler = || {
        progress::clear();
        // What shells expect of an interrupted program.
        process::exit(130);
    };
    // Without a handler the system ends the process itself, which is nearly as good.
    let _ = ctrlc::set_handler(handler);
}
