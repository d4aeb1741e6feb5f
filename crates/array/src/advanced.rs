//! Indexing as NumPy has it, by any mix of indices, ranges, integer arrays and masks: reading, and copies
//! of an array with some elements replaced.

use crate::{
    Array, Error, Index, Operand, Result,
    axis_map::AxisMap,
    build_map::broadcast,
    call::Call,
    index::resolve,
    node::Kind,
    select::{mask_fits, numbered},
};
use bessemer_core::{Batch, DType, Shape, View};
use bessemer_ops::{Copy, Scatter};
use smallvec::smallvec;
use std::sync::Arc;

/// What to take of one or more axes: what [`Index`] says, or what an array of integers or a mask does.
///
/// ```
/// # use bessemer_array::{Array, Error};
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
/// use bessemer_array::{Index, Selector};
///
/// let a = Array::arange(&device, 0, 12, 1).reshape(&[3, 4]);
/// let columns = Array::new(&device, [3, 0])?;
/// let all = Selector::from(Index::from(..));
/// assert_eq!(a.index(&[all, (&columns).into()]).at(1).to_vec::<i32>()?, [7, 4]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy)]
pub enum Selector<'a> {
    /// One index, a range, an ellipsis or a new axis.
    Index(Index),
    /// Integers, which index one axis, or booleans, which select along as many as they have dimensions.
    Array(&'a Array),
}

impl<T: Into<Index>> From<T> for Selector<'_> {
    fn from(index: T) -> Self {
        Selector::Index(index.into())
    }
}

impl<'a> From<&'a Array> for Selector<'a> {
    fn from(array: &'a Array) -> Selector<'a> {
        Selector::Array(array)
    }
}

/// The selection of elements, in two steps: a view, and then arrays that index some of its axes.
struct Selection {
    basic: Vec<Index>,
    /// Axes of the view, and what indexes them.
    arrays: Vec<(usize, Array)>,
    /// Whether arrays followed each other, so that their dimensions take the place of theirs.
    together: bool,
}

