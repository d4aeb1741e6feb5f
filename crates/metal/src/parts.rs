//! Splits a batch into command buffers: systems stop those that keep a GPU busy for seconds, and the
//! display waits for each.

use crate::chips::Chip;
use bessemer_core::Cost;
use std::ops::Range;

/// Seconds of the GPU that a command buffer should take at most.
const SECONDS: f64 = 0.1;
/// The same for batches that wait for memory throughout, as when one token goes through a model: they
/// read each byte once, which is bounded by what fits into memory, and one command buffer is best.
const STREAM_SECONDS: f64 = 1.0;
/// The share of what a GPU can do that kernels are sure to reach.
const SHARE: f64 = 0.5;

/// What a GPU does in a second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed {
    bytes: f64,
    flops: f64,
}

impl Speed {
    /// Of a GPU by its name. An imitation counts as the slowest Mac with a chip of Apple's.
    pub(crate) fn of(name: &str, software: bool) -> Speed {
        let chip = Chip::of(if software { "Apple M1" } else { name });
        Speed { bytes: SHARE * chip.bandwidth, flops: SHARE * chip.flops() }
    }

    fn moving(&self, cost: Cost) -> f64 {
        cost.bytes as f64 / self.bytes
    }

    fn computing(&self, cost: Cost) -> f64 {
        cost.flops as f64 / self.flops
    }

    /// Which dispatches, of those that cost so much, go into one command buffer each.
    pub(crate) fn parts(&self, costs: &[Cost]) -> Vec<Range<usize>> {
        let moving: f64 = costs.iter().map(|&cost| self.moving(cost)).sum();
        let computing: f64 = costs.iter().map(|&cost| self.computing(cost)).sum();
        let most = if computing <= moving { STREAM_SECONDS } else { SECONDS };
        let mut parts = Vec::new();
        let (mut start, mut seconds) = (0, 0.0);
        for (at, &cost) in costs.iter().enumerate() {
            let one = self.moving(cost).max(self.computing(cost));
            if at > start && seconds + one > most {
                parts.push(start..at);
                (start, seconds) = (at, 0.0);
            }
            seconds += one;
        }
        if start < costs.len() {
            parts.push(start..costs.len());
        }
        parts
    }
}

/// The costs of the launches of one op: what it computes is spread over them by the bytes that each
/// moves, since only the op would know better.
pub(crate) fn spread(op: Cost, launches: &[u64]) -> Vec<Cost> {
    let all = launches.iter().sum::<u64>().max(1);
    let share = |bytes: u64| (op.flops as f64 * bytes as f64 / all as f64) as u64;
    launches.iter().map(|&bytes| Cost { bytes, flops: share(bytes) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All layers of a model of `parameters` at 4.5 bits each, for so many rows, as `ops` dispatches.
    fn pass(parameters: f64, rows: f64, ops: usize) -> Vec<Cost> {
        let one = parameters / ops as f64;
        let cost = Cost { bytes: (one * 0.5625) as u64, flops: (2.0 * one * rows) as u64 };
        vec![cost; ops]
    }

    fn speed(name: &str) -> Speed {
        Speed::of(name, false)
    }

    #[test]
    fn a_token_is_one_command_buffer() {
        for (chip, parameters) in [
            ("Apple M1", 8e9),
            ("Apple M2 Max", 70e9),
            ("Apple M3 Ultra", 405e9),
            ("Apple A17 Pro GPU", 3e9),
            ("Intel(R) UHD Graphics 630", 8e9),
        ] {
            let parts = speed(chip).parts(&pass(parameters, 1.0, 400));
            assert_eq!((parts.len(), parts[0].clone()), (1, 0..400), "{chip}");
        }
    }

    #[test]
    fn a_long_prompt_is_many_of_a_tenth_of_a_second() {
        let m1 = speed("Apple M1");
        let costs = pass(8e9, 512.0, 400);
        let parts = m1.parts(&costs);
        // 8.2 teraflops at 1.2 in a second.
        assert!((60..=80).contains(&parts.len()), "{}", parts.len());
        assert_eq!((parts[0].start, parts[parts.len() - 1].end), (0, 400));
        assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
        for part in parts {
            let seconds: f64 = costs[part].iter().map(|&cost| m1.computing(cost)).sum();
            assert!(seconds <= SECONDS, "{seconds}");
        }
        let fast = speed("Apple M3 Ultra").parts(&costs).len();
        assert!((6..=9).contains(&fast), "{fast}");
        // Of a small model it is one.
        assert_eq!(m1.parts(&pass(0.135e9, 64.0, 200)).len(), 1);
    }

    #[test]
    fn what_takes_too_long_by_itself_is_alone() {
        let (small, large) = (Cost { bytes: 8, flops: 1 }, Cost { bytes: 8, flops: 1 << 42 });
        let parts = speed("Apple M1").parts(&[small, small, large, large, small]);
        assert_eq!(parts, [0..2, 2..3, 3..4, 4..5]);
        assert!(speed("Apple M1").parts(&[]).is_empty());
    }

    #[test]
    fn what_an_op_computes_is_spread_over_its_launches() {
        let costs = spread(Cost { bytes: 9, flops: 400 }, &[30, 10]);
        assert_eq!(costs, [Cost { bytes: 30, flops: 300 }, Cost { bytes: 10, flops: 100 }]);
        assert_eq!(spread(Cost { bytes: 0, flops: 4 }, &[0]), [Cost { bytes: 0, flops: 0 }]);
    }
}
