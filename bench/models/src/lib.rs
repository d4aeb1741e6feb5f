//! What the benches of language models share: both sides are processes of their own (`peer`, of
//! which `ours` is one) that work in turn (`rounds`), beside what memory could do (`bandwidth`).

pub mod bandwidth;
pub mod line;
pub mod ours;
pub mod peer;
pub mod quantized;
pub mod rounds;
