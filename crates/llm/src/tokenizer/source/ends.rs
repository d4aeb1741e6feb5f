//! Tokens that end a turn, by name: files often declare only one of those their model uses.

use crate::tokenizer::added::Added;

const NAMES: [&str; 16] = [
    "</s>",
    "<eos>",
    "<end_of_turn>",
    "<|end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|eot|>",
    "<|eom|>",
    "<|im_end|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|return|>",
    "<|call|>",
    "<｜end▁of▁sentence｜>",
    "<EOT>",
];

/// The declared ends, and the special tokens that are ends by their name.
pub(super) fn ends(added: &[Added], declared: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let named = added
        .iter()
        .filter(|token| token.special && NAMES.contains(&token.content.as_str()))
        .map(|token| token.id);
    let mut ends: Vec<u32> = declared.into_iter().chain(named).collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}
