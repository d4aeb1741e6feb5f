//! How a speed compares with a limit of the machine, in words.

use std::fmt;

/// Measured limits are this much off, on machines that do other things too.
const NOISE: f64 = 1.05;

/// What is said of something that is faster than memory.
pub(crate) const IN_CACHE: &str = "in cache";

/// What that means.
pub(crate) const IN_CACHE_MEANS: &str = "in cache: faster than memory, whose limit does not apply";

/// The share of a limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Share {
    /// At most 1.
    Of(f64),
    /// It needs not wait for memory: what it reads is in the CPU's caches.
    InCache,
}

impl Share {
    /// `share` of the limit of memory, or else of arithmetic.
    pub(crate) fn new(share: f64, of_memory: bool) -> Share {
        match share {
            share if share > NOISE && of_memory => Share::InCache,
            share => Share::Of(share.min(1.0)),
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Share::Of(share) => write!(f, "{:.0} %", 100.0 * share),
            Share::InCache => f.write_str(IN_CACHE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_share_is_above_100() {
        assert_eq!(Share::new(0.5, true).to_string(), "50 %");
        assert_eq!(Share::new(1.04, true).to_string(), "100 %");
        assert_eq!(Share::new(2.32, true).to_string(), "in cache");
        assert_eq!(Share::new(2.32, false).to_string(), "100 %");
    }
}
