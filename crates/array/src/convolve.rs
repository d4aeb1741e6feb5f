//! Convolutions in one and two dimensions: windows of the input as rows of a matrix, times the weights.

use crate::{
    Array, Error, Pad, Result, build_map::common, call::Call, node::Kind, promote::float_of,
};
use bessemer_core::{Batch, Shape, Strides, View};
use bessemer_ops::Copy;
use smallvec::smallvec;
use std::sync::Arc;

/// How a window moves over `D` dimensions.
///
/// ```
/// # use bessemer_array::{Array, Error};
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
/// use bessemer_array::Convolution;
///
/// let x = Array::arange(&device, 0, 6, 1.0).reshape(&[1, 1, 6]);
/// let weight = Array::new(&device, [[[1.0f32, 2.0]]])?;
/// let every_second = Convolution { stride: [2], ..Convolution::default() };
/// assert_eq!(x.conv1d(&weight, every_second).to_vec::<f32>()?, [2.0, 8.0, 14.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convolution<const D: usize> {
    /// How far it moves.
    pub stride: [usize; D],
    /// Zeros before and behind.
    pub padding: [usize; D],
    /// How far apart the elements of a window are.
    pub dilation: [usize; D],
    /// Into how many groups channels are divided, which know nothing of each other.
    pub groups: usize,
}

impl<const D: usize> Default for Convolution<D> {
    /// Windows side by side without gaps, no padding, and one group.
    fn default() -> Convolution<D> {
        Convolution { stride: [1; D], padding: [0; D], dilation: [1; D], groups: 1 }
    }
}

/// Convolutions as neural networks have them: windows are not turned around.
impl Array {
    /// Of an array of batch, channels and length, with weights of output channels, input channels of a group
    /// and length.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::Convolution;
    /// let x = Array::new(&device, [[[1.0f32, 2.0, 3.0]]])?;
    /// let weight = Array::new(&device, [[[1.0f32, 0.0, -1.0]]])?;
    /// let same = Convolution { padding: [1], ..Convolution::default() };
    /// assert_eq!(x.conv1d(&weight, same).to_vec::<f32>()?, [-2.0, -2.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn conv1d(&self, weight: &Array, how: Convolution<1>) -> Array {
        self.convolve("conv1d", weight, how)
    }

    /// Of an array of batch, channels, height and width, with weights of output channels, input channels of
    /// a group, height and width.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::Convolution;
    /// let x = Array::arange(&device, 0, 9, 1.0).reshape(&[1, 1, 3, 3]);
    /// let weight = Array::ones(&device, &[1, 1, 2, 2], x.dtype());
    /// let y = x.conv2d(&weight, Convolution::default());
    /// assert_eq!(y.to_vec::<f32>()?, [8.0, 12.0, 20.0, 24.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn conv2d(&self, weight: &Array, how: Convolution<2>) -> Array {
        self.convolve("conv2d", weight, how)
    }

    fn convolve<const D: usize>(
        &self,
        op: &'static str,
        weight: &Array,
        how: Convolution<D>,
    ) -> Array {
        let named = [("x", self), ("weight", weight)];
        Array::build(op, &named, || {
            let sizes = Sizes::new(op, self, weight, how)?;
            let dtype = float_of(common(op, &named)?);
            let mut widths = vec![(0, 0); 2];
            widths.extend(how.padding.map(|zeros| (zeros, zeros)));
            let x = match how.padding == [0; D] {
                true => self.cast(dtype),
                false => self.cast(dtype).pad(&widths, Pad::Constant(0.into())),
            };
            let Convolution { groups, .. } = how;
            let Sizes { batch, outputs, ref inputs, ref places, ref window } = sizes;
            // Groups, batch and places; then channels and the elements of a window.
            let dims = [&[groups, batch], &**places, &[*inputs], window].concat();
            let kind = Kind::Call(Arc::new(Windows::<D> { how }));
            let windows =
                Array::lazy(dtype, Shape::new(&dims)?, kind, smallvec![x.check()?.clone()]);
            let count = |sizes: &[usize]| sizes.iter().product::<usize>();
            let (rows, depth) = (batch * count(places), inputs * count(window));
            let windows = windows.reshape_to(Shape::new(&[groups, rows, depth])?)?;
            let each = outputs / groups;
            let weight = weight.cast(dtype).reshape_to(Shape::new(&[groups, each, depth])?)?;
            let product = windows.matmul(&weight.swap_axes(1, 2));
            let dims = [&[groups, batch], &**places, &[each]].concat();
            let product = product.check()?.reshape_to(Shape::new(&dims)?)?;
            // Batch, groups, outputs of each, places.
            let order: Vec<isize> =
                [1, 0, D as isize + 2].into_iter().chain(2..D as isize + 2).collect();
            let dims = [&[batch, outputs], &**places].concat();
            product.permute(&order).check()?.reshape_to(Shape::new(&dims)?)
        })
    }
}

