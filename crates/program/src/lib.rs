//! Programs: the instruction set that elementwise and reduction ops, and kernels of your own, are
//! written in.
//!
//! A [`Program`] is a typed, structured register program. It is made by a [`Builder`] or read
//! from text ([`Program::parse`]), verified as it is made, and runs on every device with one
//! meaning. `docs/programs.md` describes the instructions and the text form. How programs are
//! bound to arrays is the business of ops.

mod builder;
pub mod cpu;
mod error;
mod inst;
mod intern;
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
pub use program::{
    Direction, Form, LaunchConfig, MAX_ROUNDS, MAX_THREADS, Param, ParamKind, Program, SIMD_WIDTH,
    Shared,
};
pub use types::{Literal, Type};
pub use verify::MAX_SHARED_BYTES;
