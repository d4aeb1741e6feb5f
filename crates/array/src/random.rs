//! Random arrays: each number is a function of the seed and its place, the same on every device.

use crate::{Array, Error, Result, call::Call, node::Kind};
use bessemer_core::{Batch, DType, Device, Shape, View};
use bessemer_ops::{Random, RandomKind};
use smallvec::smallvec;
use std::{ops::Range, sync::Arc};

/// Which of the sequences of a seed: numbers of different kinds have nothing to do with each other.
#[derive(Clone, Copy)]
enum Stream {
    Bits,
    Uniform,
    Normal,
    Integers,
    Order,
}

struct Drawing {
    seed: u64,
    stream: Stream,
    kind: RandomKind,
}

impl Call for Drawing {
    fn name(&self) -> &'static str {
        "random"
    }

    fn push(&self, _: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let Drawing { seed, stream, kind } = *self;
        batch.push(Random { seed, stream: stream as u32, kind, out: out.clone() })
    }
}

/// Random numbers by Philox 4×32-10: counted, so that the same seed gives the same numbers on every device
/// and however many are drawn. Bits, integers and uniform numbers between 0 and 1 are equal bit for bit;
/// others within a few units in the last place.
impl Array {
    /// Random bits, as `u32`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::random_bits(&device, &[2], 0);
    /// assert_eq!(a.to_vec::<u32>()?, [0x6627e8d5, 0xe169c58d]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn random_bits(device: &Arc<dyn Device>, shape: &[usize], seed: u64) -> Array {
        draw(
            device,
            shape,
            DType::U32,
            Drawing { seed, stream: Stream::Bits, kind: RandomKind::Bits },
        )
    }

    /// Evenly distributed numbers of `range`, without its end, of a float or integer dtype.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_core::DType;
    /// let dice = Array::random_uniform(&device, &[1000], 1.0..7.0, DType::I32, 42);
    /// assert_eq!(dice.min_all().item::<i32>()?, 1);
    /// assert_eq!(dice.max_all().item::<i32>()?, 6);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn random_uniform(
        device: &Arc<dyn Device>,
        shape: &[usize],
        range: Range<f64>,
        dtype: DType,
        seed: u64,
    ) -> Array {
        let Range { start: low, end: high } = range;
        if dtype.is_integer() {
            // Those whole numbers that are in the range.
            return Array::random_integers(
                device,
                shape,
                low.ceil() as i64..high.ceil() as i64,
                dtype,
                seed,
            );
        }
        let good = low < high && (high - low).is_finite() && dtype.is_float();
        let kind = RandomKind::Uniform { low, high };
        checked(device, good, "random_uniform", dtype, format!("range: {low}..{high}"), || {
            draw(device, shape, dtype, Drawing { seed, stream: Stream::Uniform, kind })
        })
    }

    /// Numbers of the normal distribution around `mean`, of a float dtype.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_core::DType;
    /// let a = Array::random_normal(&device, &[1000], 5.0, 2.0, DType::F32, 42);
    /// assert!((a.mean_all().item::<f32>()? - 5.0).abs() < 0.2);
    /// let again = Array::random_normal(&device, &[1000], 5.0, 2.0, DType::F32, 42);
    /// assert_eq!(a.to_vec::<f32>()?, again.to_vec::<f32>()?);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn random_normal(
        device: &Arc<dyn Device>,
        shape: &[usize],
        mean: f64,
        deviation: f64,
        dtype: DType,
        seed: u64,
    ) -> Array {
        let good =
            dtype.is_float() && mean.is_finite() && deviation.is_finite() && deviation >= 0.0;
        let kind = RandomKind::Normal { mean, deviation };
        let arguments = format!("mean: {mean}, deviation: {deviation}");
        checked(device, good, "random_normal", dtype, arguments, || {
            draw(device, shape, dtype, Drawing { seed, stream: Stream::Normal, kind })
        })
    }

    /// Evenly distributed integers of `range`, without its end, of an integer dtype that has them all. There
    /// are at most 2³² different ones. Each is made of 64 random bits, so that the shares of no two differ
    /// by more than 2⁻³².
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_core::DType;
    /// let dice = Array::random_integers(&device, &[2, 1000], 1..7, DType::I64, 42);
    /// assert_eq!(dice.min_all().item::<i64>()?, 1);
    /// assert_eq!(dice.max_all().item::<i64>()?, 6);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn random_integers(
        device: &Arc<dyn Device>,
        shape: &[usize],
        range: Range<i64>,
        dtype: DType,
        seed: u64,
    ) -> Array {
        let count = i128::from(range.end) - i128::from(range.start);
        let good = dtype.is_integer() && (1..=1 << 32).contains(&count) && {
            let (least, most) = crate::constant::range(dtype);
            least <= i128::from(range.start) && i128::from(range.end) - 1 <= most
        };
        let last = (count - 1) as u32;
        let arguments = format!("range: {}..{}", range.start, range.end);
        let of_32_bits = |dtype, low| {
            let kind = RandomKind::Integers { low, last };
            draw(device, shape, dtype, Drawing { seed, stream: Stream::Integers, kind })
        };
        checked(device, good, "random_integers", dtype, arguments, || match dtype {
            DType::I32 | DType::U32 => of_32_bits(dtype, range.start as u32),
            // Distances from the least, in what holds them all.
            _ => (of_32_bits(DType::U32, 0).cast(DType::I64) + range.start).cast(dtype),
        })
    }

    /// The numbers from 0 to `count` - 1 in random order, as `i64`: sorted by random keys of 32 bits.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let order = Array::random_permutation(&device, 5, 42);
    /// assert_eq!(order.sort(0).to_vec::<i64>()?, [0, 1, 2, 3, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn random_permutation(device: &Arc<dyn Device>, count: usize, seed: u64) -> Array {
        let kind = RandomKind::Bits;
        draw(device, &[count], DType::U32, Drawing { seed, stream: Stream::Order, kind }).argsort(0)
    }

    /// Its parts along an axis in random order.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [10, 20, 30])?;
    /// assert_eq!(a.shuffled(0, 7).sort(0).to_vec::<i32>()?, [10, 20, 30]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn shuffled(&self, axis: isize, seed: u64) -> Array {
        Array::build("shuffled", &[("array", self)], || {
            let size = self.shape()[self.axis("shuffled", axis)?];
            let order = Array::random_permutation(self.device(), size, seed);
            self.take(&order, axis).check().cloned()
        })
    }

    /// `count` of its parts along the first axis, drawn at random: each may be drawn again if `again`,
    /// and otherwise only once.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [10, 20, 30])?;
    /// assert_eq!(a.random_choice(100, true, 7).dims(), [100]);
    /// assert_eq!(a.random_choice(3, false, 7).sort(0).to_vec::<i32>()?, [10, 20, 30]);
    /// assert!(a.random_choice(4, false, 7).check().is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn random_choice(&self, count: usize, again: bool, seed: u64) -> Array {
        const OP: &str = "random_choice";
        let named = [("array", self)];
        Array::build(OP, &named, || {
            let size = self.shape()[self.axis(OP, 0)?];
            if count > 0 && (size == 0 || !again && count > size) {
                let rule = format!("{count} are drawn of {size}");
                return Err(Error::rule(OP, rule, &named));
            }
            let places = match again {
                true => {
                    let range = 0..(size as i64).max(1);
                    Array::random_integers(self.device(), &[count], range, DType::I64, seed)
                }
                false => Array::random_permutation(self.device(), size, seed).part(0, 0, count),
            };
            self.take(&places, 0).check().cloned()
        })
    }

    /// `count` of its parts along the first axis, drawn at random and each time of all, in proportion to
    /// `weights`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [10, 20, 30])?;
    /// let weights = Array::new(&device, [0.0f32, 1.0, 3.0])?;
    /// let drawn = a.random_choice_by(&weights, 1000, 7);
    /// assert!(drawn.eq(10).sum_all().item::<i64>()? == 0);
    /// assert!(drawn.eq(30).sum_all().item::<i64>()? > 650);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn random_choice_by(&self, weights: &Array, count: usize, seed: u64) -> Array {
        const OP: &str = "random_choice_by";
        let named = [("array", self), ("weights", weights)];
        Array::build(OP, &named, || {
            let size = self.shape()[self.axis(OP, 0)?];
            if weights.rank() != 1 || weights.elements() != size {
                let rule = format!(
                    "weights have shape {}, but must have one for each of {size}",
                    weights.shape()
                );
                return Err(Error::rule(OP, rule, &named));
            }
            let weights = weights.cast(crate::promote::float_of(weights.dtype()));
            let ends = weights.cumulative_sum(0);
            let drawn = Array::random_uniform(self.device(), &[count], 0.0..1.0, DType::F32, seed);
            let drawn = drawn.cast(ends.dtype()) * ends.at(-1);
            let places = ends.searchsorted(&drawn, crate::Side::Right).minimum(size as i64 - 1);
            self.take(&places, 0).check().cloned()
        })
    }
}

/// What `make` makes, if the arguments are good.
fn checked(
    device: &Arc<dyn Device>,
    good: bool,
    op: &'static str,
    dtype: DType,
    arguments: String,
    make: impl FnOnce() -> Array,
) -> Array {
    if good {
        return make();
    }
    let rule =
        "the arguments are not finite or out of order, or the dtype cannot hold such numbers";
    let operands = format!("{arguments}, dtype: {dtype}");
    Array::failed(device, Error::Rule { op, rule: rule.into(), operands })
}

fn draw(device: &Arc<dyn Device>, shape: &[usize], dtype: DType, drawing: Drawing) -> Array {
    let make = || -> Result<Array> {
        let kind = Kind::Call(Arc::new(drawing));
        Ok(Array::lazy_on(device, dtype, Shape::new(shape)?, kind, smallvec![]))
    };
    Array::from_result(device, make())
}
