//! Mixers: the part of a layer that combines tokens with earlier ones, such as attention.
//!
//! A layer is norm → mixer → norm → feed-forward. One file per mixer has all of it: its memory
//! ([`Slot`]s), its workspace ([`Scratch`]), its weights and its ops. To add
//! one, write such a file and list it in [`MixerKind`].

mod attention;
mod maps;
#[cfg(test)]
pub(crate) mod running_sum;
mod rwkv;
mod short_conv;

pub use attention::AttentionKind;
pub use rwkv::{ChannelMixKind, Rwkv4Kind, Rwkv5Kind, Rwkv6Kind, Rwkv7Kind};
pub use short_conv::ShortConvKind;

use super::{
    Config, Model,
    weights::Assembly,
    workspace::{Scratch, Workspace},
};
use crate::{
    Result,
    state::{Memory, Slot},
};
use bessemer_core::{Batch, DType};
use std::fmt;

/// How a layer lets each token learn from those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MixerKind {
    /// Attention: keys and values of all tokens are kept.
    Attention(AttentionKind),
    /// The recurrence of RWKV 4.
    Rwkv4(Rwkv4Kind),
    /// The recurrence of RWKV 5.
    Rwkv5(Rwkv5Kind),
    /// The recurrence of RWKV 6.
    Rwkv6(Rwkv6Kind),
    /// The recurrence of RWKV 7.
    Rwkv7(Rwkv7Kind),
    /// A convolution over a few tokens.
    ShortConv(ShortConvKind),
    /// A recurrence that is simple enough to be checked by hand.
    #[cfg(test)]
    RunningSum(running_sum::RunningSumKind),
}

impl MixerKind {
    pub(crate) fn spec(&self) -> &dyn MixerSpec {
        match self {
            MixerKind::Attention(kind) => kind,
            MixerKind::Rwkv4(kind) => kind,
            MixerKind::Rwkv5(kind) => kind,
            MixerKind::Rwkv6(kind) => kind,
            MixerKind::Rwkv7(kind) => kind,
            MixerKind::ShortConv(kind) => kind,
            #[cfg(test)]
            MixerKind::RunningSum(kind) => kind,
        }
    }
}

/// What is known of a mixer before its weights are loaded: enough to estimate its memory.
pub(crate) trait MixerSpec {
    /// What a layer with it remembers of a text. `cache` is how entries per token are stored.
    fn memory(&self, config: &Config, cache: DType) -> Vec<Slot>;

    /// What a pass works in. Layers share what has the same name.
    fn scratch(&self, config: &Config) -> Vec<Scratch>;

    /// The slot that state tuning trains, `[1, heads, keys, values]`, if there is one.
    fn tuned(&self) -> Option<&'static str> {
        None
    }

    /// Finds the weights of layer `number`.
    fn load(&self, model: &mut Assembly<'_>, number: usize) -> Result<Box<dyn Mixer>>;
}

/// A mixer with its weights.
pub(crate) trait Mixer: fmt::Debug + Send + Sync {
    /// Pushes the ops that take the rows of `work`, which follow what `memory` holds: from
    /// `work.normed` to `work.added`. Afterwards `memory` holds these tokens too.
    ///
    /// With `work.alone`, each row must get the bits it would get in a pass of its own. Tokens and
    /// positions are read when the batch runs; nothing may depend on them now.
    fn mix(
        &self,
        model: &Model,
        batch: &mut Batch,
        work: &Workspace,
        memory: &Memory,
    ) -> Result<()>;
}
