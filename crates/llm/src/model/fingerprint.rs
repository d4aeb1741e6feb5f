//! A cheap fingerprint of a model: a saved state can only be restored by the same model.

use super::Config;
use crate::files::Tensors;
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// How many bytes of the beginning and of the middle of each tensor count. All of them would mean to
/// read the whole file before the first token.
const SAMPLE: usize = 64;

/// A number for a configuration and the tensors that it uses. It is the same on every device.
pub(super) fn of(config: &Config, tensors: &Tensors, used: &HashSet<String>) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(format!("{config:?}"));
    let mut names: Vec<&String> = used.iter().collect();
    names.sort();
    for tensor in names.into_iter().filter_map(|name| tensors.get(name)) {
        hash.update(format!("\n{} {} {}\n", tensor.name, tensor.dtype, tensor.shape));
        let bytes = tensors.bytes(tensor);
        for at in [0, bytes.len() / 2] {
            hash.update(&bytes[at..bytes.len().min(at + SAMPLE)]);
        }
    }
    hash.finalize().into()
}
