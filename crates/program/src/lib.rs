//! Programs: the instruction set in which elementwise ops, reductions and your own kernels are
//! written.
//!
//! A [`Program`] is a typed, structured register program. It is built with a [`Builder`] or parsed
//! from text ([`Program::parse`]), verified when it is built, and means the same on every device: a
//! vectorised interpreter runs it on the CPU ([`cpu`]), and [`msl`] and [`wgsl`] generate GPU source. `docs/programs.md` describes the instructions and the text form. Ops bind
//! programs to memory.
//!
//! ```
//! use bessemer_program::{Form, Program};
//!
//! let text = "program axpy(in view x: f32, inout view y: f32, uniform a: f32) {
//!     %x = load x[@]
//!     %y = load y[@]
//!     %z = fma a, %x, %y
//!     store y[@], %z
//! }";
//! let program = Program::parse("axpy.bp", text)?;
//! assert_eq!((program.name(), program.form(), program.flops()), ("axpy", Form::Map, 2));
//! # Ok::<(), bessemer_program::Error>(())
//! ```

mod builder;
pub mod cpu;
mod error;
mod inst;
mod intern;
mod literal;
pub mod msl;
mod program;
pub mod reference;
mod rules;
mod scalar;
mod text;
mod types;
mod verify;
pub mod wgsl;

pub use builder::{Builder, MAX_DEPTH, MAX_INSTRUCTIONS, MAX_PARAMS, MAX_REGISTERS};
pub use error::{Error, Result};
pub use inst::{
    Atomic, Binary, Compare, Fold, Index, Inst, Operand, ParamId, Place, Reg, Scope, SharedId,
    Unary,
};
pub use literal::Literal;
pub use program::{
    Direction, Form, LaunchConfig, MAX_ROUNDS, MAX_THREADS, Param, ParamKind, Program, SIMD_WIDTH,
    Shared,
};
pub use types::Type;
pub use verify::MAX_SHARED_BYTES;