/// The sizes of a convolution.
struct Sizes {
    batch: usize,
    outputs: usize,
    /// Input channels of a group.
    inputs: usize,
    /// Where windows are.
    places: Vec<usize>,
    window: Vec<usize>,
}

impl Sizes {
    fn new<const D: usize>(
        op: &'static str,
        x: &Array,
        weight: &Array,
        how: Convolution<D>,
    ) -> Result<Sizes> {
        let refuse = |rule: String| Err(Error::rule(op, rule, &[("x", x), ("weight", weight)]));
        if x.rank() != D + 2 || weight.rank() != D + 2 {
            return refuse(format!("x and weight must have rank {}", D + 2));
        }
        if how.groups == 0 || how.stride.contains(&0) || how.dilation.contains(&0) {
            return refuse("groups, stride and dilation must be at least 1".into());
        }
        let (batch, channels) = (x.shape()[0], x.shape()[1]);
        let (outputs, inputs) = (weight.shape()[0], weight.shape()[1]);
        if inputs * how.groups != channels {
            return refuse(format!(
                "x has {channels} channels, but weight is for {inputs} in each of {} groups",
                how.groups
            ));
        }
        if !outputs.is_multiple_of(how.groups) {
            return refuse(format!(
                "{outputs} outputs are not a multiple of {} groups",
                how.groups
            ));
        }
        let window = weight.shape()[2..].to_vec();
        let mut places = Vec::new();
        for (axis, &width) in window.iter().enumerate() {
            let size = how.padding[axis].saturating_mul(2).saturating_add(x.shape()[axis + 2]);
            let reach =
                how.dilation[axis].saturating_mul(width.saturating_sub(1)).saturating_add(1);
            let Some(room) = size.checked_sub(reach).filter(|_| width > 0) else {
                return refuse(format!(
                    "a window of {reach} does not fit into {size} elements of dimension {axis}"
                ));
            };
            places.push(room / how.stride[axis] + 1);
        }
        Ok(Sizes { batch, outputs, inputs, places, window })
    }
}

/// All windows of an array, side by side.
struct Windows<const D: usize> {
    how: Convolution<D>,
}

impl<const D: usize> Call for Windows<D> {
    fn name(&self) -> &'static str {
        "windows"
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let [x] = inputs else {
            return Err(bessemer_core::Error::view("windows have one input"));
        };
        let channels = (x.shape()[1] / self.how.groups) as isize;
        let steps = x.strides();
        let moved = (0..D).map(|axis| steps[axis + 2] * self.how.stride[axis] as isize);
        let within = (0..D).map(|axis| steps[axis + 2] * self.how.dilation[axis] as isize);
        let mut strides = vec![steps[1] * channels, steps[0]];
        strides.extend(moved);
        strides.push(steps[1]);
        strides.extend(within);
        let windows =
            View::at(x.buffer(), x.dtype(), *out.shape(), Strides::new(&strides)?, x.offset())?;
        batch.push(Copy { x: windows, out: out.clone() })
    }
}
