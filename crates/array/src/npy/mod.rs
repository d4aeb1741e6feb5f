//! `.npy` files in and out.

mod header;
mod read;
mod write;

/// What every file starts with.
const MAGIC: &[u8; 6] = b"\x93NUMPY";
