//! What the benches on softmetal share: a device that counts (`soft`), and what one token of a
//! language model takes of it (`token`).
#![cfg(unix)]

pub mod soft;
pub mod token;
