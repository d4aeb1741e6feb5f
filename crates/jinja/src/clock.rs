//! The time that a rendering takes: this thread's CPU time, where the system counts it, else the time on
//! the wall.

use std::time::{Duration, Instant};

#[cfg(any(unix, windows))]
type Thread = cpu_time::ThreadTime;

pub(crate) struct Clock {
    #[cfg(any(unix, windows))]
    thread: Option<Thread>,
    wall: Instant,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock {
            #[cfg(any(unix, windows))]
            thread: Thread::try_now().ok(),
            wall: Instant::now(),
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        #[cfg(any(unix, windows))]
        if let Some(elapsed) = self.thread.and_then(|start| start.try_elapsed().ok()) {
            return elapsed;
        }
        self.wall.elapsed()
    }
}
