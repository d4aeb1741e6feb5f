//! The order in which threads and threadgroups run.

/// An order of threads: the natural one, or one that a seed picks.
#[derive(Clone, Copy)]
pub(crate) struct Shuffle {
    seed: Option<u64>,
}

/// All of `n` things: `first`, then every `step`th of a circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    n: u32,
    pub(crate) first: u32,
    pub(crate) step: u32,
}

impl Order {
    /// The `k`th in this order.
    pub(crate) fn pick(&self, k: u32) -> u32 {
        let n = u64::from(self.n.max(1));
        ((u64::from(k) * u64::from(self.step) + u64::from(self.first)) % n) as u32
    }
}

impl Shuffle {
    pub(crate) fn new(seed: Option<u64>) -> Shuffle {
        Shuffle { seed }
    }

    /// The order of `n` things in a round.
    pub(crate) fn order(&self, n: u32, round: u32) -> Order {
        let Some(seed) = self.seed else {
            return Order { n, first: 0, step: 1 };
        };
        // A step coprime to n, then an offset: a permutation without a table.
        let mix = |x: u64| {
            let x = (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
            (x ^ (x >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53) >> 7
        };
        let h = mix(seed ^ (u64::from(round) << 32) ^ u64::from(n));
        let gcd = |mut a: u64, mut b: u64| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        let all = u64::from(n.max(1));
        let mut step = h % all;
        while step == 0 || gcd(step, all) != 1 {
            step += 1;
        }
        Order { n, first: ((h >> 20) % all) as u32, step: (step % all) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_is_a_permutation() {
        for n in [1u32, 2, 3, 32, 33, 100, 1024] {
            for seed in [None, Some(1), Some(77)] {
                for round in 0..3 {
                    let order = Shuffle::new(seed).order(n, round);
                    let mut all: Vec<u32> = (0..n).map(|k| order.pick(k)).collect();
                    all.sort_unstable();
                    assert!(all.into_iter().eq(0..n));
                }
            }
        }
    }
}
