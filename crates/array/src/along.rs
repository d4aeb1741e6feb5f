//! One element for each index along an axis. The kernel is an op.

use crate::{Array, Error, Result, build_map::broadcast, call::Call, node::Kind};
use bessemer_core::{Batch, DType, Shape, View};
use bessemer_ops::TakeAlong;
use smallvec::smallvec;
use std::sync::Arc;

struct Taking {
    axis: usize,
}

impl Call for Taking {
    fn name(&self) -> &'static str {
        "take_along_axis"
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let [x, indices] = inputs else {
            return Err(bessemer_core::Error::view("take_along_axis has two inputs"));
        };
        let (x, indices, axis) = (x.clone(), indices.clone(), self.axis);
        batch.push(TakeAlong { x, indices, axis, out: out.clone() })
    }
}

impl Array {
    /// Elements picked one by one along an axis: `out[i, j] = a[i, indices[i, j]]` for axis 1. `indices`
    /// has as many dimensions; the others are broadcast.
    ///
    /// Negative indices count from the end; what an index can't find is as in [`Array::take`].
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[10, 30, 20], [60, 40, 50]])?;
    /// let largest = a.argmax_keepdim(1);
    /// assert_eq!(a.take_along_axis(&largest, 1).to_string(), "[[30]\n [60]]");
    /// assert_eq!(a.take_along_axis(&a.argsort(1), 1).at(1).to_vec::<i32>()?, [40, 50, 60]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn take_along_axis(&self, indices: &Array, axis: isize) -> Array {
        const OP: &str = "take_along_axis";
        let named = [("array", self), ("indices", indices)];
        Array::build(OP, &named, || {
            let axis = self.axis(OP, axis)?;
            if indices.rank() != self.rank() {
                let (given, rank) = (indices.rank(), self.rank());
                let rule = format!(
                    "indices have {given} dimensions, but must have {rank}, as the array has"
                );
                return Err(Error::rule(OP, rule, &named));
            }
            let by = indices.as_indices(OP, &named)?;
            // Along the axis the sizes are their own.
            let (mut from, mut to) = (self.shape().to_vec(), indices.shape().to_vec());
            (from[axis], to[axis]) = (1, 1);
            let ones = |dims: &[usize]| Ok::<_, Error>(self.filled(Shape::new(dims)?, 0));
            let all = broadcast(OP, &[("array", &ones(&from)?), ("indices", &ones(&to)?)])?;
            let mut dims = all.to_vec();
            dims[axis] = self.shape()[axis];
            let x = self.broadcast_to(&dims);
            dims[axis] = indices.shape()[axis];
            let by = by.broadcast_to(&dims);
            let kind = Kind::Call(Arc::new(Taking { axis }));
            Ok(Array::lazy(self.dtype(), Shape::new(&dims)?, kind, smallvec![x, by]))
        })
    }

    /// As indices, of a dtype that ops take.
    pub(crate) fn as_indices(&self, op: &'static str, named: &[(&str, &Array)]) -> Result<Array> {
        Ok(match self.dtype() {
            DType::U8 | DType::U16 => self.cast(DType::U32),
            DType::I8 | DType::I16 => self.cast(DType::I32),
            DType::I32 | DType::U32 | DType::I64 => self.clone(),
            // What is more than any array has is as far outside as anything.
            DType::U64 => self.minimum(i64::MAX).cast(DType::I64),
            dtype => {
                let rule = format!(
                    "indices is {dtype}, but must be integers; `select` and `index` take masks"
                );
                return Err(Error::rule(op, rule, named));
            }
        })
    }
}
