//! Model files: [GGUF](Gguf), [safetensors](Safetensors) and [PyTorch's](Pth), memory-mapped and fully checked when
//! opened, so that every tensor is known to be within its file.
//!
//! What the numbers mean, tokenizers and templates live elsewhere.

mod atomic;
pub mod gguf;
mod map;
mod model;
mod names;
pub mod pth;
pub(crate) mod read;
pub mod rwkv;
pub mod safetensors;
#[cfg(unix)]
mod sigbus;
mod tensors;

pub use atomic::AtomicFile;
pub use gguf::{Gguf, GgufWriter};
pub(crate) use map::Mapped;
pub use model::ModelFile;
pub use pth::Pth;
pub use safetensors::{Config, Safetensors};
pub use tensors::{Tensor, Tensors};