impl Array {
    /// Elements by any mix of indices, ranges, arrays of integers and masks, as NumPy's `a[…]`. The
    /// arrays are broadcast together; a mask counts as the arrays of its [`Array::nonzero`], and is
    /// evaluated. What an index of an array can't find is as in [`Array::take`].
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::arange(&device, 0, 12, 1).reshape(&[3, 4]);
    /// let (i, j) = (Array::new(&device, [0, 2])?, Array::new(&device, [3, -4])?);
    /// assert_eq!(a.index(&[(&i).into(), (&j).into()]).to_vec::<i32>()?, [3, 8]);
    /// assert_eq!(a.index(&[1.into(), (&j).into()]).to_vec::<i32>()?, [7, 4]);
    /// assert_eq!(a.index(&[(&a.gt(8)).into()]).to_vec::<i32>()?, [9, 10, 11]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn index(&self, selectors: &[Selector<'_>]) -> Array {
        if let [Selector::Array(mask)] = selectors
            && mask.dtype() == DType::Bool
        {
            return self.select(mask);
        }
        Array::build("index", &named(self, selectors), || {
            let selection = self.selection("index", selectors)?;
            self.selected(&selection)
        })
    }

    /// A copy with the elements that `selectors` name replaced by `values`, which are broadcast: NumPy's
    /// `a[…] = values`. They are converted to the dtype of the array. Of several values for one element
    /// the last one counts; what an index of an array can't find changes nothing.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::s;
    /// let a = Array::zeros(&device, &[2, 3], bessemer_core::DType::I32);
    /// let columns = Array::new(&device, [2, 0])?;
    /// let row = Array::new(&device, [7, 8])?;
    /// let b = a.with_index(&[0.into(), (&columns).into()], &row);
    /// assert_eq!(b.to_string(), "[[8 0 7]\n [0 0 0]]");
    /// let c = b.with_index(&[(&b.eq(0)).into()], -1);
    /// assert_eq!(c.to_string(), "[[ 8 -1  7]\n [-1 -1 -1]]");
    /// let d = c.with_index(&s![.., 1].map(Into::into), 5);
    /// assert_eq!(d.to_string(), "[[ 8  5  7]\n [-1  5 -1]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn with_index<'v>(
        &self,
        selectors: &[Selector<'_>],
        values: impl Into<Operand<'v>>,
    ) -> Array {
        const OP: &str = "with_index";
        let values = values.into();
        let mut all = named(self, selectors);
        if let Operand::Array(values) = values {
            all.push(("values", values));
        }
        Array::build(OP, &all, || {
            if let [Selector::Array(mask)] = selectors
                && mask.dtype() == DType::Bool
                && (matches!(values, Operand::Scalar(_)) || mask.rank() == 0)
                && self.shape().starts_with(mask.shape())
            {
                let shape = if mask.rank() == 0 { *self.shape() } else { Shape::SCALAR };
                let mut dims = mask.shape().to_vec();
                dims.resize(self.rank(), 1);
                let mask = mask.reshape_to(Shape::new(&dims)?)?;
                let value = self.values(OP, values, shape)?;
                return Array::where_(&mask, &value, self).check().cloned();
            }
            let selection = self.selection(OP, selectors)?;
            let map = resolve(self.shape(), &selection.basic)
                .map_err(|rule| Error::rule(OP, rule, &[("array", self)]))?;
            if selection.arrays.is_empty() {
                let values = self.values(OP, values, *map.shape())?;
                let kind = Kind::Call(Arc::new(Replacing { map }));
                let inputs = smallvec![self.clone(), values];
                return Ok(Array::lazy(self.dtype(), *self.shape(), kind, inputs));
            }
            // Where in memory each element lies that is replaced.
            let places = numbered(self, *self.shape())?.selected(&selection)?;
            let values = self.values(OP, values, *places.shape())?;
            let flat = |array: &Array| array.reshape_to(Shape::new(&[array.elements()])?);
            let (x, kind) = (flat(self)?, Kind::Call(Arc::new(Scattering)));
            let shape = *x.shape();
            let inputs = smallvec![x, flat(&values)?, flat(&places)?];
            Array::lazy(self.dtype(), shape, kind, inputs).reshape_to(*self.shape())
        })
    }

    /// Values of its dtype, broadcast to `shape`.
    fn values(&self, op: &'static str, values: Operand<'_>, shape: Shape) -> Result<Array> {
        let values = match values {
            Operand::Array(values) => values.astype(self.dtype()),
            Operand::Scalar(scalar) => {
                self.filled(Shape::SCALAR, scalar.stored_as(op, self.dtype(), self)?)
            }
        };
        let values = values.check()?;
        let fits = broadcast(op, &[("values", values), ("selected", &self.filled(shape, 0))]);
        if !fits.is_ok_and(|fits| fits == shape) {
            let rule = format!(
                "values have shape {}, which does not broadcast to {shape}",
                values.shape()
            );
            return Err(Error::rule(op, rule, &[("array", self), ("values", values)]));
        }
        values.broadcast_to(&shape).check().cloned()
    }

    /// What selectors mean for this array.
    fn selection(&self, op: &'static str, selectors: &[Selector<'_>]) -> Result<Selection> {
        let refuse = |rule: String| Err(Error::rule(op, rule, &named(self, selectors)));
        let axes = |selector: &Selector<'_>| match selector {
            Selector::Index(Index::Ellipsis | Index::NewAxis) => 0,
            Selector::Array(mask) if mask.dtype() == DType::Bool => mask.rank(),
            _ => 1,
        };
        let taken: usize = selectors.iter().map(axes).sum();
        if taken > self.rank() {
            return refuse(format!(
                "too many indices: {taken} for an array of rank {}",
                self.rank()
            ));
        }
        let has_arrays = selectors.iter().any(|selector| matches!(selector, Selector::Array(_)));
        let (mut basic, mut arrays, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let (mut axis, mut view_axis) = (0, 0);
        for (place, selector) in selectors.iter().enumerate() {
            match *selector {
                Selector::Index(Index::Ellipsis) if has_arrays => {
                    let skipped = self.rank() - taken;
                    basic.extend(std::iter::repeat_n(Index::from(..), skipped));
                    view_axis += skipped;
                    axis += skipped;
                }
                Selector::Index(Index::At(index)) if has_arrays => {
                    let size = self.shape()[axis] as isize;
                    if index < -size || index >= size {
                        return refuse(format!(
                            "index {index} is out of bounds for dimension {axis} of size {size}"
                        ));
                    }
                    let index = Array::new(self.device(), index as i64)?;
                    places.push(place);
                    arrays.push((view_axis, index));
                    basic.push(Index::from(..));
                    view_axis += 1;
                    axis += 1;
                }
                Selector::Index(index) => {
                    basic.push(index);
                    view_axis += 1;
                    axis += usize::from(index != Index::NewAxis);
                }
                Selector::Array(mask) if mask.dtype() == DType::Bool => {
                    let sizes = &self.shape()[axis..axis + mask.rank()];
                    if !mask_fits(mask, sizes) {
                        return refuse(format!(
                            "the mask has shape {}, but indexes dimensions of sizes {sizes:?}",
                            mask.shape()
                        ));
                    }
                    places.push(place);
                    for index in mask.nonzero()? {
                        arrays.push((view_axis, index));
                        basic.push(Index::from(..));
                        view_axis += 1;
                        axis += 1;
                    }
                }
                Selector::Array(index) => {
                    places.push(place);
                    arrays.push((view_axis, index.as_indices(op, &named(self, selectors))?));
                    basic.push(Index::from(..));
                    view_axis += 1;
                    axis += 1;
                }
            }
        }
        let together = places.windows(2).all(|pair| pair[1] == pair[0] + 1);
        Ok(Selection { basic, arrays, together })
    }

    fn selected(&self, selection: &Selection) -> Result<Array> {
        let view = self.slice(&selection.basic);
        let view = view.check()?;
        let Selection { arrays, together, .. } = selection;
        match arrays.as_slice() {
            [] => return Ok(view.clone()),
            [(axis, index)] => return view.take(index, *axis as isize).check().cloned(),
            _ => {}
        }
        let by: Vec<_> = arrays.iter().map(|(_, index)| ("index", index)).collect();
        let shape = broadcast("index", &by)?;
        // Indexed axes first, as one.
        let indexed: Vec<usize> = arrays.iter().map(|(axis, _)| *axis).collect();
        let others = (0..view.rank()).filter(|axis| !indexed.contains(axis));
        let order: Vec<isize> =
            indexed.iter().copied().chain(others).map(|axis| axis as isize).collect();
        let turned = view.permute(&order);
        let len: usize = turned.shape()[..indexed.len()].iter().product();
        let rest = turned.shape()[indexed.len()..].to_vec();
        let rows = turned.reshape_to(Shape::new(&[&[len], &*rest].concat())?)?;
        let mut place: Option<(Array, Array)> = None;
        for (i, (_, index)) in arrays.iter().enumerate() {
            let size = turned.shape()[i] as i64;
            let index = index.cast(DType::I64);
            let index = Array::where_(&index.lt(0), &(&index + size), &index);
            let inside = index.ge(0).logical_and(&index.lt(size));
            place = Some(match place {
                None => (index, inside),
                Some((place, all)) => (place * size + index, all.logical_and(&inside)),
            });
        }
        let Some((place, inside)) = place else { return Ok(view.clone()) };
        // What one of them can't find is behind all rows.
        let place = Array::where_(&inside, &place, len as i64).broadcast_to(&shape);
        let taken = rows.take(&place, 0);
        let first = if *together { indexed[0] } else { 0 };
        let (front, back) = (shape.rank() as isize, taken.rank() as isize);
        let split = front + first as isize;
        let order: Vec<isize> = (front..split).chain(0..front).chain(split..back).collect();
        taken.permute(&order).check().cloned()
    }
}

