//! Layer and RMS normalisation of rows.

use crate::{
    Array, Error, Result, build_map::common, call::Call, complex, node::Kind, promote::float_of,
};
use bessemer_core::{Batch, DType, View};
use bessemer_ops::{LayerNorm, RmsNorm};
use smallvec::smallvec;
use std::sync::Arc;

/// Its inputs are the rows, then the weight and the bias if there are any.
struct Layer {
    weight: bool,
    epsilon: f32,
}

impl Call for Layer {
    fn name(&self) -> &'static str {
        "layer_norm"
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let [x, more @ ..] = inputs else {
            return Err(bessemer_core::Error::view("layer_norm has an input"));
        };
        let (weight, bias) = more.split_at(usize::from(self.weight));
        batch.push(LayerNorm {
            x: x.clone(),
            weight: weight.first().cloned(),
            bias: bias.first().cloned(),
            epsilon: self.epsilon,
            out: out.clone(),
        })
    }
}

struct RootMeanSquare {
    epsilon: f32,
}

impl Call for RootMeanSquare {
    fn name(&self) -> &'static str {
        "rms_norm"
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let [x, weight] = inputs else {
            return Err(bessemer_core::Error::view("rms_norm has two inputs"));
        };
        let (x, weight, out) = (x.clone(), weight.clone(), out.clone());
        batch.push(RmsNorm { x, weight, epsilon: self.epsilon, out })
    }
}

impl Array {
    /// Rows along the last axis, shifted and scaled to a mean of 0 and a variance of 1, then multiplied by
    /// `weight` and added to `bias`, which have one element per column. `epsilon` is added to the variance.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let x = Array::new(&device, [[1.0f32, 3.0], [10.0, 20.0]])?;
    /// let weight = Array::new(&device, [1.0f32, 2.0])?;
    /// assert_eq!(x.layer_norm(Some(&weight), None, 0.0).to_string(), "[[-1.  2.]\n [-1.  2.]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn layer_norm(&self, weight: Option<&Array>, bias: Option<&Array>, epsilon: f32) -> Array {
        const OP: &str = "layer_norm";
        let mut named = vec![("x", self)];
        named.extend(weight.map(|weight| ("weight", weight)));
        named.extend(bias.map(|bias| ("bias", bias)));
        Array::build(OP, &named, || {
            let dtype = checked(OP, epsilon, &named)?;
            let x = self.cast(dtype);
            let [weight, bias] = [weight, bias].map(|array| array.map(|array| array.cast(dtype)));
            if dtype == DType::F64 {
                let shifted = &x - &x.mean_keepdim(-1);
                let variance = shifted.square().mean_keepdim(-1);
                let mut normed = shifted / (variance + f64::from(epsilon)).sqrt();
                if let Some(weight) = &weight {
                    normed *= weight;
                }
                return Ok(bias.map_or(normed.clone(), |bias| normed + bias));
            }
            let call = Layer { weight: weight.is_some(), epsilon };
            let mut inputs = smallvec![x];
            inputs.extend(weight.into_iter().chain(bias));
            Ok(Array::lazy(dtype, *self.shape(), Kind::Call(Arc::new(call)), inputs))
        })
    }

    /// Rows along the last axis, divided by the square root of their mean square, then multiplied by `weight`,
    /// which has one element per column. `epsilon` is added to the mean square.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let x = Array::new(&device, [[3.0f32, 3.0], [-2.0, 2.0]])?;
    /// let weight = Array::new(&device, [1.0f32, 10.0])?;
    /// assert_eq!(x.rms_norm(&weight, 0.0).to_string(), "[[ 1. 10.]\n [-1. 10.]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rms_norm(&self, weight: &Array, epsilon: f32) -> Array {
        const OP: &str = "rms_norm";
        let named = [("x", self), ("weight", weight)];
        Array::build(OP, &named, || {
            let dtype = checked(OP, epsilon, &named)?;
            let (x, weight) = (self.cast(dtype), weight.cast(dtype));
            if dtype == DType::F64 {
                let square = x.square().mean_keepdim(-1) + f64::from(epsilon);
                return Ok(x / square.sqrt() * weight);
            }
            let kind = Kind::Call(Arc::new(RootMeanSquare { epsilon }));
            Ok(Array::lazy(dtype, *self.shape(), kind, smallvec![x, weight]))
        })
    }
}

/// The dtype to compute in: the operands are rows, and arrays of one element per column.
fn checked(op: &'static str, epsilon: f32, named: &[(&str, &Array)]) -> Result<DType> {
    let dtype = float_of(common(op, named)?);
    if dtype.is_complex() {
        return Err(complex::refused(op, named));
    }
    let x = named[0].1;
    let Some(&width) = x.dims().last() else {
        return Err(Error::rule(op, "x has no dimensions", named));
    };
    for (name, array) in &named[1..] {
        if array.dims() != [width] {
            let rule = format!("{name} must have one element for each of the {width} columns of x");
            return Err(Error::rule(op, rule, named));
        }
    }
    if !(epsilon.is_finite() && epsilon >= 0.0) {
        let rule = format!("epsilon is {epsilon}, but must be a finite number and not negative");
        return Err(Error::rule(op, rule, named));
    }
    Ok(dtype)
}
