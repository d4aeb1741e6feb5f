//! Functions of single numbers without branches: a loop over a slice that calls them inside a
//! [`Kernel`](crate::Kernel) becomes vector code.

mod exp;
mod turn;

pub use exp::exp;
pub use turn::{sin_cos_turns, whole_and_part};
