//! Variations of a case's operands, for property tests.

use bessemer_core::{DType, MAX_RANK};

/// What to change about the operands of a case; by default nothing.
///
/// A case says which numbers an op gets in which shape. How they lie in memory is not its
/// business, so any layout must give the same results: [`Variation::layout`]. And an op that takes
/// a dtype must have cases of it, which is found out by asking for others:
/// [`Variation::dtypes`].
#[derive(Clone, Debug, Default)]
pub struct Variation {
    /// Where to put operands: each seed gives other orders in memory, gaps and directions.
    pub layout: Option<u64>,
    /// Dtypes to give for dtypes asked for, to all operands or to one of them.
    pub dtypes: Option<Substitution>,
    /// Whether to leave operands without their numbers: for an op that is only asked whether it
    /// may run.
    pub blank: bool,
    /// Whether numbers too small for a normal `f32` are zeros, as some GPUs read them.
    pub flushed: bool,
}

/// Another dtype than was asked for.
#[derive(Clone, Copy, Debug)]
pub enum Substitution {
    /// The second dtype for all operands of the first.
    All(DType, DType),
    /// The dtype for the operand of this number, in the order in which they are made.
    One(usize, DType),
}

impl Variation {
    /// Operands somewhere else in memory.
    pub fn layout(seed: u64) -> Variation {
        Variation { layout: Some(seed), ..Default::default() }
    }

    /// Operands of another dtype, without numbers.
    pub fn dtypes(substitution: Substitution) -> Variation {
        Variation { dtypes: Some(substitution), blank: true, ..Default::default() }
    }

    /// The number to give for one that is asked for.
    pub(super) fn number(&self, asked: f64) -> f64 {
        let subnormal = asked.abs() < f64::from(f32::MIN_POSITIVE);
        if self.flushed && subnormal { 0f64.copysign(asked) } else { asked }
    }

    /// The dtype to give for the operand of this number.
    pub(super) fn dtype(&self, number: usize, asked: DType) -> DType {
        match self.dtypes {
            Some(Substitution::All(from, to)) if from == asked => to,
            Some(Substitution::One(which, to)) if which == number => to,
            _ => asked,
        }
    }
}

/// Where the elements of an operand lie.
pub(super) struct Layout {
    pub(super) strides: Vec<isize>,
    /// The place of the first element, in elements.
    pub(super) start: usize,
    /// The elements of room it takes, gaps included.
    pub(super) elements: usize,
}

impl Layout {
    /// A layout of `dims` that `random` numbers choose: dimensions in another order in memory,
    /// apart from each other, some backwards. Block formats keep their rows.
    pub(super) fn new(
        dtype: DType,
        dims: &[usize],
        mut random: impl FnMut(usize) -> usize,
    ) -> Layout {
        let mut order: [usize; MAX_RANK] = std::array::from_fn(|axis| axis);
        let order = &mut order[..dims.len()];
        // Innermost first.
        order.reverse();
        let fixed = usize::from(dtype.is_block());
        for i in fixed..order.len() {
            order.swap(i, i + random(order.len() - i));
        }
        let mut strides = vec![0; dims.len()];
        let (mut step, mut start) = (1usize, 0);
        for (depth, &axis) in order.iter().enumerate() {
            let row_of_blocks = dtype.is_block() && depth == 0;
            let size = dims[axis].max(1);
            // Mostly gapless, so that whole rows stay common.
            let spread = if row_of_blocks || random(3) > 0 { 1 } else { 1 + random(3) };
            let stride = step * spread;
            strides[axis] = stride as isize;
            if !row_of_blocks && random(4) == 0 {
                strides[axis] = -(stride as isize);
                start += stride * (size - 1);
            }
            step = stride * size;
            if random(3) == 0 && !row_of_blocks {
                step += stride * random(4);
            }
        }
        Layout { strides, start, elements: step }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_a_place_of_its_own() {
        let mut state = 1usize;
        let mut random = |n: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for dtype in [DType::F32, DType::Q4_0] {
            let last = if dtype == DType::Q4_0 { 64 } else { 5 };
            for _ in 0..500 {
                let dims = [2, 3, last];
                let layout = Layout::new(dtype, &dims, &mut random);
                let mut seen = vec![false; layout.elements];
                for i in 0..2 * 3 * last {
                    let index = [i / (3 * last), i / last % 3, i % last];
                    let steps = index.iter().zip(&layout.strides);
                    let at = steps.map(|(&i, s)| i as isize * s).sum::<isize>();
                    let at = layout.start.checked_add_signed(at).unwrap();
                    assert!(!std::mem::replace(&mut seen[at], true), "{:?}", layout.strides);
                }
                assert!(dtype == DType::F32 || layout.strides[2] == 1);
            }
        }
    }
}
