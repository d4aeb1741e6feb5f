//! Machines with no vector kernels of their own.

/// How levels and scales come into vectors: there are none.
pub trait Vectors {}
