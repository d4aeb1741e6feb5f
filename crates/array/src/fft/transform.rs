//! The work: one axis after another, each brought to lie without gaps.

use crate::{
    Result,
    call::{HostCall, HostOperands},
};
use bessemer_core::Complex;
use realfft::RealFftPlanner;
use rustfft::{FftDirection, FftPlanner};
use std::sync::{LazyLock, Mutex, PoisonError};

/// What the transform and its inverse are divided by, so that one after the other is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalization {
    /// The inverse by the number of elements.
    Backward,
    /// Both by its square root.
    Ortho,
    /// The transform by the number of elements.
    Forward,
}

impl Normalization {
    /// The same with the directions exchanged.
    pub(super) fn exchanged(self) -> Normalization {
        match self {
            Normalization::Backward => Normalization::Forward,
            Normalization::Ortho => Normalization::Ortho,
            Normalization::Forward => Normalization::Backward,
        }
    }
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Inverse,
}

/// A transform along some axes.
pub(super) struct Transform {
    pub(super) op: &'static str,
    pub(super) direction: Direction,
    pub(super) axes: Vec<usize>,
    pub(super) by: Normalization,
    /// The number of real numbers, of which the complex ones are half.
    pub(super) half: Option<usize>,
}

type Single = Complex<f32>;

/// How each length is transformed, once found out.
static COMPLEX: LazyLock<Mutex<FftPlanner<f32>>> = LazyLock::new(|| Mutex::new(FftPlanner::new()));
static REAL: LazyLock<Mutex<RealFftPlanner<f32>>> =
    LazyLock::new(|| Mutex::new(RealFftPlanner::new()));

impl HostCall for Transform {
    fn name(&self) -> &'static str {
        self.op
    }

    fn run(&self, operands: &HostOperands<'_>) -> Result<()> {
        let dims = operands.dims(0).to_vec();
        match (self.half, self.direction) {
            (None, _) => {
                let mut all = operands.read::<Single>(0)?;
                for &axis in &self.axes {
                    self.along(&mut all, &dims, axis);
                }
                operands.write(&all)
            }
            (Some(size), Direction::Forward) => {
                let all = operands.read::<f32>(0)?;
                operands.write(&self.half(&all, &dims, size))
            }
            (Some(size), Direction::Inverse) => {
                let all = operands.read::<Single>(0)?;
                operands.write(&self.whole(&all, &dims, size))
            }
        }
    }
}

impl Transform {
    /// What results of `size` elements are multiplied by.
    fn scale(&self, size: usize) -> f32 {
        let size = size as f64;
        let scale = match (self.by, self.direction) {
            (Normalization::Ortho, _) => 1.0 / size.sqrt(),
            (Normalization::Forward, Direction::Forward)
            | (Normalization::Backward, Direction::Inverse) => 1.0 / size,
            _ => 1.0,
        };
        scale as f32
    }

    /// Complex numbers along one axis, in place.
    fn along(&self, all: &mut [Single], dims: &[usize], axis: usize) {
        let (size, inner) = (dims[axis], dims[axis + 1..].iter().product());
        if all.is_empty() {
            return;
        }
        let direction = match self.direction {
            Direction::Forward => FftDirection::Forward,
            Direction::Inverse => FftDirection::Inverse,
        };
        let fft = COMPLEX.lock().unwrap_or_else(PoisonError::into_inner).plan_fft(size, direction);
        let mut scratch = vec![Single::default(); fft.get_inplace_scratch_len()];
        let scale = self.scale(size);
        let mut line = vec![Single::default(); size];
        for block in all.chunks_mut(size * inner) {
            if inner == 1 {
                fft.process_with_scratch(block, &mut scratch);
                block.iter_mut().for_each(|z| *z *= scale);
                continue;
            }
            for first in 0..inner {
                let along = || (first..size * inner).step_by(inner);
                line.iter_mut().zip(along()).for_each(|(z, place)| *z = block[place]);
                fft.process_with_scratch(&mut line, &mut scratch);
                line.iter().zip(along()).for_each(|(z, place)| block[place] = z * scale);
            }
        }
    }

    /// Real numbers along the one axis, to half as many complex ones.
    fn half(&self, all: &[f32], dims: &[usize], size: usize) -> Vec<Single> {
        let fft = REAL.lock().unwrap_or_else(PoisonError::into_inner).plan_fft_forward(size);
        let (mut scratch, scale) = (fft.make_scratch_vec(), self.scale(size));
        lines(all, dims, self.axes[0], size / 2 + 1, |from, to: &mut Vec<Single>| {
            // Only lengths could be wrong, which are those of the plan.
            let _ = fft.process_with_scratch(from, to, &mut scratch);
            to.iter_mut().for_each(|z| *z *= scale);
        })
    }

    /// Complex numbers along the one axis, to twice as many real ones.
    fn whole(&self, all: &[Single], dims: &[usize], size: usize) -> Vec<f32> {
        let fft = REAL.lock().unwrap_or_else(PoisonError::into_inner).plan_fft_inverse(size);
        let (mut scratch, scale) = (fft.make_scratch_vec(), self.scale(size));
        lines(all, dims, self.axes[0], size, |from, to: &mut Vec<f32>| {
            // What would have an imaginary part has none, as in NumPy.
            from[0].im = 0.0;
            if let (true, Some(last)) = (size.is_multiple_of(2), from.last_mut()) {
                last.im = 0.0;
            }
            let _ = fft.process_with_scratch(from, to, &mut scratch);
            to.iter_mut().for_each(|x| *x *= scale);
        })
    }
}

/// Calls `work` with each line along an axis and what it becomes, of `size` elements.
fn lines<T: Copy + Default, U: Copy + Default>(
    all: &[T],
    dims: &[usize],
    axis: usize,
    size: usize,
    mut work: impl FnMut(&mut Vec<T>, &mut Vec<U>),
) -> Vec<U> {
    let (len, inner) = (dims[axis], dims[axis + 1..].iter().product::<usize>());
    let outer: usize = dims[..axis].iter().product();
    let mut made = vec![U::default(); outer * size * inner];
    let (mut from, mut to) = (vec![T::default(); len], vec![U::default(); size]);
    for block in 0..outer {
        for first in 0..inner {
            for (i, x) in from.iter_mut().enumerate() {
                *x = all[(block * len + i) * inner + first];
            }
            work(&mut from, &mut to);
            for (i, &x) in to.iter().enumerate() {
                made[(block * size + i) * inner + first] = x;
            }
        }
    }
    made
}
