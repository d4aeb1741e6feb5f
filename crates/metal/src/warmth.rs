//! Keeps memory resident between the tokens and turns of a chat: systems evict what a GPU has not used
//! for a second or so, and making gigabytes resident again takes seconds.

use crate::hal::{Device as _, Hal};
use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// How often the system is asked to keep the memory, and for how long after the last submission.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rhythm {
    pub(crate) beat: Duration,
    pub(crate) linger: Duration,
}

impl Default for Rhythm {
    fn default() -> Rhythm {
        Rhythm { beat: Duration::from_millis(500), linger: Duration::from_secs(180) }
    }
}

/// The thread that asks. It sleeps while nothing is submitted for long, and ends with this.
pub(crate) struct Warmth {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// When something was last submitted; none if it is long ago.
    last: Option<Instant>,
    ended: bool,
}

impl Warmth {
    /// Keeps the memory of a device warm, if it has a way to.
    pub(crate) fn new<H: Hal>(device: &Arc<H::Device>, rhythm: Rhythm) -> Warmth {
        let state = State { last: None, ended: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let thread = device.cools().then(|| {
            let (shared, device) = (Arc::clone(&shared), Arc::clone(device));
            let beat = move || H::entry(|| device.keep_warm());
            let work = move || shared.run(rhythm, beat);
            // Without a thread, memory cools down as it does for others.
            thread::Builder::new().name("bessemer-warmth".into()).spawn(work).ok()
        });
        Warmth { shared, thread: thread.flatten() }
    }

    /// Something is submitted: memory is wanted for a while.
    pub(crate) fn touch(&self) {
        if self.thread.is_none() {
            return;
        }
        let asleep = self.shared.state().last.replace(Instant::now()).is_none();
        if asleep {
            self.shared.changed.notify_all();
        }
    }
}

impl Shared {
    fn run(&self, rhythm: Rhythm, beat: impl Fn()) {
        let mut state = self.state();
        while !state.ended {
            match state.last {
                None => {
                    let woken = self.changed.wait(state);
                    state = woken.unwrap_or_else(PoisonError::into_inner);
                }
                Some(last) if last.elapsed() > rhythm.linger => state.last = None,
                Some(_) => {
                    drop(state);
                    beat();
                    let waited = self.changed.wait_timeout(self.state(), rhythm.beat);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Two plain values, whole at any time.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Warmth {
    fn drop(&mut self) {
        self.shared.state().ended = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of it has been told by the panic hook.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn until(holds: impl Fn() -> bool) {
        while !holds() {
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn it_beats_after_a_submission_until_nobody_asks_any_more() {
        let state = State { last: None, ended: false };
        let shared = &Shared { state: Mutex::new(state), changed: Condvar::new() };
        let beats = &AtomicUsize::new(0);
        let rhythm = Rhythm { beat: Duration::from_millis(1), linger: Duration::from_millis(20) };
        thread::scope(|scope| {
            scope.spawn(|| {
                shared.run(rhythm, || {
                    beats.fetch_add(1, Ordering::Relaxed);
                })
            });
            for _ in 0..2 {
                let before = beats.load(Ordering::Relaxed);
                shared.state().last = Some(Instant::now());
                shared.changed.notify_all();
                until(|| beats.load(Ordering::Relaxed) > before);
                until(|| shared.state().last.is_none());
            }
            shared.state().ended = true;
            shared.changed.notify_all();
        });
    }
}
