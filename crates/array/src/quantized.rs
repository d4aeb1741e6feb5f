//! Weights in block formats: quantising arrays, multiplying by them, dequantising.

use crate::{Array, Error, Result, call::Call, node::Kind, promote::float_of};
use bessemer_core::{Batch, DType, Device, Shape, View};
use bessemer_ops::{Dequantize, Linear, Quantize};
use smallvec::smallvec;
use std::{fmt, sync::Arc};

/// Numbers in a block format, as weights are kept: a few bits each, with a scale per block.
///
/// Arithmetic works on single numbers, so this is no [`Array`]; [`Quantized::dequantize`] makes it
/// one, and [`Array::linear`] multiplies by it as it is.
///
/// ```
/// use bessemer_array::{Array, Error};
/// use bessemer_core::DType;
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
/// let weight = Array::random_normal(&device, &[16, 64], 0.0, 1.0, DType::F32, 1);
/// let small = weight.quantize(DType::Q8_0)?;
/// assert_eq!(small.view().stored_bytes(), 16 * 64 * 34 / 32);
/// let error = (small.dequantize() - &weight).abs().max_all();
/// assert!(error.item::<f32>()? < 0.02);
///
/// let x = Array::random_normal(&device, &[3, 64], 0.0, 1.0, DType::F32, 2);
/// assert_eq!(x.linear(&small).dims(), [3, 16]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Quantized {
    device: Arc<dyn Device>,
    view: View,
}

impl Quantized {
    /// What a view in a block format has now; nobody may write to its memory any more.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// use bessemer_array::Quantized;
    ///
    /// let small = Array::ones(&device, &[2, 32], DType::F32).quantize(DType::Q8_0)?;
    /// let second_row = small.view().narrow(0, 1..2)?;
    /// let row = Quantized::from_view(&device, &second_row)?;
    /// assert_eq!(row.dequantize().dims(), [1, 32]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_view(device: &Arc<dyn Device>, view: &View) -> Result<Quantized> {
        const OP: &str = "from_view";
        if !view.dtype().is_block() {
            let rule = format!("the view is {}, which is not a quantised format", view.dtype());
            return Err(Error::Rule { op: OP, rule, operands: format!("view: {view:?}") });
        }
        if view.buffer().device() != device.info().id {
            let buffer = view.buffer().id();
            return Err(bessemer_core::Error::OtherDevice { op: OP, buffer }.into());
        }
        Ok(Quantized { device: Arc::clone(device), view: view.clone() })
    }

    /// The device it is on.
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }

    /// Its format.
    pub fn dtype(&self) -> DType {
        self.view.dtype()
    }

    /// The size of each dimension, in numbers.
    pub fn shape(&self) -> &Shape {
        self.view.shape()
    }

    /// Its blocks.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Its numbers as an array of `f32`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::arange(&device, -16, 16, 1).astype(DType::F32);
    /// let back = a.quantize(DType::Q8_0)?.dequantize();
    /// assert!((a - back).abs().max_all().item::<f32>()? < 0.1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn dequantize(&self) -> Array {
        let kind = Kind::Call(Arc::new(Restore(self.view.clone())));
        Array::lazy_on(&self.device, DType::F32, *self.shape(), kind, smallvec![])
    }
}

impl fmt::Debug for Quantized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Quantized({} {})", self.dtype(), self.shape())
    }
}

impl Array {
    /// Its numbers in a block format, computed now. Rows (the last axis) must be whole blocks: a
    /// multiple of 32 long, or of 256 for the formats with a K.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::zeros(&device, &[8, 256], DType::F32);
    /// let small = a.quantize(DType::Q4_K)?;
    /// assert_eq!(format!("{small:?}"), "Quantized(q4_k [8, 256])");
    /// assert!(a.transpose().quantize(DType::Q4_K).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn quantize(&self, dtype: DType) -> Result<Quantized> {
        const OP: &str = "quantize";
        self.check()?;
        let refuse = |rule: String| {
            Err(Error::rule_with(OP, rule, &[("array", self)], &format!("to: {dtype}")))
        };
        if !dtype.is_block() {
            return refuse(format!("{dtype} is not a quantised format; use `astype`"));
        }
        if self.rank() == 0 || !self.shape().width().is_multiple_of(dtype.block_len()) {
            return refuse(format!(
                "rows have {} elements, but must be a multiple of {}, the block of {dtype}",
                self.dims().last().copied().unwrap_or(1),
                dtype.block_len()
            ));
        }
        let x = self.cast(float_of(self.dtype())).view()?;
        let bytes = bessemer_core::estimate::tensor(dtype, x.shape().rows(), x.shape().width())?;
        let out = View::new(&self.device().alloc(bytes)?, dtype, *x.shape())?;
        let mut batch = Batch::new();
        batch.push(Quantize { x, out: out.clone() })?;
        // Whoever uses the result waits for it.
        let _ticket = self.device().submit(&batch)?;
        Ok(Quantized { device: Arc::clone(self.device()), view: out })
    }

    /// The product with the transpose of a quantised matrix `[outputs, inputs]`, over the last
    /// axis: a linear layer. Devices may round each 32 numbers of the array to 8 bits for it.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let weight = Array::ones(&device, &[4, 32], DType::F32).quantize(DType::Q8_0)?;
    /// let x = Array::new(&device, vec![1.0f32; 32])?;
    /// let y = x.linear(&weight);
    /// assert_eq!(y.dims(), [4]);
    /// assert!((y - 32).abs().max_all().item::<f32>()? < 0.1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn linear(&self, weight: &Quantized) -> Array {
        const OP: &str = "linear";
        Array::build(OP, &[("x", self)], || {
            let refuse = |rule: String| {
                let weight = format!("weight: {} {}", weight.dtype(), weight.shape());
                Err(Error::rule_with(OP, rule, &[("x", self)], &weight))
            };
            if weight.device.info().id != self.device().info().id {
                return refuse("x and weight are on different devices".into());
            }
            let &[outputs, inputs] = &**weight.shape() else {
                return refuse(format!(
                    "weight has rank {}, but must have 2",
                    weight.shape().rank()
                ));
            };
            if self.rank() == 0 || self.shape().width() != inputs {
                return refuse(format!(
                    "rows of x have {} elements, but rows of weight have {inputs}",
                    self.dims().last().copied().unwrap_or(1)
                ));
            }
            let mut dims = self.shape().to_vec();
            dims[self.rank() - 1] = outputs;
            let dtype = float_of(self.dtype());
            let kind = Kind::Call(Arc::new(Layer(weight.view.clone())));
            Ok(Array::lazy(dtype, Shape::new(&dims)?, kind, smallvec![self.cast(dtype)]))
        })
    }
}

struct Restore(View);

impl Call for Restore {
    fn name(&self) -> &'static str {
        "dequantize"
    }

    fn push(&self, _: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        batch.push(Dequantize { x: self.0.clone(), out: out.clone() })
    }
}

struct Layer(View);

impl Call for Layer {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let [x] = inputs else {
            return Err(bessemer_core::Error::view("linear has one input"));
        };
        let (x, out) = (x.clone(), out.clone());
        batch.push(Linear { x, weight: self.0.clone(), bias: None, out })
    }
}
