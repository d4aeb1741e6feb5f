//! Progress bars, and leaving the terminal as it was when interrupted.

use indicatif::{ProgressBar, ProgressStyle};
use std::{
    process,
    sync::{Mutex, PoisonError},
};

/// The bar on the screen, so that an interruption can take it away.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// A bar of `total` steps on stderr, if that is a terminal; gone when dropped.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new(total: usize) -> Progress {
        let bar = ProgressBar::new(total as u64);
        let template = "{bar:30.cyan} {pos}/{len} {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
        Progress(bar)
    }

    /// Shows that `done` steps are done and `what` comes next.
    pub(crate) fn at(&self, done: usize, what: String) {
        self.0.set_position(done as u64);
        self.0.set_message(what);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
        SHOWN.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// On Ctrl-C: no half a bar on the screen, and the exit code shells expect.
pub(crate) fn exit_cleanly_on_ctrl_c() {
    let handler = || {
        if let Ok(mut shown) = SHOWN.try_lock()
            && let Some(bar) = shown.take()
        {
            bar.finish_and_clear();
        }
        process::exit(130);
    };
    // Without a handler the system ends the process itself, which is nearly as good.
    let _ = ctrlc::set_handler(handler);
}
