//! The bytes of a saved state, all numbers little-endian:
//!
//! | | |
//! | --- | --- |
//! | magic | 8 bytes, [`MAGIC`] |
//! | version | `u32`, [`VERSION`] |
//! | model | 32 bytes, [`Model::fingerprint`](crate::Model) |
//! | long | `u8`: 1 if keys were made with the rotary embeddings of long contexts |
//! | tokens | `u64`: how many |
//! | layers | `u32`, then for each a `u32` number of slots, then for each slot name and dtype (a `u8` length and as many bytes each), a `u8` rank and `u64` sizes |
//! | text | a `u32` for each token |
//! | check | `u32`: the CRC-32 of all before |
//! | data | the numbers of each slot, as its dtype stores them; of slots with an entry per token only those of the text |
//! | check | `u32`: the CRC-32 of the data |

use super::{State, memory::Memory};
use crate::{Error, Result};
use bessemer_core::{Shape, View};

pub(super) const MAGIC: &[u8; 8] = b"BSMSTATE";
pub(super) const VERSION: u32 = 1;

/// The most bytes that are held at once.
const PIECE: usize = 1 << 20;

/// What a slot says of itself in the header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Described {
    pub(super) name: String,
    pub(super) dtype: String,
    pub(super) dims: Vec<u64>,
}

impl Described {
    /// The slots of each layer of `state`, if its text had `tokens`.
    pub(super) fn of(state: &State, tokens: usize) -> Result<Vec<Vec<Described>>> {
        let layer = |memory: &Memory| {
            let slots = memory.slots().iter().map(|(slot, _)| {
                let dims = slot.shape(tokens)?.iter().map(|&dim| dim as u64).collect();
                let (name, dtype) = (slot.name.to_owned(), slot.dtype.to_string());
                Ok(Described { name, dtype, dims })
            });
            slots.collect()
        };
        state.layers.iter().map(layer).collect()
    }
}

/// Where the data of a text of `tokens` lies on the device: contiguous pieces, in the order they are
/// saved, none of them large.
pub(super) fn pieces(state: &State, tokens: usize) -> Result<Vec<View>> {
    let mut pieces = Vec::new();
    for (slot, view) in state.layers.iter().flat_map(Memory::slots) {
        // Both sorts as `[outer, rows, inner]`, where each `[rows, inner]` is contiguous.
        let (view, rows) = match slot.is_fixed() {
            false => (view.clone(), tokens),
            true => {
                let (rows, width) = (view.shape().rows(), view.shape().width());
                let flat = view.reshape(Shape::new(&[1, rows, width])?)?;
                (flat.expect("slots are contiguous"), rows)
            }
        };
        let row = slot.dtype.bytes_for(view.shape()[2]).unwrap_or(0).max(1);
        let step = (PIECE / row).max(1);
        for outer in 0..view.shape()[0] {
            let part = view.narrow(0, outer..outer + 1)?;
            for first in (0..rows).step_by(step) {
                pieces.push(part.narrow(1, first..rows.min(first + step))?);
            }
        }
    }
    Ok(pieces)
}

pub(super) fn refuse(action: &str, why: impl AsRef<str>) -> Error {
    Error::State(format!("{action}: {}", why.as_ref()))
}
