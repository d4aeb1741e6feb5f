//! Progress bars. What happens when they are interrupted is in `interrupt`.

use crate::terminal::{tell, visible};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::{Mutex, PoisonError};

/// The bar on the screen, so that an interruption can take it away.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// A bar of `total` steps on stderr, if that is a terminal; gone when dropped.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Steps that have names.
    pub(crate) fn new(total: usize) -> Progress {
        let bar = ProgressBar::new(total as u64);
        Progress::shown(bar, "{bar:30.cyan} {pos}/{len} {wide_msg}")
    }

    /// Bytes that come or go, with their speed and the time left; how many there will be may show later.
    pub(crate) fn of_bytes() -> Progress {
        let template = "{bar:30.cyan} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left {wide_msg}";
        Progress::shown(ProgressBar::no_length(), template)
    }

    fn shown(bar: ProgressBar, template: &str) -> Progress {
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
        Progress(bar)
    }

    /// Shows that `done` steps are done and `what` comes next.
    pub(crate) fn at(&self, done: usize, what: String) {
        self.0.set_position(done as u64);
        self.0.set_message(visible(&what).into_owned());
    }

    /// Shows that `done` bytes of `total` are done.
    pub(crate) fn at_bytes(&self, done: u64, total: Option<u64>, what: &str) {
        if total != self.0.length() {
            total.map_or_else(|| self.0.unset_length(), |total| self.0.set_length(total));
        }
        self.0.set_position(done);
        let what = visible(what);
        if self.0.message() != what {
            self.0.set_message(what.into_owned());
            // What was there from an earlier time does not count as speed.
            self.0.reset_eta();
        }
    }

    /// A line above the bar, or alone where there is none.
    pub(crate) fn say(&self, line: &str) {
        match self.0.is_hidden() {
            true => tell!("{line}"),
            false => self.0.println(visible(line)),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
        SHOWN.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Takes the bar off the screen, if there is one and nobody is at it.
pub(crate) fn clear() {
    if let Ok(mut shown) = SHOWN.try_lock()
        && let Some(bar) = shown.take()
    {
        bar.finish_and_clear();
    }
}
