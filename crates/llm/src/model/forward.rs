//! The forward pass: what a decoder-only transformer does to a few tokens, in terms of ops.

use super::{
    Model,
    cache::Cache,
    config::Config,
    weights::{Layer, Projection},
};
use crate::Result;
use bessemer_core::{Batch, DType, Device, Shape, View};
use bessemer_ops::{AddRmsNorm, Attention, Gated, Gather, Linear, RmsNorm, Rope, Scatter};
use std::ops::Range;

/// What a pass is asked for, besides keys and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    /// Nothing else.
    Nothing,
    /// The last state of each token, in [`Workspace::normed`].
    States,
    /// The logits after the last token.
    Last,
    /// The logits after each token, bit for bit what each would get in a pass of its own.
    Each,
}

/// The most tokens that [`Ask::Each`] takes at once.
pub(crate) const EACH: usize = 8;

/// Where a pass keeps its tokens and all that comes of them, for up to `rows` at a time.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// Which tokens, `U32 [rows]`.
    pub(crate) tokens: View,
    /// Where in the text they are, `U32 [rows]`.
    pub(crate) positions: View,
    /// The state of each token, to which layers add.
    state: View,
    /// After a pass that was asked for it, the normed last state of each token.
    pub(crate) normed: View,
    q: View,
    k: View,
    v: View,
    attended: View,
    added: View,
    gate: View,
    up: View,
    /// `F32 [up to EACH, vocabulary]`: what may come after the last token, or after each.
    pub(crate) logits: View,
    /// Whether each row must be computed as if it were alone: sums in the same order.
    alone: bool,
}

impl Workspace {
    pub(crate) fn new(device: &dyn Device, config: &Config, rows: usize) -> Result<Workspace> {
        let make = |dtype: DType, dims: &[usize]| -> Result<View> {
            let shape = Shape::new(dims)?;
            let bytes = bessemer_core::estimate::tensor(dtype, shape.rows(), shape.width())?;
            Ok(View::new(&device.alloc(bytes)?, dtype, shape)?)
        };
        let floats = |width: usize| make(DType::F32, &[rows, width]);
        Ok(Workspace {
            tokens: make(DType::U32, &[rows])?,
            positions: make(DType::U32, &[rows])?,
            state: floats(config.hidden)?,
            normed: floats(config.hidden)?,
            q: floats(config.heads * config.head_size)?,
            k: floats(config.kv_heads * config.head_size)?,
            v: floats(config.kv_heads * config.head_size)?,
            attended: floats(config.heads * config.head_size)?,
            added: floats(config.hidden)?,
            gate: floats(config.feed_forward)?,
            up: floats(config.feed_forward)?,
            logits: make(DType::F32, &[rows.min(EACH), config.vocabulary])?,
            alone: false,
        })
    }

    /// The rows it has room for.
    pub(crate) fn rows(&self) -> usize {
        self.tokens.elements()
    }

    /// The same memory, of which only some rows are used.
    fn narrow(&self, rows: usize, alone: bool) -> Result<Workspace> {
        let part = |view: &View| view.narrow(0, 0..rows);
        Ok(Workspace {
            tokens: part(&self.tokens)?,
            positions: part(&self.positions)?,
            state: part(&self.state)?,
            normed: part(&self.normed)?,
            q: part(&self.q)?,
            k: part(&self.k)?,
            v: part(&self.v)?,
            attended: part(&self.attended)?,
            added: part(&self.added)?,
            gate: part(&self.gate)?,
            up: part(&self.up)?,
            logits: self.logits.clone(),
            alone,
        })
    }
}

impl Model {
    /// The ops that take the first `rows` tokens of the workspace through the model, leave their
    /// keys and values in the cache, and what is asked for.
    ///
    /// Which tokens and positions they are is read when the batch runs: one batch serves every
    /// token of a text.
    pub(crate) fn pass(
        &self,
        work: &Workspace,
        cache: &Cache,
        rows: usize,
        ask: Ask,
    ) -> Result<Batch> {
        let work = &work.narrow(rows, ask == Ask::Each)?;
        let (weights, epsilon) = (&self.weights, self.config.norm_epsilon);
        let mut batch = Batch::new();
        batch.push(Gather {
            table: weights.embedding.clone(),
            indices: work.tokens.clone(),
            axis: 0,
            out: work.state.clone(),
        })?;
        batch.push(RmsNorm {
            x: work.state.clone(),
            weight: weights.layers[0].attention_norm.clone(),
            epsilon,
            out: work.normed.clone(),
        })?;
        for (number, layer) in weights.layers.iter().enumerate() {
            self.attend(&mut batch, work, cache, number, layer)?;
            add_and_norm(&mut batch, work, &layer.feed_forward_norm, epsilon)?;
            self.feed_forward(&mut batch, work, layer)?;
            let next = weights.layers.get(number + 1).map(|layer| &layer.attention_norm);
            add_and_norm(&mut batch, work, next.unwrap_or(&weights.norm), epsilon)?;
        }
        let asked = match ask {
            Ask::Nothing | Ask::States => rows..rows,
            Ask::Last => rows - 1..rows,
            Ask::Each => 0..rows,
        };
        if !asked.is_empty() {
            let out = work.logits.narrow(0, 0..asked.len())?;
            let last = work.normed.narrow(0, asked)?;
            project(&mut batch, work, &weights.output, &last, &out)?;
        }
        Ok(batch)
    }

