//! Elements picked by an array of indices.

use crate::{Array, call::Call, node::Kind};
use bessemer_core::{Batch, Shape, View};
use bessemer_ops::Gather;
use smallvec::smallvec;
use std::sync::Arc;

struct Take {
    axis: usize,
}

impl Call for Take {
    fn name(&self) -> &'static str {
        "take"
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let [table, indices] = inputs else {
            return Err(bessemer_core::Error::view("take has two inputs"));
        };
        batch.push(Gather {
            table: table.clone(),
            indices: indices.clone(),
            axis: self.axis,
            out: out.clone(),
        })
    }
}

impl Array {
    /// The parts along `axis` that `indices` name, in their order and shape: NumPy's
    /// `a[indices]` for axis 0.
    ///
    /// Negative indices count from the end. What an index can't find is only known while it runs:
    /// it gives NaN in floats and complex numbers, and 0 elsewhere.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2, 3], [4, 5, 6]])?;
    /// let i = Array::new(&device, [2, 0, -1])?;
    /// assert_eq!(a.take(&i, 1).to_string(), "[[3 1 3]\n [6 4 6]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn take(&self, indices: &Array, axis: isize) -> Array {
        const OP: &str = "take";
        let named = [("array", self), ("indices", indices)];
        Array::build(OP, &named, || {
            let axis = self.axis(OP, axis)?;
            let indices = indices.as_indices(OP, &named)?;
            let mut dims = self.shape()[..axis].to_vec();
            dims.extend_from_slice(indices.shape());
            dims.extend_from_slice(&self.shape()[axis + 1..]);
            let kind = Kind::Call(Arc::new(Take { axis }));
            let inputs = smallvec![self.clone(), indices];
            Ok(Array::lazy(self.dtype(), Shape::new(&dims)?, kind, inputs))
        })
    }
}
