//! Softmax and its logarithm.

use crate::{Array, call::Call, complex, node::Kind, promote::float_of};
use bessemer_core::{Batch, DType, View};
use bessemer_ops::Softmax;
use smallvec::smallvec;
use std::sync::Arc;

struct Shares {
    log: bool,
}

impl Call for Shares {
    fn name(&self) -> &'static str {
        if self.log { "log_softmax" } else { "softmax" }
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let [x] = inputs else {
            return Err(bessemer_core::Error::view("softmax has one input"));
        };
        let (x, out) = (x.clone(), out.clone());
        batch.push(Softmax { x, scale: 1.0, mask: None, log: self.log, out })
    }
}

impl Array {
    /// `exp(x) / sum(exp(x))` along an axis, without overflow. Integers and booleans give `f32`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let x = Array::new(&device, [[1000.0f32, 1000.0], [0.0, f32::NEG_INFINITY]])?;
    /// assert_eq!(x.softmax(-1).to_string(), "[[0.5 0.5]\n [1.  0. ]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn softmax(&self, axis: isize) -> Array {
        self.shares("softmax", axis, false)
    }

    /// The logarithm of [`Array::softmax`].
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let x = Array::new(&device, [1.0f32, 2.0, 3.0])?;
    /// assert_eq!(x.log_softmax(0).argmax(..).item::<i64>()?, 2);
    /// let error = (x.log_softmax(0).exp() - x.softmax(0)).abs().max_all();
    /// assert!(error.item::<f32>()? < 1e-6);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn log_softmax(&self, axis: isize) -> Array {
        self.shares("log_softmax", axis, true)
    }

    fn shares(&self, op: &'static str, axis: isize, log: bool) -> Array {
        Array::build(op, &[("x", self)], || {
            let axis = self.axis(op, axis)? as isize;
            let dtype = float_of(self.dtype());
            if dtype.is_complex() {
                return Err(complex::refused(op, &[("x", self)]));
            }
            if dtype == DType::F64 {
                let x = self - &self.max_keepdim(axis);
                let sum = x.exp().sum_keepdim(axis);
                return Ok(if log { x - sum.log() } else { x.exp() / sum });
            }
            // The op works along the last axis.
            let x = self.cast(dtype).swap_axes(axis, -1);
            let kind = Kind::Call(Arc::new(Shares { log }));
            let shape = *x.shape();
            Ok(Array::lazy(dtype, shape, kind, smallvec![x]).swap_axes(axis, -1))
        })
    }
}
