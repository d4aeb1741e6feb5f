//! How long a call takes: the rule that `numpy_peer.py` follows too.

use anyhow::Result;
use std::time::{Duration, Instant};

/// Calls are timed in chunks at least this long, so that reading the clock costs nothing.
const CHUNK: Duration = Duration::from_millis(1);
/// Even when one chunk takes longer than the round.
const FEWEST_CHUNKS: usize = 3;

/// Something to be timed.
pub(crate) struct Timed {
    call: Box<dyn FnMut() -> Result<()>>,
    /// Calls in a chunk.
    calls: u32,
}

impl Timed {
    /// Tries `call` until it is known how many of them make a chunk.
    pub(crate) fn new(call: impl FnMut() -> Result<()> + 'static) -> Result<Timed> {
        let mut timed = Timed { call: Box::new(call), calls: 1 };
        while timed.chunk()? * timed.calls < CHUNK {
            timed.calls *= 2;
        }
        Ok(timed)
    }

    /// Seconds of a call, in the fastest chunk of a round.
    pub(crate) fn round(&mut self, length: Duration) -> Result<f64> {
        let (mut best, mut chunks, start) = (Duration::MAX, 0, Instant::now());
        while chunks < FEWEST_CHUNKS || start.elapsed() < length {
            best = best.min(self.chunk()?);
            chunks += 1;
        }
        Ok(best.as_secs_f64())
    }

    /// The time of one call, from a chunk of them.
    fn chunk(&mut self) -> Result<Duration> {
        let start = Instant::now();
        for _ in 0..self.calls {
            (self.call)()?;
        }
        Ok(start.elapsed() / self.calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{cell::Cell, rc::Rc};

    #[test]
    fn short_calls_are_timed_in_chunks_and_rounds_make_three_at_least() {
        let count = Rc::new(Cell::new(0));
        let counter = Rc::clone(&count);
        let mut timed = Timed::new(move || {
            counter.set(counter.get() + 1);
            Ok(())
        })
        .unwrap();
        let tried = count.get();
        assert!(timed.calls > 1 && tried >= timed.calls);
        assert!(timed.round(Duration::ZERO).unwrap() > 0.0);
        assert_eq!(count.get() - tried, 3 * timed.calls);
    }
}
