//! Lazy n-dimensional arrays on any device.
//!
//! [`Array`] has everything: creation, NumPy's broadcasting, indexing and slicing, arithmetic,
//! reductions, products, `.npy` files and printing. Arithmetic only builds a graph;
//! when elements are read, chains of it become fused programs (`bessemer-program`) and run as one
//! batch. [`Quantized`] holds weights in block formats. Kernels and devices are not here.
//!
//! ```
//! use bessemer_array::{Array, s};
//! use bessemer_core::Device;
//! use bessemer_cpu::Cpu;
//! use std::sync::Arc;
//!
//! let device: Arc<dyn Device> = Arc::new(Cpu::open(Default::default())?);
//! let a = Array::arange(&device, 0, 12, 1).reshape(&[3, 4]);
//! let centred = &a - &a.mean_keepdim(0);
//! assert_eq!(centred.slice(s![-1, ..]).to_vec::<f32>()?, [4.0; 4]);
//! assert_eq!(centred.square().sum_all().item::<f32>()?, 128.0);
//! # Ok::<(), bessemer_array::Error>(())
//! ```

mod advanced;
mod along;
mod array;
mod attention;
mod axes;
mod axis_map;
mod build_map;
mod call;
mod compare;
mod complex;
mod complex_functions;
mod constant;
mod convolve;
mod create;
mod cumulative;
mod devices;
mod display;
mod einsum;
mod error;
mod eval;
#[cfg(feature = "fft")]
mod fft;
mod gather;
mod index;
mod integers;
mod item;
mod join;
#[cfg(feature = "linalg")]
mod linalg;
mod maps;
mod movement;
mod nested;
mod node;
mod normalize;
mod npy;
mod operand;
mod operators;
mod order;
mod pad;
mod power;
mod product;
mod products;
mod program;
mod promote;
mod quantized;
mod random;
mod ranges;
mod read;
mod real;
mod rearrange;
mod reduce;
mod scalar;
mod select;
mod softmax;
mod spread;
mod unique;

pub use advanced::Selector;
pub use array::Array;
pub use attention::Attention;
pub use axes::Axes;
pub use convolve::Convolution;
pub use error::{Error, Result};
#[cfg(feature = "fft")]
pub use fft::Normalization;
pub use index::Index;
pub use item::Item;
#[cfg(feature = "linalg")]
pub use linalg::{MatrixNorm, VectorNorm};
pub use nested::Nested;
pub use operand::Operand;
pub use order::Side;
pub use pad::Pad;
pub use promote::promote;
pub use quantized::Quantized;
pub use scalar::{Number, Scalar};
pub use unique::Unique;
