//! Arrays from host data, and generated ones.

use crate::{Array, Error, Item, Nested, Result, Scalar, item::with_item, node::Kind};
use bessemer_core::{DType, Device, HostMemory, Number, Shape, Slice, View};
use smallvec::smallvec;
use std::sync::Arc;

/// From data. These can fail at once, so they give a `Result`.
impl Array {
    /// From a number, or a slice, array or `Vec` of numbers or of those: nested as deep as the
    /// result has dimensions.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// assert_eq!(Array::new(&device, 1.5f32)?.dims(), [0; 0]);
    /// assert_eq!(Array::new(&device, [[1, 2, 3], [4, 5, 6]])?.dims(), [2, 3]);
    /// let ragged = Array::new(&device, vec![vec![1u8], vec![2, 3]]);
    /// assert!(ragged.unwrap_err().to_string().contains("ragged"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new<N: Nested>(device: &Arc<dyn Device>, data: N) -> Result<Array> {
        let mut dims = Vec::new();
        data.sizes(&mut dims);
        // As many as there are, not as the sizes promise: they come from the first of each level.
        let mut items = Vec::new();
        if !data.collect(&dims, &mut items) {
            return Err(Error::Rule {
                op: "new",
                rule:
                    "the nested lists are ragged; all lists of one level must have the same length"
                        .into(),
                operands: format!("first of each level: {dims:?}"),
            });
        }
        Array::from_slice(device, &items, &dims)
    }

    /// From the elements in row-major order.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::from_slice(&device, &[1u8, 2, 3, 4, 5, 6], &[2, 3])?;
    /// assert_eq!(a.to_string(), "[[1 2 3]\n [4 5 6]]");
    /// assert!(Array::from_slice(&device, &[1u8, 2, 3], &[2, 3]).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_slice<T: Item>(
        device: &Arc<dyn Device>,
        items: &[T],
        shape: &[usize],
    ) -> Result<Array> {
        let shape = fitting("from_slice", T::DTYPE, items.len(), shape)?;
        let bytes = T::bytes(items);
        let buffer = device.alloc(bytes.len())?;
        device.write(&Slice::all(&buffer), &bytes)?;
        Ok(Array::ready(device, View::new(&buffer, T::DTYPE, shape)?))
    }

    /// The same, without a copy where the device can use memory of the host.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let squares: Vec<f32> = (0..4).map(|i| (i * i) as f32).collect();
    /// let a = Array::from_vec(&device, squares, &[2, 2])?;
    /// assert_eq!(a.to_string(), "[[0. 1.]\n [4. 9.]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_vec<T: Item>(
        device: &Arc<dyn Device>,
        items: Vec<T>,
        shape: &[usize],
    ) -> Result<Array> {
        let shape = fitting("from_vec", T::DTYPE, items.len(), shape)?;
        if T::DTYPE == DType::Bool || items.is_empty() {
            return Array::from_slice(device, &items, &shape);
        }
        let buffer = device.adopt(HostMemory::new(Arc::new(Items(items))))?;
        Ok(Array::ready(device, View::new(&buffer, T::DTYPE, shape)?))
    }

    /// The elements a view has now; the array is the same memory, which nobody may write to any
    /// more.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// use bessemer_core::{DType, Element, Shape, View};
    ///
    /// let view = View::new(&device.alloc(12)?, DType::I32, Shape::new(&[3])?)?;
    /// device.write(&view.slice()?, i32::as_bytes(&[1, 2, 3]))?;
    /// let a = Array::from_view(&device, &view)?;
    /// assert_eq!((a * 10).to_vec::<i32>()?, [10, 20, 30]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_view(device: &Arc<dyn Device>, view: &View) -> Result<Array> {
        if view.dtype().is_block() {
            return Err(Error::Rule {
                op: "from_view",
                rule: format!(
                    "arrays cannot be {}, a quantised format; dequantise it first",
                    view.dtype()
                ),
                operands: format!("view: {view:?}"),
            });
        }
        if view.buffer().device() != device.info().id {
            return Err(bessemer_core::Error::OtherDevice {
                op: "from_view",
                buffer: view.buffer().id(),
            }
            .into());
        }
        Ok(Array::ready(device, view.clone()))
    }
}

