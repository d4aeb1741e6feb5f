//! Programs as MSL. A map-form program becomes a function of one element, which ops put their kernels
//! around ([`Element`]); a kernel-form program becomes a whole kernel ([`kernel`]). Ops bind the
//! memory and choose the number of threads.
//!
//! Errors that fail a launch on the CPU cannot fail one here: an index out of bounds reads 0 and writes
//! nothing, and loops end after [`MAX_ROUNDS`](crate::MAX_ROUNDS) iterations.

mod body;
mod element;
mod helpers;
mod kernel;

pub use body::name as type_name;
pub use element::{Element, Groups, is_numbered};
pub use kernel::kernel;

use bessemer_core::DType;

/// What the GPU knows beyond what all of them do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dialect {
    /// Whether there is the type `bfloat`.
    pub bf16: bool,
    /// Whether 32 threads run in lockstep and can fold their values.
    pub simd: bool,
}

/// The start of every text.
pub const HEAD: &str = "#include <metal_stdlib>\nusing namespace metal;\n";

/// The type of elements stored as `dtype`. GPUs have no `double`: ops refuse programs with `f64`.
pub fn storage(dtype: DType, dialect: Dialect) -> &'static str {
    match dtype {
        DType::F16 => "half",
        DType::BF16 if dialect.bf16 => "bfloat",
        DType::BF16 => "ushort",
        DType::I32 => "int",
        DType::U32 => "uint",
        DType::U8 | DType::Bool => "uchar",
        DType::I8 => "char",
        DType::I16 => "short",
        DType::U16 => "ushort",
        DType::I64 => "long",
        DType::U64 => "ulong",
        _ => "float",
    }
}

/// The value of an element as registers hold it.
pub fn loaded(dtype: DType, dialect: Dialect, element: &str) -> String {
    match dtype {
        DType::F16 => format!("float({element})"),
        DType::BF16 if dialect.bf16 => format!("float({element})"),
        DType::BF16 => format!("from_bf16({element})"),
        DType::U8 | DType::U16 => format!("uint({element})"),
        DType::I8 | DType::I16 => format!("int({element})"),
        DType::Bool => format!("({element} != 0)"),
        _ => element.to_owned(),
    }
}

/// The value of a register as an element holds it.
pub fn stored(dtype: DType, dialect: Dialect, value: &str) -> String {
    match dtype {
        DType::F16 => format!("half({value})"),
        DType::BF16 if dialect.bf16 => format!("bfloat({value})"),
        DType::BF16 => format!("to_bf16({value})"),
        DType::U8 | DType::Bool | DType::I8 | DType::U16 | DType::I16 => {
            format!("{}({value})", storage(dtype, dialect))
        }
        _ => value.to_owned(),
    }
}

/// A text with the functions it calls put before it.
pub fn with_helpers(text: &str) -> String {
    format!("{HEAD}{}{text}", helpers::of(text))
}
