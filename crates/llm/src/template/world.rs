//! The chat format of RWKV's world models. Files of theirs often have no template, or only its name.

/// What files say that have its name in place of a template.
pub(super) const NAME: &str = "rwkv-world";

/// The format as a template. Empty lines within messages are left out, as in the texts that the models
/// learned from: one would end the turn, and what follows could speak as somebody else.
pub(crate) const SOURCE: &str = include_str!("world.jinja");