/// From rules. A shape that can't be is carried as an error.
impl Array {
    /// Zeros.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::zeros(&device, &[2, 2], DType::I32);
    /// assert_eq!(a.to_vec::<i32>()?, [0; 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn zeros(device: &Arc<dyn Device>, shape: &[usize], dtype: DType) -> Array {
        Array::full(device, shape, 0, dtype)
    }

    /// Ones.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::ones(&device, &[2, 3], DType::F32);
    /// assert_eq!(a.sum_all().item::<f32>()?, 6.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn ones(device: &Arc<dyn Device>, shape: &[usize], dtype: DType) -> Array {
        Array::full(device, shape, 1, dtype)
    }

    /// The same number everywhere, as the nearest value of `dtype`. It takes no memory until it
    /// has to.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::full(&device, &[2, 2], 0.5, DType::F16);
    /// assert_eq!(a.to_string(), "[[0.5 0.5]\n [0.5 0.5]]");
    /// ```
    pub fn full(
        device: &Arc<dyn Device>,
        shape: &[usize],
        value: impl Into<Scalar>,
        dtype: DType,
    ) -> Array {
        let make = || {
            let shape = Shape::new(shape)?;
            if dtype.is_block() {
                return Err(Error::Rule {
                    op: "full",
                    rule: format!("arrays cannot be {dtype}, a quantised format; use `quantize`"),
                    operands: format!("dtype: {dtype}"),
                });
            }
            let kind = Kind::Fill(value.into().nearest(dtype));
            Ok(Array::lazy_on(device, dtype, shape, kind, smallvec![]))
        };
        Array::from_result(device, make())
    }

    /// The identity matrix of `size` rows.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::eye(&device, 3, DType::U8);
    /// assert_eq!(a.to_string(), "[[1 0 0]\n [0 1 0]\n [0 0 1]]");
    /// ```
    pub fn eye(device: &Arc<dyn Device>, size: usize, dtype: DType) -> Array {
        let at = |i: usize| Number::Integer(i.is_multiple_of(size + 1).into());
        let made = Array::generate(device, dtype, &[size, size], at);
        Array::from_result(device, made)
    }

    /// With the elements that `at` gives for their row-major positions, as the nearest value of
    /// `dtype`.
    pub(crate) fn generate(
        device: &Arc<dyn Device>,
        dtype: DType,
        shape: &[usize],
        mut at: impl FnMut(usize) -> Number,
    ) -> Result<Array> {
        let shape = fitting("create", dtype, Shape::new(shape)?.elements(), shape)?;
        let buffer = device.alloc(dtype.bytes_for(shape.elements()).unwrap_or(0))?;
        // In pieces: the host needs no second copy of a large array.
        const PIECE: usize = 1 << 16;
        for start in (0..shape.elements()).step_by(PIECE) {
            let end = shape.elements().min(start + PIECE);
            let bytes = with_item!(dtype, encode(start..end, &mut at));
            let size = dtype.block_bytes();
            let part = Slice::new(&buffer, start * size..end * size)?;
            device.write(&part, &bytes)?;
        }
        Ok(Array::ready(device, View::new(&buffer, dtype, shape)?))
    }
}

fn encode<T: Item>(range: std::ops::Range<usize>, at: &mut impl FnMut(usize) -> Number) -> Vec<u8> {
    let items: Vec<T> = range.map(|i| T::from_number(at(i))).collect();
    T::bytes(&items).into_owned()
}

/// The shape, if that many elements have it.
fn fitting(op: &'static str, dtype: DType, elements: usize, shape: &[usize]) -> Result<Shape> {
    let shape = Shape::new(shape)?;
    let refuse = |rule: String| Error::Rule {
        op,
        rule,
        operands: format!("dtype: {dtype}, shape: {shape}"),
    };
    if dtype.is_block() {
        return Err(refuse(format!(
            "arrays cannot be {dtype}, a quantised format; use `quantize`"
        )));
    }
    if dtype.bytes_for(shape.elements()).is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        return Err(refuse("the array has more bytes than can be addressed".into()));
    }
    if shape.elements() != elements {
        let wanted = shape.elements();
        return Err(refuse(format!("the shape has {wanted} elements, but {elements} are given")));
    }
    Ok(shape)
}

/// A vector as bytes.
struct Items<T>(Vec<T>);

impl<T: Item> AsRef<[u8]> for Items<T> {
    fn as_ref(&self) -> &[u8] {
        match T::bytes(&self.0) {
            std::borrow::Cow::Borrowed(bytes) => bytes,
            // Only booleans need a copy, and they are never kept as they are.
            std::borrow::Cow::Owned(_) => &[],
        }
    }
}
