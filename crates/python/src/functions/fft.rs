//! Fourier transforms: `bessemer.fft`. They are computed on the CPU, also for arrays of GPUs.

use crate::{
    array::Out,
    device::DeviceArg,
    dtype::DTypeArg,
    errors::{type_error, value_error},
    operand::{ArrayArg, AxesArg},
};
use bessemer::{Array, DType, array::Normalization};
use pyo3::prelude::*;

/// How a transform and its inverse are scaled.
struct Norm(Normalization);

impl<'py> FromPyObject<'_, 'py> for Norm {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<String>().as_deref() {
            Ok("backward") => Ok(Norm(Normalization::Backward)),
            Ok("ortho") => Ok(Norm(Normalization::Ortho)),
            Ok("forward") => Ok(Norm(Normalization::Forward)),
            _ => Err(value_error(format!(
                "norm: {} is unknown; use \"backward\", \"ortho\" or \"forward\"",
                object.repr()?
            ))),
        }
    }
}

macro_rules! along_one {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(
            signature = (x, /, *, n = None, axis = -1, norm = Norm(Normalization::Backward)),
            text_signature = "(x, /, *, n=None, axis=-1, norm='backward')"
        )]
        fn $name(x: ArrayArg, n: Option<usize>, axis: isize, norm: Norm) -> Out {
            Out(x.0.$name(n, axis, norm.0))
        }
    )*};
}

along_one! {
    /// The Fourier transform along an axis, of its first `n` elements, or of more with zeros behind.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.real(bm.fft.fft(bm.array([1.0, 0.0, 0.0])))
    /// array([1., 1., 1.], dtype=float32)
    fft;
    /// The inverse of `fft`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.real(bm.fft.ifft(bm.array([1.0, 1.0])))
    /// array([1., 0.], dtype=float32)
    ifft;
    /// The Fourier transform of real numbers along an axis: the half of it that the other half follows from.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.fft.rfft(bm.ones(4)).shape
    /// (3,)
    rfft;
    /// The inverse of `rfft`: `n` real numbers, by default an even number of them.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.fft.irfft(bm.fft.rfft(bm.array([1.0, 2.0])))
    /// array([1., 2.], dtype=float32)
    irfft;
    /// The Fourier transform of numbers of which the second half is the conjugate of the first in reverse:
    /// real numbers.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.fft.hfft(bm.array([1.0, 2.0, 3.0]))
    /// array([ 8., -2.,  0., -2.], dtype=float32)
    hfft;
    /// The inverse of `hfft`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.real(bm.fft.ihfft(bm.array([8.0, -2.0, 0.0, -2.0])))
    /// array([1., 2., 3.], dtype=float32)
    ihfft;
}

/// Each axis with its size: of those given, or all.
fn pairs(
    x: &Array,
    s: Option<Vec<usize>>,
    axes: Option<AxesArg>,
) -> PyResult<Vec<(isize, Option<usize>)>> {
    let rank = x.rank() as isize;
    let axes = match (axes, &s) {
        (Some(axes), _) => axes.0,
        (None, Some(s)) => (rank - s.len() as isize..rank).collect(),
        (None, None) => (0..rank).collect(),
    };
    match s {
        Some(s) if s.len() != axes.len() => {
            Err(value_error(format!("s: {} sizes are given for {} axes", s.len(), axes.len())))
        }
        Some(s) => Ok(axes.into_iter().zip(s.into_iter().map(Some)).collect()),
        None => Ok(axes.into_iter().map(|axis| (axis, None)).collect()),
    }
}

macro_rules! along_several {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(
            signature = (x, /, *, s = None, axes = None, norm = Norm(Normalization::Backward)),
            text_signature = "(x, /, *, s=None, axes=None, norm='backward')"
        )]
        fn $name(
            x: ArrayArg,
            s: Option<Vec<usize>>,
            axes: Option<AxesArg>,
            norm: Norm,
        ) -> PyResult<Out> {
            let pairs = pairs(&x.0, s, axes)?;
            Ok(Out(x.0.$name(&pairs, norm.0)))
        }
    )*};
}

along_several! {
    /// The Fourier transform along axes, or along all.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.real(bm.fft.fftn(bm.ones((2, 2))))
    /// array([[4., 0.],
    ///        [0., 0.]], dtype=float32)
    fftn;
    /// The inverse of `fftn`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.fft.ifftn(bm.ones((2, 3))).shape
    /// (2, 3)
    ifftn;
    /// The Fourier transform of real numbers along axes: of the last one, the half that the other half
    /// follows from.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.fft.rfftn(bm.ones((2, 4))).shape
    /// (2, 3)
    rfftn;
    /// The inverse of `rfftn`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.fft.irfftn(bm.ones((2, 3))).shape
    /// (2, 4)
    irfftn;
}

macro_rules! frequencies {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(
            signature = (n, /, *, d = 1.0, dtype = None, device = None),
            text_signature = "(n, /, *, d=1.0, dtype=None, device=None)"
        )]
        fn $name(
            py: Python<'_>,
            n: usize,
            d: f64,
            dtype: Option<DTypeArg>,
            device: Option<DeviceArg>,
        ) -> PyResult<Out> {
            let device = DeviceArg::or_current(py, device)?;
            let dtype = dtype.map_or(DType::F32, |dtype| dtype.0);
            if !dtype.is_float() {
                let name = crate::dtype::Row::of(dtype).name;
                let text = format!("{}: the dtype is {name}; use one of floats", stringify!($name));
                return Err(type_error(text));
            }
            Ok(Out(Array::$name(&device, n, d, dtype)))
        }
    )*};
}

frequencies! {
    /// The frequencies of the elements of `fft` of `n` elements that are `d` apart.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.fft.fftfreq(4)
    /// array([ 0.  ,  0.25, -0.5 , -0.25], dtype=float32)
    fftfreq;
    /// The frequencies of the elements of `rfft` of `n` elements that are `d` apart.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.fft.rfftfreq(4)
    /// array([0.  , 0.25, 0.5 ], dtype=float32)
    rfftfreq;
}

macro_rules! shifts {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (x, /, *, axes = None))]
        fn $name(x: ArrayArg, axes: Option<AxesArg>) -> Out {
            let all = || (0..x.0.rank() as isize).collect();
            Out(x.0.$name(&axes.map_or_else(all, |axes| axes.0)))
        }
    )*};
}

shifts! {
    /// With the frequency 0 moved to the middle of axes, or of all.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.fft.fftshift(bm.array([0, 1, 2, -2, -1]))
    /// array([-2, -1,  0,  1,  2])
    fftshift;
    /// The inverse of `fftshift`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.fft.ifftshift(bm.array([-2, -1, 0, 1, 2]))
    /// array([ 0,  1,  2, -2, -1])
    ifftshift;
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add_as!(module "_fft_": fft ifft rfft irfft hfft ihfft fftn ifftn rfftn irfftn fftfreq rfftfreq fftshift
        ifftshift)
}
