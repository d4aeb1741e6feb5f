//! RWKV: recurrences whose memory of a text has one size. One file per version has its time mix;
//! `channel_mix` is the feed-forward part of all of them.
//!
//! Tensors are those of GGUF files: `lerp` is how much of the token before is in a mix.

mod channel_mix;
mod v4;
mod v5;
mod v6;
mod v7;

pub use channel_mix::ChannelMixKind;
pub use v4::Rwkv4Kind;
pub use v5::Rwkv5Kind;
pub use v6::Rwkv6Kind;
pub use v7::Rwkv7Kind;

use super::maps;
use crate::{
    Result,
    model::{
        Config,
        weights::{Assembly, Norm, Projection},
        workspace::Workspace,
    },
    state::Slot,
};
use bessemer_core::{Batch, DType, Shape, View};
use bessemer_ops::{GroupNorm, TokenShift};

/// The last token's input to the time mix.
const SHIFT: &str = "shift";
/// The recurrence's own memory.
const WKV: &str = "wkv";

/// The memory of the token before.
fn shift_slot(name: &'static str, config: &Config) -> Slot {
    Slot::fixed(name, DType::F32, shape(&[1, config.hidden]))
}

/// A matrix per head.
fn heads_slot(config: &Config) -> Slot {
    let Config { heads, head_size: size, .. } = *config;
    Slot::fixed(WKV, DType::F32, shape(&[1, heads, size, size]))
}

fn shape(dims: &[usize]) -> Shape {
    Shape::new(dims).expect("sizes of models are checked, and so are their products")
}

/// Pushes the mixes of each token with the one before. `mu` is `[mixes, 1, 1 or rows, hidden]`; they
/// become the first parts of what has the name `out`.
fn mix(
    batch: &mut Batch,
    work: &Workspace,
    state: &View,
    mu: &View,
    update: bool,
    out: &str,
) -> Result<()> {
    let out = work.parts(out).narrow(0, 0..mu.shape()[0])?.unsqueeze(1)?;
    let x = work.normed.unsqueeze(0)?;
    Ok(batch.push(TokenShift { x, state: state.clone(), mu: mu.clone(), update, out })?)
}

/// `[rows, heads * size]` as `[1, rows, heads, size]`.
fn in_heads(view: &View, config: &Config) -> Result<View> {
    let (rows, heads, size) = (view.shape()[0], config.heads, config.head_size);
    let view = view.reshape(shape(&[1, rows, heads, size]))?;
    Ok(view.expect("splitting the last dimension needs no copy"))
}

/// Norms each head of `x`, in place.
fn norm_heads(batch: &mut Batch, config: &Config, norm: &Norm, x: &View) -> Result<()> {
    Ok(batch.push(GroupNorm {
        x: x.clone(),
        groups: config.heads,
        weight: Some(norm.weight.clone()),
        bias: norm.bias.clone(),
        epsilon: config.head_norm_epsilon,
        out: x.clone(),
    })?)
}

/// The projections that all versions have.
#[derive(Debug)]
struct Projections {
    receptance: Projection,
    key: Projection,
    value: Projection,
    output: Projection,
}

impl Projections {
    /// Those of layer `number`, with so many keys and values.
    fn load(model: &mut Assembly<'_>, number: usize, kv: usize) -> Result<Projections> {
        let hidden = model.config.hidden;
        let name = |part: &str| format!("blk.{number}.time_mix_{part}");
        Ok(Projections {
            receptance: model.projection(&name("receptance"), hidden, hidden)?,
            key: model.projection(&name("key"), kv, hidden)?,
            value: model.projection(&name("value"), kv, hidden)?,
            output: model.projection(&name("output"), hidden, hidden)?,
        })
    }
}
