//! Holds every device to the reference, op by op.
//!
//! The cases themselves lie with their ops ([`bessemer_ops::cases`]); here is how one is judged.
//! The same list is what `cargo test` runs, what `bessemer check` shows, what `auto` trusts, and
//! what the table of supported ops is made of.

mod judge;

pub use judge::{Failure, judge};
