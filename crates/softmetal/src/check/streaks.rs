//! Streaks: accesses of one place in the code at even distances. Where threads never meet, the order
//! of accesses does not matter, so streaks are kept until the dispatch is over; most dispatches are
//! then seen to be free of races at a glance, and the others are checked word by word.

use super::Binding;
use super::map::Map;

/// Accesses `k` in `0..count`: `size` bytes at `base + k * stride` by thread `first + k * step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Streak {
    pub(super) binding: usize,
    pub(super) pc: usize,
    pub(super) write: bool,
    pub(super) size: usize,
    pub(super) base: usize,
    pub(super) stride: i64,
    pub(super) first: u32,
    pub(super) step: i32,
    pub(super) count: u64,
}

/// Comparisons of streaks after which word by word is no slower.
const PATIENCE: usize = 1 << 20;

impl Streak {
    /// The same accesses with addresses going up, and one access instead of many that are the same.
    pub(super) fn normal(mut self) -> Streak {
        if self.stride == 0 && self.step == 0 || self.count == 1 {
            self.count = 1;
            self.stride = self.size as i64;
            self.step = 1;
        }
        if self.stride < 0 {
            let (address, thread) = self.access(self.count - 1);
            (self.base, self.first) = (address, thread);
            (self.stride, self.step) = (-self.stride, -self.step);
        }
        self
    }

    /// The address and the thread of one access.
    pub(super) fn access(&self, k: u64) -> (usize, u32) {
        let k = k as i64;
        (
            self.base.wrapping_add_signed((k * self.stride) as isize),
            self.first.wrapping_add((k * i64::from(self.step)) as u32),
        )
    }

    /// Whether `next` goes on where this one ends.
    pub(super) fn continues(&self, next: &Streak) -> bool {
        let after = (next.base, next.first);
        self.pc == next.pc
            && self.binding == next.binding
            && self.access(self.count) == after
            && (next.count == 1 || (next.stride, next.step) == (self.stride, self.step))
    }

    fn end(&self) -> usize {
        self.access(self.count - 1).0 + self.size
    }

    /// Whether two streaks, normal and overlapping in extent, are surely free of races.
    fn harmless(&self, other: &Streak) -> bool {
        if !self.write && !other.write {
            return true;
        }
        if self.step == 0 && other.step == 0 && self.first == other.first {
            return true;
        }
        let stride = self.stride;
        let fits = |s: &Streak| s.size as i64 <= stride;
        if stride != other.stride || !fits(self) || !fits(other) {
            return false;
        }
        let distance = other.base as i64 - self.base as i64;
        let (k, rest) = (distance.div_euclid(stride), distance.rem_euclid(stride));
        if rest + other.size as i64 > stride {
            return false;
        }
        // Between one another, or by the same threads.
        rest >= self.size as i64
            || self.step == other.step
                && other.first == self.first.wrapping_add((k * i64::from(self.step)) as u32)
    }

    /// Whether its own accesses are surely free of races.
    fn alone(&self) -> bool {
        !self.write || self.step == 0 || self.count == 1 || self.size as i64 <= self.stride
    }
}

/// Whether streaks in the same buffer are surely free of races.
pub(super) fn harmless(streaks: &mut [Streak]) -> bool {
    if !streaks.iter().any(|s| s.write) {
        return true;
    }
    streaks.sort_unstable_by_key(|s| s.base);
    let mut open: Vec<Streak> = Vec::new();
    let mut compared = 0;
    for s in streaks.iter() {
        open.retain(|o| o.end() > s.base);
        compared += open.len();
        if compared > PATIENCE || !s.alone() || !open.iter().all(|o| o.harmless(s)) {
            return false;
        }
        open.push(*s);
    }
    true
}

/// Different bytes read and written by streaks of one buffer.
pub(super) fn unique(binding: &Binding, streaks: &[Streak]) -> (u64, u64) {
    let of = |write: bool| {
        let mut chosen: Vec<&Streak> = streaks.iter().filter(|s| s.write == write).collect();
        if chosen.iter().all(|s| s.stride as usize == s.size) {
            return joined(&mut chosen);
        }
        let start = binding.range.start - binding.shadow_offset;
        let map = Map::new(&(start..binding.range.end));
        for s in chosen {
            if s.stride as usize == s.size {
                map.mark_all(s.base, s.size * s.count as usize);
            } else {
                (0..s.count).for_each(|k| map.mark(s.access(k).0, s.size));
            }
        }
        map.count()
    };
    (of(false), of(true))
}

/// Bytes of streaks without gaps.
fn joined(streaks: &mut [&Streak]) -> u64 {
    streaks.sort_unstable_by_key(|s| s.base);
    let (mut sum, mut end) = (0, 0);
    for s in streaks {
        sum += s.end().saturating_sub(s.base.max(end)) as u64;
        end = end.max(s.end());
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streak(write: bool, base: usize, stride: i64, first: u32, step: i32, count: u64) -> Streak {
        Streak { binding: 0, pc: 7, write, size: 4, base, stride, first, step, count }.normal()
    }

    #[test]
    fn one_thread_for_each_word_is_harmless() {
        let (r, w) = (streak(false, 400, 4, 0, 1, 100), streak(true, 400, 4, 0, 1, 100));
        assert!(harmless(&mut [r, w]));
        assert!(harmless(&mut [r, streak(true, 480, 4, 20, 1, 9)]));
        assert!(!harmless(&mut [r, streak(true, 404, 4, 0, 1, 100)]), "a neighbour's word");
        assert!(!harmless(&mut [w, streak(true, 400, 0, 0, 1, 5)]), "all write the same word");
        assert!(!harmless(&mut [streak(true, 400, 2, 0, 1, 5)]), "halves of words");
    }

    #[test]
    fn bytes_count_once() {
        let r = |base, count| streak(false, base, 4, 0, 1, count);
        assert_eq!(joined(&mut [&r(400, 10), &r(420, 10), &r(410, 2), &r(500, 1)]), 64);
    }

    #[test]
    fn fields_of_structs_do_not_meet() {
        let fields = |d: usize| streak(true, 400 + d, 12, 0, 1, 50);
        assert!(harmless(&mut [fields(0), fields(4), fields(8)]));
        assert!(harmless(&mut [fields(0), fields(2)]), "the same thread");
        assert!(!harmless(&mut [fields(0), streak(true, 402, 12, 1, 1, 50)]));
    }

    #[test]
    fn backwards_is_the_same() {
        let s = streak(true, 796, -4, 0, 1, 100);
        assert_eq!((s.base, s.first, s.step), (400, 99, -1));
        assert!(harmless(&mut [s, streak(false, 400, 4, 99, -1, 100)]));
        assert!(!harmless(&mut [s, streak(false, 400, 4, 0, 1, 100)]));
    }

    #[test]
    fn a_thread_may_do_what_it_likes_with_its_own() {
        let s = streak(true, 400, 8, 5, 0, 10);
        assert!(harmless(&mut [s, streak(false, 404, 4, 5, 0, 10)]));
        assert!(!harmless(&mut [s, streak(false, 404, 4, 6, 0, 10)]));
    }

    #[test]
    fn many_of_the_same_are_one() {
        let s = streak(true, 400, 0, 5, 0, 10);
        assert_eq!((s.count, s.step), (1, 1));
        assert!(s.continues(&streak(true, 404, 0, 6, 0, 10)));
    }
}
