//! Arrays of numbers that are evenly spaced.

use crate::{
    Array, Error, Scalar, constant,
    promote::{default_float, default_integer},
};
use bessemer_core::{DType, Device, Number};
use std::sync::Arc;

/// Evenly spaced numbers.
impl Array {
    /// `start`, `start + step`, … up to before `end`: `i32` if all three are integers, else `f32`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// assert_eq!(Array::arange(&device, 5, 0, -2).to_string(), "[5 3 1]");
    /// assert_eq!(Array::arange(&device, 0, 1, 0.25).to_string(), "[0.   0.25 0.5  0.75]");
    /// ```
    pub fn arange(
        device: &Arc<dyn Device>,
        start: impl Into<Scalar>,
        end: impl Into<Scalar>,
        step: impl Into<Scalar>,
    ) -> Array {
        let all: [Scalar; 3] = [start.into(), end.into(), step.into()];
        let dtype = match all.iter().any(|number| number.dtype().is_float()) {
            true => default_float(),
            false => default_integer(),
        };
        let [start, end, step] = all;
        Array::arange_as(device, start, end, step, dtype)
    }

    /// The same of a dtype: its numbers are exact if all three are integers and it is one too.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let large = Array::arange_as(&device, i64::MAX - 1, i64::MAX, 1, DType::I64);
    /// assert_eq!(large.to_vec::<i64>()?, [i64::MAX - 1]);
    /// assert_eq!(Array::arange_as(&device, 0, 3, 1, DType::F64).dtype(), DType::F64);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn arange_as(
        device: &Arc<dyn Device>,
        start: impl Into<Scalar>,
        end: impl Into<Scalar>,
        step: impl Into<Scalar>,
        dtype: DType,
    ) -> Array {
        let all: [Scalar; 3] = [start.into(), end.into(), step.into()];
        let [start, end, step] = all.map(Scalar::number);
        let refuse = || Error::Rule {
            op: "arange",
            rule: format!(
                "the range is not finite, has a step of 0, or has values that do not fit {dtype}"
            ),
            operands: format!(
                "start: {}, end: {}, step: {}",
                all[0].value(),
                all[1].value(),
                all[2].value()
            ),
        };
        // 2^48 is more than any device has room for, and far from where `f64` gets coarse.
        let most = 1i128 << 48;
        let number = dtype.is_integer() || dtype.is_float() || dtype.is_complex();
        let make = || match (start, end, step) {
            _ if !number || all.iter().any(|number| number.dtype().is_complex()) => Err(refuse()),
            (Number::Integer(start), Number::Integer(end), Number::Integer(step)) => {
                if step == 0 {
                    return Err(refuse());
                }
                let apart = if step > 0 { end - start } else { start - end };
                let count = (apart.max(0) + step.abs() - 1) / step.abs();
                let last = start.saturating_add((count - 1).max(0).saturating_mul(step));
                let (least, greatest) = match dtype.is_integer() {
                    true => constant::range(dtype),
                    false => (i128::MIN, i128::MAX),
                };
                let fits = |x: i128| least <= x && x <= greatest;
                if count > most || !(fits(start) && fits(last)) {
                    return Err(refuse());
                }
                let at = |i: usize| Number::Integer(start + i as i128 * step);
                Array::generate(device, dtype, &[count as usize], at)
            }
            _ => {
                let [start, end, step] = [start, end, step].map(Number::to_f64);
                let steps = (end - start) / step;
                let count = steps.ceil().max(0.0);
                let last = start + (count - 1.0).max(0.0) * step;
                let fits = |x: f64| {
                    let (least, greatest) = constant::range(dtype);
                    let whole = x as i128;
                    whole as f64 == x && least <= whole && whole <= greatest
                };
                let fits = |x: f64| !dtype.is_integer() || fits(x);
                if steps.is_nan() || count > most as f64 || !(fits(start) && fits(last)) {
                    return Err(refuse());
                }
                let at = |i: usize| Number::Float(start + i as f64 * step);
                Array::generate(device, dtype, &[count as usize], at)
            }
        };
        Array::from_result(device, make())
    }

    /// `count` numbers from `start` to `end`, both included, at even distances, as `f32`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::linspace(&device, 0, 1, 5);
    /// assert_eq!(a.to_vec::<f32>()?, [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn linspace(
        device: &Arc<dyn Device>,
        start: impl Into<Scalar>,
        end: impl Into<Scalar>,
        count: usize,
    ) -> Array {
        Array::linspace_as(device, start, end, count, true, default_float())
    }

    /// The same of a dtype. Without `endpoint`, the next number would be `end`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::linspace_as(&device, 0, 1, 4, false, DType::F64);
    /// assert_eq!(a.to_vec::<f64>()?, [0.0, 0.25, 0.5, 0.75]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn linspace_as(
        device: &Arc<dyn Device>,
        start: impl Into<Scalar>,
        end: impl Into<Scalar>,
        count: usize,
        endpoint: bool,
        dtype: DType,
    ) -> Array {
        let (start, end) = (start.into().value(), end.into().value());
        let steps = if endpoint { count.saturating_sub(1) } else { count };
        let step = (end - start) / steps.max(1) as f64;
        let at = |i: usize| match i {
            // Exactly, whatever rounding says.
            i if i > 0 && i == steps => Number::Float(end),
            // The distance of both ends is too large for a float.
            i if step.is_infinite() => {
                let part = i as f64 / steps as f64;
                Number::Float(start * (1.0 - part) + end * part)
            }
            i => Number::Float(start + i as f64 * step),
        };
        let made = Array::generate(device, dtype, &[count], at);
        Array::from_result(device, made)
    }
}
