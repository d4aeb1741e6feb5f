//! Concatenating, stacking and splitting arrays.

use crate::{Array, Error, Result, build_map::common, call::Call, node::Kind};
use bessemer_core::{Batch, Shape, View};
use bessemer_ops::Concat;
use std::sync::Arc;

struct Join {
    axis: usize,
}

impl Call for Join {
    fn name(&self) -> &'static str {
        "concat"
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        batch.push(Concat { inputs: inputs.to_vec(), axis: self.axis, out: out.clone() })
    }
}

impl Array {
    /// Arrays one after another along an axis, in the dtype they have in common. At least one.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4]])?;
    /// let b = Array::new(&device, [[5, 6]])?;
    /// assert_eq!(Array::concat(&[&a, &b], 0)?.to_string(), "[[1 2]\n [3 4]\n [5 6]]");
    /// assert!(Array::concat(&[&a, &b], 1).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn concat(arrays: &[&Array], axis: isize) -> Result<Array> {
        const OP: &str = "concat";
        let named: Vec<_> = arrays.iter().map(|&array| ("array", array)).collect();
        let first = *arrays.first().ok_or_else(|| none(OP))?;
        let joined = Array::build(OP, &named, || {
            let axis = first.axis(OP, axis)?;
            let dtype = common(OP, &named)?;
            let mut dims = first.shape().to_vec();
            for array in &arrays[1..] {
                let alike = |a: usize| a == axis || array.shape()[a] == dims[a];
                if array.rank() != first.rank() || !(0..first.rank()).all(alike) {
                    let rule = format!(
                        "shape {} does not match {}, that of the first array, except along axis {axis}",
                        array.shape(),
                        first.shape()
                    );
                    return Err(Error::rule(OP, rule, &named[..named.len().min(8)]));
                }
                dims[axis] = dims[axis].saturating_add(array.shape()[axis]);
            }
            let inputs = arrays.iter().map(|array| array.cast(dtype)).collect();
            let kind = Kind::Call(Arc::new(Join { axis }));
            Ok(Array::lazy(dtype, Shape::new(&dims)?, kind, inputs))
        });
        joined.check().cloned()
    }

    /// Arrays of one shape on top of each other, along a new axis.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let (a, b) = (Array::arange(&device, 0, 3, 1), Array::arange(&device, 3, 6, 1));
    /// assert_eq!(Array::stack(&[&a, &b], 0)?.to_string(), "[[0 1 2]\n [3 4 5]]");
    /// assert_eq!(Array::stack(&[&a, &b], -1)?.to_string(), "[[0 3]\n [1 4]\n [2 5]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn stack(arrays: &[&Array], axis: isize) -> Result<Array> {
        let first = *arrays.first().ok_or_else(|| none("stack"))?;
        let mut tall = Vec::with_capacity(arrays.len());
        for array in arrays {
            if array.check()?.shape() != first.check()?.shape() {
                let named: Vec<_> = arrays.iter().take(8).map(|&array| ("array", array)).collect();
                let (found, wanted) = (array.shape(), first.shape());
                let rule = format!("shape {found} differs from {wanted}, that of the first array");
                return Err(Error::rule("stack", rule, &named));
            }
            tall.push(array.expand_dims(axis).check()?.clone());
        }
        Array::concat(&tall.iter().collect::<Vec<_>>(), axis)
    }

    /// Parts of these sizes along an axis, one after another. They must add up to its size.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let parts = Array::arange(&device, 0, 6, 1).split(&[1, 2, 3], 0)?;
    /// assert_eq!(parts[2].to_string(), "[3 4 5]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn split(&self, sizes: &[usize], axis: isize) -> Result<Vec<Array>> {
        let axis = self.check()?.axis("split", axis)?;
        let total = sizes.iter().try_fold(0usize, |sum, &size| sum.checked_add(size));
        if total != Some(self.shape()[axis]) {
            let rule = format!(
                "sizes {sizes:?} do not add up to {}, the size of axis {axis}",
                self.shape()[axis]
            );
            return Err(Error::rule("split", rule, &[("array", self)]));
        }
        let mut start = 0;
        let part = |&size: &usize| {
            let part = self.part(axis, start, size);
            start += size;
            part.check().cloned()
        };
        sizes.iter().map(part).collect()
    }
}

fn none(op: &'static str) -> Error {
    Error::Rule { op, rule: "no arrays are given".into(), operands: "0 arrays".into() }
}
