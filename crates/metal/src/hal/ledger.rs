//! Tracks which buffers are wired (resident): the first ones, up to the size the system recommends. The
//! others can be used too; the system makes them resident when a command buffer needs them.

/// Something with a size that can be wired.
pub(crate) trait Wirable: Clone {
    /// Its size.
    fn bytes(&self) -> usize;
    /// Whether both are one.
    fn is(&self, other: &Self) -> bool;
}

/// What is wired and what waits for room.
#[derive(Debug)]
pub(crate) struct Ledger<T> {
    limit: usize,
    wired: usize,
    waiting: Vec<T>,
}

impl<T: Wirable> Ledger<T> {
    pub(crate) fn new(limit: usize) -> Ledger<T> {
        Ledger { limit, wired: 0, waiting: Vec::new() }
    }

    /// Whether a new one is to be wired; if not, it waits.
    pub(crate) fn add(&mut self, one: &T) -> bool {
        let fits = self.wired.checked_add(one.bytes()).is_some_and(|all| all <= self.limit);
        match fits {
            true => self.wired += one.bytes(),
            false => self.waiting.push(one.clone()),
        }
        fits
    }

    /// One is gone: whether it was wired, and who is to be wired now that there is room.
    pub(crate) fn remove(&mut self, one: &T) -> (bool, Vec<T>) {
        let before = self.waiting.len();
        self.waiting.retain(|other| !other.is(one));
        if self.waiting.len() < before {
            return (false, Vec::new());
        }
        self.wired = self.wired.saturating_sub(one.bytes());
        let (wired, limit) = (&mut self.wired, self.limit);
        let fits = |other: &mut T| {
            let fits = wired.checked_add(other.bytes()).is_some_and(|all| all <= limit);
            *wired += if fits { other.bytes() } else { 0 };
            fits
        };
        (true, self.waiting.extract_if(.., fits).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq)]
    struct One(u32, usize);

    impl Wirable for One {
        fn bytes(&self) -> usize {
            self.1
        }

        fn is(&self, other: &One) -> bool {
            self.0 == other.0
        }
    }

    #[test]
    fn what_is_wired_stays_within_the_limit() {
        let mut ledger = Ledger::new(100);
        let (weights, cache, large, small) = (One(1, 60), One(2, 30), One(3, 50), One(4, 10));
        assert!(ledger.add(&weights) && ledger.add(&cache));
        assert!(!ledger.add(&large));
        assert!(ledger.add(&small), "what still fits is not kept waiting by what does not");
        assert!(!ledger.add(&One(5, usize::MAX)));
        // What waited and goes leaves no room behind.
        assert_eq!(ledger.remove(&One(5, usize::MAX)), (false, vec![]));
        assert_eq!(ledger.remove(&small), (true, vec![]));
        assert_eq!(ledger.remove(&weights), (true, vec![large.clone()]));
        assert_eq!(ledger.wired, 80);
        assert_eq!(ledger.remove(&large), (true, vec![]));
        assert_eq!(ledger.remove(&cache), (true, vec![]));
        assert_eq!(ledger.wired, 0);
    }
}