    /// `added` becomes what the tokens learn from those before them.
    fn attend(
        &self,
        batch: &mut Batch,
        work: &Workspace,
        cache: &Cache,
        number: usize,
        layer: &Layer,
    ) -> Result<()> {
        let Config { heads, kv_heads, head_size, norm_epsilon: epsilon, .. } = self.config;
        project(batch, work, &layer.q, &work.normed, &work.q)?;
        project(batch, work, &layer.k, &work.normed, &work.k)?;
        project(batch, work, &layer.v, &work.normed, &work.v)?;

        let q = in_heads(&work.q, heads, head_size)?;
        let k = in_heads(&work.k, kv_heads, head_size)?;
        let v = in_heads(&work.v, kv_heads, head_size)?;
        for (x, norm) in [(&q, &layer.q_norm), (&k, &layer.k_norm)] {
            if let Some(weight) = norm.clone() {
                batch.push(RmsNorm { x: x.clone(), weight, epsilon, out: x.clone() })?;
            }
        }
        for x in [&q, &k] {
            batch.push(Rope {
                x: x.clone(),
                positions: work.positions.clone(),
                frequencies: self.weights.frequencies.clone(),
                magnitude: self.weights.magnitude,
                pairs: self.config.rope.pairs,
                out: x.clone(),
            })?;
        }
        let (keys, values) = cache.layer(number);
        for (x, table) in [(&k, keys), (&v, values)] {
            batch.push(Scatter {
                x: x.permute(&[1, 0, 2])?,
                indices: work.positions.clone(),
                axis: 1,
                table: table.clone(),
            })?;
        }
        let attended = in_heads(&work.attended, heads, head_size)?;
        for rows in together(work.rows(), work.alone) {
            batch.push(Attention {
                q: q.narrow(0, rows.clone())?,
                k: keys.clone(),
                v: values.clone(),
                positions: Some(work.positions.narrow(0, rows.clone())?),
                window: self.config.window,
                scale: self.config.attention_scale,
                soft_cap: self.config.attention_cap,
                out: attended.narrow(0, rows)?,
            })?;
        }
        project(batch, work, &layer.attention_output, &work.attended, &work.added)
    }

    /// `added` becomes what the tokens make of it, each by itself.
    fn feed_forward(&self, batch: &mut Batch, work: &Workspace, layer: &Layer) -> Result<()> {
        project(batch, work, &layer.gate, &work.normed, &work.gate)?;
        project(batch, work, &layer.up, &work.normed, &work.up)?;
        batch.push(Gated {
            gate: work.gate.clone(),
            up: work.up.clone(),
            activation: self.config.activation,
            out: work.gate.clone(),
        })?;
        project(batch, work, &layer.down, &work.gate, &work.added)
    }
}

fn project(
    batch: &mut Batch,
    work: &Workspace,
    by: &Projection,
    x: &View,
    out: &View,
) -> Result<()> {
    // A few rows of dense weights are summed as one is; those of blocks are not.
    for rows in together(x.shape()[0], work.alone && by.weight.dtype().is_block()) {
        let (weight, bias) = (by.weight.clone(), by.bias.clone());
        let (x, out) = (x.narrow(0, rows.clone())?, out.narrow(0, rows)?);
        batch.push(Linear { x, weight, bias, out })?;
    }
    Ok(())
}

/// The rows in one piece, or each by itself.
fn together(rows: usize, alone: bool) -> impl Iterator<Item = Range<usize>> {
    let size = if alone { 1 } else { rows };
    (0..rows).step_by(size.max(1)).map(move |first| first..first + size)
}

/// `state += added`, and `normed` is the norm of it.
fn add_and_norm(batch: &mut Batch, work: &Workspace, weight: &View, epsilon: f32) -> Result<()> {
    Ok(batch.push(AddRmsNorm {
        x: work.state.clone(),
        y: work.added.clone(),
        weight: weight.clone(),
        epsilon,
        sum: work.state.clone(),
        out: work.normed.clone(),
    })?)
}

/// `[rows, heads * head_size]` as `[rows, heads, head_size]`.
fn in_heads(view: &View, heads: usize, head_size: usize) -> Result<View> {
    let shape = Shape::new(&[view.shape()[0], heads, head_size])?;
    let view = view.reshape(shape)?;
    Ok(view.expect("splitting the last dimension needs no copy"))
}
