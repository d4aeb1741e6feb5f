//! Random arrays: the same seed gives the same numbers on every device.

use crate::{Array, Error, Result};
use bessemer_core::{DType, Device, Number};
use std::{ops::Range, sync::Arc};

impl Array {
    /// Evenly distributed numbers of `range`, without its end, of a float or integer dtype.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
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
        let size = range.end - range.start;
        let make = || {
            numeric("random_uniform", dtype, size > 0.0 && size.is_finite(), || {
                format!("range: {range:?}")
            })?;
            // Rounding to a narrow dtype may reach the end, which is not in the range.
            let below = below(dtype, range.end);
            let mut numbers = Numbers(seed);
            Array::generate(device, dtype, shape, |_| {
                let x = range.start + size * numbers.unit();
                // Integers truncate towards zero, but must be evenly distributed.
                let x = if dtype.is_float() { x } else { x.floor() };
                Number::Float(x.min(below).max(range.start))
            })
        };
        Array::from_result(device, make())
    }

    /// Numbers of the normal distribution around `mean`, of a float dtype.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
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
        let make = || {
            let good = dtype.is_float() && mean.is_finite() && deviation.is_finite();
            numeric("random_normal", dtype, good && deviation >= 0.0, || {
                format!("mean: {mean}, deviation: {deviation}")
            })?;
            let mut numbers = Numbers(seed);
            let mut spare = None;
            Array::generate(device, dtype, shape, |_| {
                // Two at a time, by Box and Muller.
                let x = spare.take().unwrap_or_else(|| {
                    let radius = (-2.0 * (1.0 - numbers.unit()).ln()).sqrt();
                    let (sin, cos) = (std::f64::consts::TAU * numbers.unit()).sin_cos();
                    spare = Some(radius * sin);
                    radius * cos
                });
                Number::Float(mean + deviation * x)
            })
        };
        Array::from_result(device, make())
    }
}

fn numeric(
    op: &'static str,
    dtype: DType,
    good: bool,
    arguments: impl FnOnce() -> String,
) -> Result<()> {
    if good && (dtype.is_float() || dtype.is_integer()) {
        return Ok(());
    }
    Err(Error::Rule {
        op,
        rule: "the arguments are not finite or out of order, or the dtype cannot hold such numbers"
            .into(),
        operands: format!("{}, dtype: {dtype}", arguments()),
    })
}

/// The largest value of `dtype` below `end`, near enough for rounding to stay below.
fn below(dtype: DType, end: f64) -> f64 {
    let digits = match dtype {
        DType::F64 => f64::EPSILON,
        DType::F32 => f32::EPSILON.into(),
        DType::F16 => half::f16::EPSILON.to_f64(),
        DType::BF16 => half::bf16::EPSILON.to_f64(),
        // Floored before: the whole number below.
        _ => return end.ceil() - 1.0,
    };
    end - end.abs().max(f64::MIN_POSITIVE) * digits
}

/// SplitMix64: small, fast, and good enough to fill arrays.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// From 0 to before 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
