//! What no other API has: tokens of texts, texts of tokens, and the state of texts, in and out.

mod state;
pub(crate) mod tokens;

pub(crate) use state::{States, create_state, delete_state, get_state};
pub(crate) use tokens::{DetokenizeRequest, TokenizeRequest, detokenize, tokenize};
