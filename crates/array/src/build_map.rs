//! How elementwise functions become nodes: dtypes in common, broadcasting, casts.

use crate::{
    Array, Error, Operand, Result, Scalar, complex, constant,
    node::{Kind, MapOp},
    promote::float_of,
};
use bessemer_core::{DType, Shape};
use bessemer_program::{Binary, Unary};
use smallvec::smallvec;

impl Array {
    /// As `dtype`, which is no block format.
    pub(crate) fn cast(&self, dtype: DType) -> Array {
        if dtype == self.dtype() {
            return self.clone();
        }
        if let Some(value) = self.fill() {
            let kind = Kind::Fill(constant::cast(self.dtype(), dtype, value));
            return Array::lazy_on(self.device(), dtype, *self.shape(), kind, smallvec![]);
        }
        self.map(MapOp::Cast, dtype)
    }

    /// The same elements in memory of their own, gapless and in row-major order.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4]])?.transpose();
    /// assert!(!a.view()?.is_contiguous());
    /// assert!(a.copied().view()?.is_contiguous());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn copied(&self) -> Array {
        if self.error().is_some() {
            return self.clone();
        }
        self.map(MapOp::Cast, self.dtype())
    }

    /// A number as an array of rank 0, of the dtype that it has beside this one.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::ones(&device, &[3], DType::F16);
    /// assert_eq!(a.number_beside(2).dtype(), DType::F16);
    /// assert!(a.astype(DType::U8).number_beside(256).check().is_err());
    /// ```
    pub fn number_beside(&self, number: impl Into<Scalar>) -> Array {
        self.with("number", Operand::Scalar(number.into()), |_, number| Ok(number.clone()))
    }

    pub(super) fn map(&self, op: MapOp, dtype: DType) -> Array {
        Array::lazy(dtype, *self.shape(), Kind::Map(op), smallvec![self.clone()])
    }

    pub(super) fn function(&self, op: &'static str, unary: Unary) -> Array {
        Array::build(op, &[("x", self)], || {
            if self.dtype().is_complex() {
                return complex::function(op, unary, self);
            }
            let dtype = float_of(self.dtype());
            Ok(self.cast(dtype).map(MapOp::Unary(unary), dtype))
        })
    }

    pub(super) fn whole_number(&self, op: &'static str, unary: Unary) -> Array {
        let whole = self.dtype().is_integer() || self.dtype() == DType::Bool;
        if whole { self.clone() } else { self.same(op, unary) }
    }

    pub(crate) fn same(&self, op: &'static str, unary: Unary) -> Array {
        Array::build(op, &[("x", self)], || {
            if self.dtype().is_complex() {
                return complex::function(op, unary, self);
            }
            Ok(self.map(MapOp::Unary(unary), self.dtype()))
        })
    }

    pub(crate) fn binary<'a>(
        &self,
        op: &'static str,
        binary: Binary,
        other: impl Into<Operand<'a>>,
    ) -> Array {
        self.with(op, other.into(), |a, b| arithmetic(op, binary, a, b))
    }

    /// The same with a number on the left.
    pub(crate) fn binary_after(&self, op: &'static str, binary: Binary, first: Scalar) -> Array {
        self.with(op, Operand::Scalar(first), |a, b| arithmetic(op, binary, b, a))
    }

    pub(super) fn float_binary<'a>(
        &self,
        op: &'static str,
        binary: Binary,
        other: impl Into<Operand<'a>>,
    ) -> Array {
        self.with(op, other.into(), |a, b| {
            let dtype = float_of(a.dtype());
            if dtype.is_complex() {
                return complex::arithmetic(op, binary, a, b);
            }
            zip(op, MapOp::Binary(binary), &a.cast(dtype), &b.cast(dtype), dtype)
        })
    }

    /// Calls `build` with this and `other`, both of the dtype they have in common.
    pub(crate) fn with(
        &self,
        op: &'static str,
        other: Operand<'_>,
        build: impl FnOnce(&Array, &Array) -> Result<Array>,
    ) -> Array {
        match other {
            Operand::Array(other) => Array::build(op, &[("a", self), ("b", other)], || {
                let dtype = common(op, &[("a", self), ("b", other)])?;
                build(&self.cast(dtype), &other.cast(dtype))
            }),
            Operand::Scalar(scalar) => Array::build(op, &[("array", self)], || {
                let dtype = scalar.dtype_beside(op, self)?;
                let value = scalar.stored_as(op, dtype, self)?;
                let array = self.cast(dtype);
                let scalar = array.filled(Shape::SCALAR, value);
                build(&array, &scalar)
            }),
        }
    }
}

/// The dtype that all of `arrays` are computed in.
pub(crate) fn common(op: &'static str, arrays: &[(&str, &Array)]) -> Result<DType> {
    let mut dtype = arrays[0].1.dtype();
    for (_, array) in &arrays[1..] {
        dtype = crate::promote(dtype, array.dtype()).ok_or_else(|| {
            let rule = format!(
                "{dtype} and {} have no common dtype; convert one with `astype`",
                array.dtype()
            );
            Error::rule(op, rule, arrays)
        })?;
    }
    Ok(dtype)
}

/// Elements of two arrays of one dtype, by `map`.
pub(crate) fn zip(
    op: &'static str,
    map: MapOp,
    a: &Array,
    b: &Array,
    dtype: DType,
) -> Result<Array> {
    let shape = broadcast(op, &[("a", a), ("b", b)])?;
    let inputs = smallvec![a.clone(), b.clone()];
    Ok(Array::lazy(dtype, shape, Kind::Map(map), inputs))
}

/// The shape that all of `arrays` broadcast to.
pub(crate) fn broadcast(op: &'static str, arrays: &[(&str, &Array)]) -> Result<Shape> {
    let mut shape = *arrays[0].1.shape();
    for (_, array) in &arrays[1..] {
        if *array.shape() != shape {
            shape = shape
                .broadcast(array.shape())
                .map_err(|error| Error::rule(op, error.to_string(), arrays))?;
        }
    }
    Ok(shape)
}

/// Arithmetic of two arrays of one dtype. Booleans add and multiply as NumPy's do: by or and and.
fn arithmetic(op: &'static str, binary: Binary, a: &Array, b: &Array) -> Result<Array> {
    let dtype = a.dtype();
    if dtype.is_complex() {
        return complex::arithmetic(op, binary, a, b);
    }
    if dtype != DType::Bool {
        return zip(op, MapOp::Binary(binary), a, b, dtype);
    }
    let logic = match binary {
        Binary::Add | Binary::Max => Binary::Or,
        Binary::Mul | Binary::Min => Binary::And,
        _ => {
            let rule =
                "booleans cannot be subtracted, divided or negated; convert them with `astype`";
            return Err(Error::rule(op, rule, &[("a", a), ("b", b)]));
        }
    };
    zip(op, MapOp::Binary(logic), a, b, dtype)
}
