//! The handle: what an array is, without its elements.

use crate::{
    Error, Result,
    node::{Expr, Inputs, Kind, Node},
};
use bessemer_core::{DType, Device, Shape, View};
use std::sync::Arc;

/// An n-dimensional array on a device: lazy, immutable, cheap to clone.
///
/// Arithmetic on arrays only notes down what is to be done. The elements are computed when they
/// are asked for (by [`Array::eval`], [`Array::to_vec`], [`Array::item`] or by printing), and then
/// chains of elementwise steps, with the reduction at their end, run as one fused program.
///
/// Nothing here panics on bad input. Operands that do not fit give an array that *carries the
/// error*: it can be computed with as any other, prints as the error's text, and every way to get
/// at its elements gives the first error as `Err`. [`Array::check`] asks early.
///
/// ```
/// use bessemer_array::Array;
/// use bessemer_core::Device;
/// use bessemer_cpu::Reference;
/// use std::sync::Arc;
///
/// let device: Arc<dyn Device> = Arc::new(Reference::new());
/// let a = Array::new(&device, [[1.0f32, 2.0], [3.0, 4.0]])?;
/// let b = Array::new(&device, [10.0f32, 20.0])?;
/// let c = 2.0 * &a + &b;
/// assert_eq!(c.to_vec::<f32>()?, [12.0, 24.0, 16.0, 28.0]);
/// assert_eq!(c.to_string(), "[[12. 24.]\n [16. 28.]]");
///
/// let wrong = &a + &Array::new(&device, [1.0f32, 2.0, 3.0])?;
/// assert!(wrong.to_vec::<f32>().unwrap_err().to_string().starts_with("add: "));
/// # Ok::<(), bessemer_array::Error>(())
/// ```
#[derive(Clone)]
pub struct Array {
    pub(crate) node: Arc<Node>,
}

impl Array {
    /// The device it is on.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::ones(&device, &[3], DType::F32);
    /// let b = Array::zeros(a.device(), &[3], DType::F32);
    /// assert_eq!((a + b).to_vec::<f32>()?, [1.0, 1.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.node.device
    }

    /// How its elements are stored.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1, 2, 3])?;
    /// assert_eq!(a.dtype(), DType::I32);
    /// assert_eq!(a.sqrt().dtype(), DType::F32);
    /// assert_eq!(a.gt(1).dtype(), DType::Bool);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn dtype(&self) -> DType {
        self.node.dtype
    }

    /// The size of each dimension; none for an array that carries an error.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::zeros(&device, &[2, 3], DType::F32);
    /// assert_eq!(a.shape().to_string(), "[2, 3]");
    /// assert_eq!(a.shape()[1], 3);
    /// ```
    pub fn shape(&self) -> &Shape {
        &self.node.shape
    }

    /// The size of each dimension, as a slice.
    ///
    /// ```
    /// # use bessemer_array::Array;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::zeros(&device, &[2, 3], bessemer_core::DType::F32);
    /// assert_eq!(a.dims(), [2, 3]);
    /// assert_eq!(a.transpose().dims(), [3, 2]);
    /// ```
    pub fn dims(&self) -> &[usize] {
        &self.node.shape
    }

    /// The number of dimensions.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// assert_eq!(Array::new(&device, [[1, 2], [3, 4]])?.rank(), 2);
    /// assert_eq!(Array::new(&device, 5)?.rank(), 0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rank(&self) -> usize {
        self.node.shape.rank()
    }

    /// The number of elements.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// assert_eq!(Array::zeros(&device, &[2, 3, 4], DType::F32).elements(), 24);
    /// assert_eq!(Array::zeros(&device, &[2, 0], DType::F32).elements(), 0);
    /// ```
    pub fn elements(&self) -> usize {
        self.node.shape.elements()
    }

    /// The error it carries, if it does.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4]])?;
    /// assert!(a.error().is_none());
    /// let wrong = a.sum(2) * 10;
    /// let error = wrong.error().unwrap().to_string();
    /// assert!(error.starts_with("sum: axis 2 is out of range"), "{error}");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn error(&self) -> Option<&Error> {
        self.node.error()
    }

    /// The array itself, or the error it carries: to stop early, and nothing is computed.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::ones(&device, &[2, 3], bessemer_core::DType::F32);
    /// assert!(a.reshape(&[3, 2]).check().is_ok());
    /// assert!(a.reshape(&[4, 2]).check().is_err());
    /// ```
    pub fn check(&self) -> Result<&Array> {
        self.error().map_or(Ok(self), |error| Err(error.clone()))
    }

    /// Whether its elements are known, so that asking for them computes nothing.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1, 2, 3])?;
    /// let b = &a * 2;
    /// assert!(a.is_evaluated() && !b.is_evaluated());
    /// b.eval()?;
    /// assert!(b.is_evaluated());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn is_evaluated(&self) -> bool {
        matches!(self.node.value.get(), Some(Ok(_)))
    }
}

/// Making nodes.
impl Array {
    /// With elements that are known.
    pub(crate) fn ready(device: &Arc<dyn Device>, view: View) -> Array {
        let (dtype, shape) = (view.dtype(), *view.shape());
        let node = Node::new(device, dtype, shape, Some(Ok(view)), None);
        Array { node: Arc::new(node) }
    }

    /// Carrying an error.
    pub(crate) fn failed(device: &Arc<dyn Device>, error: Error) -> Array {
        let node = Node::new(device, DType::F32, Shape::SCALAR, Some(Err(error)), None);
        Array { node: Arc::new(node) }
    }

    /// Elements, or the error, as there are.
    pub(crate) fn from_result(device: &Arc<dyn Device>, result: Result<Array>) -> Array {
        result.unwrap_or_else(|error| Array::failed(device, error))
    }

    /// To be computed. All inputs must be on one device, and none may carry an error.
    pub(crate) fn lazy(dtype: DType, shape: Shape, kind: Kind, inputs: Inputs) -> Array {
        let device = Arc::clone(inputs[0].device());
        Array::lazy_on(&device, dtype, shape, kind, inputs)
    }

    /// The same, for kinds without inputs.
    pub(crate) fn lazy_on(
        device: &Arc<dyn Device>,
        dtype: DType,
        shape: Shape,
        kind: Kind,
        inputs: Inputs,
    ) -> Array {
        let expr = Expr { kind, inputs };
        Array { node: Arc::new(Node::new(device, dtype, shape, None, Some(expr))) }
    }

    /// `build`, unless an input carries an error or they are on several devices.
    pub(crate) fn build(
        op: &'static str,
        inputs: &[(&str, &Array)],
        build: impl FnOnce() -> Result<Array>,
    ) -> Array {
        let device = inputs[0].1.device();
        for (_, input) in inputs {
            if input.error().is_some() {
                return (*input).clone();
            }
            if !Arc::ptr_eq(input.device(), device) && input.device().info().id != device.info().id
            {
                let rule = "the arrays are on different devices; use one device for all";
                return Array::failed(device, Error::rule(op, rule, inputs));
            }
        }
        Array::from_result(device, build())
    }

    /// The number that all its elements are, as it is stored, if it was made of one.
    pub(crate) fn fill(&self) -> Option<u64> {
        if self.node.value.get().is_some() {
            return None;
        }
        match self.node.expr().as_ref()?.kind {
            Kind::Fill(value) => Some(value),
            _ => None,
        }
    }

    /// Its elements, if they are known.
    pub(crate) fn known(&self) -> Option<&View> {
        self.node.value.get()?.as_ref().ok()
    }
}
