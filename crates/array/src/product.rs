//! Products of matrices and vectors.

use crate::{Array, Error, Result, build_map::common, call::Call, node::Kind, promote::float_of};
use bessemer_core::{Batch, Shape, View};
use bessemer_ops::Matmul;
use smallvec::smallvec;
use std::sync::Arc;

struct Product;

impl Call for Product {
    fn name(&self) -> &'static str {
        "matmul"
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let [a, b] = inputs else {
            return Err(bessemer_core::Error::view("matmul has two inputs"));
        };
        batch.push(Matmul { a: a.clone(), b: b.clone(), out: out.clone() })
    }
}

impl Array {
    /// The matrix product, as NumPy's `@`: of the last two axes, with the others broadcast. A
    /// vector on the left is a row, on the right a column, and that axis is gone from the result.
    ///
    /// Products of floats are summed in `f32`, those of `f64` in `f64`. Integers wrap; booleans are
    /// taken for `f32`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1.0f32, 2.0], [3.0, 4.0]])?;
    /// let x = Array::new(&device, [1.0f32, 10.0])?;
    /// assert_eq!(a.matmul(&x).to_string(), "[21. 43.]");
    /// assert_eq!(a.matmul(&a.transpose()).to_string(), "[[ 5. 11.]\n [11. 25.]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn matmul(&self, other: &Array) -> Array {
        self.product("matmul", other)
    }

    /// The sum of products of two vectors; for more dimensions, the matrix product.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, 2.0, 3.0])?;
    /// let b = Array::new(&device, [4.0f32, 5.0, 6.0])?;
    /// assert_eq!(a.dot(&b).item::<f32>()?, 32.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn dot(&self, other: &Array) -> Array {
        self.product("dot", other)
    }

    fn product(&self, op: &'static str, other: &Array) -> Array {
        let named = [("a", self), ("b", other)];
        Array::build(op, &named, || {
            if self.rank() == 0 || other.rank() == 0 {
                let rule = "an operand has rank 0; multiply by numbers with `*`";
                return Err(Error::rule(op, rule, &named));
            }
            let dtype = common(op, &named)?;
            let dtype = if dtype.is_integer() { dtype } else { float_of(dtype) };
            let (row, column) = (self.rank() == 1, other.rank() == 1);
            let a = if row { self.expand_dims(0) } else { self.clone() };
            let b = if column { other.expand_dims(1) } else { other.clone() };
            let shape = product_shape(op, &a, &b, &named)?;
            let inputs = smallvec![a.cast(dtype), b.cast(dtype)];
            let product = Array::lazy(dtype, shape, Kind::Call(Arc::new(Product)), inputs);
            let mut dims = shape.to_vec();
            let rank = dims.len();
            if column {
                dims.remove(rank - 1);
            }
            if row {
                dims.remove(rank - 2);
            }
            product.reshape_to(Shape::new(&dims)?)
        })
    }
}

/// The shape of the product of two arrays with at least two axes each.
fn product_shape(
    op: &'static str,
    a: &Array,
    b: &Array,
    named: &[(&str, &Array)],
) -> Result<Shape> {
    let ([batch_a @ .., rows, inner], [batch_b @ .., height, columns]) =
        (&**a.shape(), &**b.shape())
    else {
        return Err(Error::rule(op, "an operand has fewer than two dimensions", named));
    };
    if inner != height {
        let rule = format!("a has {inner} columns, but b has {height} rows");
        return Err(Error::rule(op, rule, named));
    }
    let batch = Shape::new(batch_a)?.broadcast(&Shape::new(batch_b)?);
    let batch = batch.map_err(|error| Error::rule(op, error.to_string(), named))?;
    let mut dims = batch.to_vec();
    dims.extend([*rows, *columns]);
    Ok(Shape::new(&dims)?)
}