/// All arrays of an indexing, for errors.
fn named<'a>(array: &'a Array, selectors: &[Selector<'a>]) -> Vec<(&'static str, &'a Array)> {
    let arrays = selectors.iter().filter_map(|selector| match selector {
        Selector::Array(index) => Some(("index", *index)),
        Selector::Index(_) => None,
    });
    std::iter::once(("array", array)).chain(arrays).collect()
}

/// A copy of which a view is replaced.
struct Replacing {
    map: AxisMap,
}

impl Call for Replacing {
    fn name(&self) -> &'static str {
        "with_index"
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let [x, values] = inputs else {
            return Err(bessemer_core::Error::view("a replacement has two inputs"));
        };
        batch.push(Copy { x: x.clone(), out: out.clone() })?;
        if values.elements() == 0 {
            return Ok(());
        }
        batch.push(Copy { x: values.clone(), out: self.map.apply(out)? })
    }
}

/// A copy of which elements are replaced one by one.
struct Scattering;

impl Call for Scattering {
    fn name(&self) -> &'static str {
        "with_index"
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let [x, values, places] = inputs else {
            return Err(bessemer_core::Error::view("a replacement has three inputs"));
        };
        batch.push(Copy { x: x.clone(), out: out.clone() })?;
        let (x, indices, table) = (values.clone(), places.clone(), out.clone());
        batch.push(Scatter { x, indices, axis: 0, table })
    }
}
