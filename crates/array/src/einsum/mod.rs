//! Einstein sums: `subscripts` reads them, `order` says which arrays are multiplied first, and
//! `contract` makes matrix products and reductions of them.

mod contract;
mod order;
mod subscripts;

use crate::{Array, Error, Result, build_map::common};
use contract::Operand;
use subscripts::Subscripts;

impl Array {
    /// Products of arrays, summed over all labels of their axes that are not in the result, as NumPy's
    /// `einsum`: `"ij,jk->ik"` is the matrix product, `"ii"` the trace, `"...ij->...ji"` a transposition.
    ///
    /// Without `->` the result has the labels that stand once, in alphabetical order. Axes of `...` are
    /// broadcast. More than two arrays are multiplied two at a time, in the order that takes the fewest
    /// operations.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1.0f32, 2.0], [3.0, 4.0]])?;
    /// let x = Array::new(&device, [1.0f32, 10.0])?;
    /// assert_eq!(Array::einsum("ij,j->i", &[&a, &x])?.to_vec::<f32>()?, [21.0, 43.0]);
    /// assert_eq!(Array::einsum("ii", &[&a])?.item::<f32>()?, 5.0);
    /// assert_eq!(Array::einsum("i,ij,j", &[&x, &a, &x])?.item::<f32>()?, 451.0);
    /// assert!(Array::einsum("ij,jk->iz", &[&a, &a]).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn einsum(subscripts: &str, arrays: &[&Array]) -> Result<Array> {
        const OP: &str = "einsum";
        let named: Vec<_> = arrays.iter().map(|&array| ("array", array)).collect();
        let refuse = |rule: String| {
            let given = format!("subscripts: {subscripts:?}");
            Error::rule_with(OP, rule, &named, &given)
        };
        if arrays.is_empty() {
            return Err(refuse("no arrays are given".into()));
        }
        for array in arrays {
            array.check()?;
        }
        let ranks: Vec<usize> = arrays.iter().map(|array| array.rank()).collect();
        let Subscripts { inputs, output } =
            Subscripts::parse(subscripts, &ranks).map_err(refuse)?;
        let built = Array::build(OP, &named, || {
            let dtype = common(OP, &named)?;
            let operands = contract::operands(arrays, &inputs, dtype).map_err(refuse)?;
            let Operand { array, labels } = contract::all(operands, &output)?;
            let order = output.iter().map(|label| {
                let found = labels.iter().position(|other| other == label);
                found.map(|axis| axis as isize)
            });
            let order: Option<Vec<isize>> = order.collect();
            let order = order.ok_or_else(|| refuse("a label of the result has no axis".into()))?;
            Ok(array.permute(&order).check()?.cast(dtype))
        });
        built.check().cloned()
    }
}
