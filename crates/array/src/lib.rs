//! Lazy n-dimensional arrays on any device.
//!
//! [`Array`] is the whole of it: creation, NumPy's broadcasting, indexing and slicing, arithmetic,
//! reductions, products, `.npy` files and printing. Arithmetic only notes down what is to be done;
//! when elements are asked for, chains of it become fused programs (`bessemer-program`) and run as
//! one batch. [`Quantized`] are weights in block formats beside them. Kernels and devices do not
//! live here.

mod array;
mod axes;
mod axis_map;
mod call;
mod compare;
mod create;
mod display;
mod error;
mod eval;
mod gather;
mod index;
mod item;
mod join;
mod maps;
mod movement;
mod nested;
mod node;
mod npy;
mod operand;
mod operators;
mod product;
mod promote;
mod quantized;
mod random;
mod read;
mod reduce;
mod scalar;
mod softmax;

pub use array::Array;
pub use axes::Axes;
pub use error::{Error, Result};
pub use index::Index;
pub use item::Item;
pub use nested::Nested;
pub use operand::Operand;
pub use promote::promote;
pub use quantized::Quantized;
pub use scalar::{Number, Scalar};
