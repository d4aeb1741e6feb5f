//! Which values are alive at once.

use super::ir::{Function, Instruction};
use super::values::{Class, classes, origin};

/// A set of values.
#[derive(Clone, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn new(values: usize) -> Set {
        Set(vec![0; values.div_ceil(64)])
    }

    /// Whether it was not there.
    fn insert(&mut self, value: usize) -> bool {
        let (word, bit) = (&mut self.0[value / 64], 1 << (value % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Whether it was there.
    fn remove(&mut self, value: usize) -> bool {
        let (word, bit) = (&mut self.0[value / 64], 1 << (value % 64));
        let old = *word & bit != 0;
        *word &= !bit;
        old
    }

    fn join(&mut self, other: &Set) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }

    fn each(&self) -> impl Iterator<Item = usize> {
        let bits = |(at, &word): (usize, &u64)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit)
        };
        self.0.iter().enumerate().flat_map(bits)
    }
}

struct Kernel<'a> {
    function: &'a Function<'a>,
    classes: Vec<Class>,
}

/// The most halves of registers that are taken at once.
pub(super) fn peak(function: &Function<'_>) -> u32 {
    let kernel = Kernel { function, classes: classes(function) };
    let blocks = &function.blocks;
    let mut starts = vec![Set::new(function.values); blocks.len()];
    let mut most = 0;
    let mut changed = true;
    while changed {
        (changed, most) = (false, 0);
        for (at, _) in blocks.iter().enumerate().rev() {
            let mut live = kernel.end(at, &starts);
            most = most.max(kernel.walk(at, &mut live));
            if starts[at] != live {
                starts[at] = live;
                changed = true;
            }
        }
    }
    most
}

impl Kernel<'_> {
    fn halves(&self, value: usize) -> u32 {
        match self.classes[value] {
            Class::Held(halves) => halves,
            _ => 0,
        }
    }

    /// What a value is held as, if it takes a register.
    fn held(&self, value: usize) -> Option<usize> {
        let value = origin(&self.classes, value);
        (self.halves(value) > 0).then_some(value)
    }

    /// What is alive where a block ends, if this is what is where the others start.
    fn end(&self, block: usize, starts: &[Set]) -> Set {
        let mut live = Set::new(self.function.values);
        for &next in &self.function.blocks[block].successors {
            live.join(&starts[next]);
            for phi in &self.function.blocks[next].instructions {
                for &(value, from) in &phi.incoming {
                    if let Some(value) = self.held(value).filter(|_| from == block) {
                        live.insert(value);
                    }
                }
            }
        }
        live
    }

    /// Goes from a block's end to its start; the most that is taken on the way.
    fn walk(&self, block: usize, live: &mut Set) -> u32 {
        let mut now: u32 = live.each().map(|v| self.halves(v)).sum();
        let mut most = now;
        for one in self.function.blocks[block].instructions.iter().rev() {
            let Instruction { result, uses, .. } = one;
            if let Some(value) = result.filter(|&v| live.remove(v)) {
                now -= self.halves(value);
            }
            for value in uses.iter().filter_map(|&v| self.held(v)) {
                if live.insert(value) {
                    now += self.halves(value);
                }
            }
            most = most.max(now);
        }
        most
    }
}
