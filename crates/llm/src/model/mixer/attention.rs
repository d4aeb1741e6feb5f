//! Softmax attention with rotary embeddings, over a KV cache.

use super::{Mixer, MixerSpec};
use crate::{
    Result,
    model::{
        Config, Model,
        forward::together,
        weights::{Assembly, Projection},
        workspace::{Scratch, Workspace},
    },
    state::{Memory, Slot},
};
use bessemer_core::{Batch, DType, Shape, View};
use bessemer_ops::{self as ops, HeadNorms, IntoCache, Pages};

/// How the attention of one layer differs from that of others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttentionKind {
    /// How many tokens it looks back on; `None` is all.
    pub window: Option<usize>,
    /// Which of the model's rotary embeddings it uses.
    pub rope: usize,
}

/// The weights of a layer's attention.
#[derive(Debug)]
struct Attention {
    kind: AttentionKind,
    /// Queries, keys and values, side by side.
    qkv: Vec<Projection>,
    head_norms: Option<HeadNorms>,
    output: Projection,
}

impl MixerSpec for AttentionKind {
    fn memory(&self, config: &Config, cache: DType) -> Vec<Slot> {
        // Each head from token to token without a gap: attention streams it from end to end.
        let slot = |name| Slot::per_token(name, cache, config.kv_heads, config.head_size);
        vec![slot("keys"), slot("values")]
    }

    fn scratch(&self, config: &Config) -> Vec<Scratch> {
        let Config { heads, kv_heads, head_size, .. } = *config;
        vec![
            Scratch::new("qkv", (heads + 2 * kv_heads) * head_size),
            // Queries, turned by their positions.
            Scratch::new("turned", heads * head_size),
            Scratch::new("attended", heads * head_size),
        ]
    }

    fn load(&self, model: &mut Assembly<'_>, number: usize) -> Result<Box<dyn Mixer>> {
        let Config { hidden, heads, kv_heads, head_size, head_norms, .. } = *model.config;
        let (q, kv) = (heads * head_size, kv_heads * head_size);
        let parts = model.names.parts;
        let names = model.names;
        let name = |part: &str| names.of_layer(number, part);
        let apart = [(name(parts.q), q), (name(parts.k), kv), (name(parts.v), kv)];
        Ok(Box::new(Attention {
            kind: *self,
            qkv: model.side_by_side(Some(&name(parts.qkv)), &apart, hidden)?,
            head_norms: match head_norms {
                true => Some(HeadNorms {
                    q: model.norm_weight(&name(parts.q_norm), head_size)?,
                    k: model.norm_weight(&name(parts.k_norm), head_size)?,
                    epsilon: model.config.norm_epsilon,
                }),
                false => None,
            },
            output: model.projection(&name(parts.attention_output), hidden, q)?,
        }))
    }
}

impl Mixer for Attention {
    fn mix(
        &self,
        model: &Model,
        batch: &mut Batch,
        work: &Workspace,
        memory: &Memory,
    ) -> Result<()> {
        let Config { heads, kv_heads, head_size, .. } = model.config;
        let qkv = work.scratch("qkv")?;
        work.side_by_side(batch, &self.qkv, &work.normed, &qkv)?;
        let all = in_heads(&qkv, heads + 2 * kv_heads, head_size)?;
        let rope = &model.weights.ropes[self.kind.rope];
        let (keys, values) = (memory.slot("keys"), memory.slot("values"));
        let frequencies = rope.within(memory.capacity());
        let turned = in_heads(&work.scratch("turned")?, heads, head_size)?;
        batch.push(IntoCache {
            q: all.narrow(1, 0..heads)?,
            k: all.narrow(1, heads..heads + kv_heads)?,
            v: all.narrow(1, heads + kv_heads..heads + 2 * kv_heads)?,
            norms: self.head_norms.clone(),
            positions: work.positions.clone(),
            frequencies: frequencies.per_pair.clone(),
            magnitude: frequencies.magnitude,
            pairs: rope.pairs,
            slots: work.pages.as_ref().map(|pages| pages.slots.clone()),
            keys: keys.clone(),
            values: values.clone(),
            out: turned.clone(),
        })?;
        let attended = in_heads(&work.scratch("attended")?, heads, head_size)?;
        // Rows with pages are each summed as if alone anyway.
        let most = (work.alone && work.pages.is_none()).then_some(1);
        for rows in together(work.rows(), most) {
            batch.push(ops::Attention {
                q: turned.narrow(0, rows.clone())?,
                k: keys.clone(),
                v: values.clone(),
                positions: Some(work.positions.narrow(0, rows.clone())?),
                pages: work.pages.as_ref().map(|pages| Pages {
                    table: pages.table.clone(),
                    texts: pages.texts.clone(),
                    len: pages.len,
                }),
                window: self.kind.window,
                scale: model.config.attention_scale,
                soft_cap: model.config.attention_cap,
                out: attended.narrow(0, rows)?,
            })?;
        }
        work.project(batch, &self.output, &work.scratch("attended")?, &work.added)
    }
}

/// `[rows, heads * head_size]` as `[rows, heads, head_size]`.
fn in_heads(view: &View, heads: usize, head_size: usize) -> Result<View> {
    let shape = Shape::new(&[view.shape()[0], heads, head_size])?;
    let view = view.reshape(shape)?;
    Ok(view.expect("splitting the last dimension needs no copy"))
}
