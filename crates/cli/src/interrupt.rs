//! Ctrl-C and other requests to end: unfinished files are removed and the terminal is left as it was.
//! While text is being written, the first Ctrl-C only stops that.

use crate::progress;
use bessemer_llm::Cancel;
use std::{
    process,
    sync::{Mutex, PoisonError},
};

/// What is being written, if anything.
static WRITING: Mutex<Option<Writing>> = Mutex::new(None);

#[derive(Clone)]
struct Writing {
    cancel: Cancel,
    /// Whether every signal stops it, or only Ctrl-C.
    by_all: bool,
}

/// The number of Ctrl-C among signals.
const INTERRUPT: i32 = 2;

/// While this lives, the first Ctrl-C only stops what is being written.
pub(crate) struct Stoppable(());

/// Lets Ctrl-C use `cancel` instead of ending the program.
pub(crate) fn stops(cancel: &Cancel) -> Stoppable {
    stopped_by(cancel, false)
}

/// Lets Ctrl-C, and requests of the system to end, use `cancel`; the second ends the program at once.
#[cfg(feature = "server")]
pub(crate) fn drains(cancel: &Cancel) -> Stoppable {
    stopped_by(cancel, true)
}

fn stopped_by(cancel: &Cancel, by_all: bool) -> Stoppable {
    let writing = Writing { cancel: cancel.clone(), by_all };
    *WRITING.lock().unwrap_or_else(PoisonError::into_inner) = Some(writing);
    Stoppable(())
}

impl Drop for Stoppable {
    fn drop(&mut self) {
        WRITING.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Sets up what signals do. Without, the system ends the process itself: what it leaves behind is swept
/// up by the next one.
pub(crate) fn handle() {
    listen(|signal| {
        let writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match writing {
            Some(Writing { cancel, by_all })
                if (by_all || signal == INTERRUPT) && !cancel.is_cancelled() =>
            {
                cancel.cancel();
            }
            _ => {
                bessemer_files::abandon();
                progress::clear();
                // What shells expect of a program that a signal ended.
                process::exit(128 + signal);
            }
        }
    });
}

#[cfg(unix)]
fn listen(hear: impl Fn(i32) + Send + 'static) {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
    };
    // What is ignored stays so: `nohup`, and jobs that a script has put in the background.
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
    if let Ok(mut signals) = Signals::new(wanted) {
        std::thread::spawn(move || signals.forever().for_each(hear));
    }
}

#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let mut now = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with no new action, `sigaction` only writes the present one to `now`, which all zeros are a
    // value of.
    let now = unsafe {
        libc::sigaction(signal, std::ptr::null(), now.as_mut_ptr());
        now.assume_init()
    };
    now.sa_sigaction == libc::SIG_IGN
}

#[cfg(not(unix))]
fn listen(hear: impl Fn(i32) + Send + 'static) {
    // Windows tells neither Ctrl-C nor a closed window from the other.
    let _ = ctrlc::set_handler(move || hear(INTERRUPT));
}
