//! The forward pass: what a decoder-only transformer does to a few tokens, in terms of ops.

use super::{
    Model,
    cache::Cache,
    config::Config,
    maps,
    weights::{Dense, FeedForward, Layer, Projection},
    workspace::Workspace,
};
use crate::Result;
use bessemer_core::{Batch, Shape, View};
use bessemer_ops::{
    AddRmsNorm, Attention, Gated, GatedLinears, Gather, IntoCache, Linear, Linears, RmsNorm, TopK,
};
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
        let work = &work.first(rows, ask == Ask::Each)?;
        let weights = &self.weights;
        let mut batch = Batch::new();
        batch.push(Gather {
            table: weights.embedding.clone(),
            indices: work.tokens.clone(),
            axis: 0,
            out: work.state.clone(),
        })?;
        if self.config.embedding_scale != 1.0 {
            maps::scale(&mut batch, &work.state, self.config.embedding_scale)?;
        }
        self.norm(&mut batch, &work.state, &weights.layers[0].attention_norm, &work.normed)?;
        for (number, layer) in weights.layers.iter().enumerate() {
            self.attend(&mut batch, work, cache, number, layer)?;
            self.add(&mut batch, work, &layer.post_attention_norm, &layer.feed_forward_norm)?;
            self.feed_forward(&mut batch, work, &layer.feed_forward)?;
            let next = weights.layers.get(number + 1).map(|layer| &layer.attention_norm);
            let next = next.unwrap_or(&weights.norm);
            self.add(&mut batch, work, &layer.post_feed_forward_norm, next)?;
        }
        let asked = match ask {
            Ask::Nothing | Ask::States => rows..rows,
            Ask::Last => rows - 1..rows,
            Ask::Each => 0..rows,
        };
        if !asked.is_empty() {
            self.logits(&mut batch, work, asked)?;
        }
        Ok(batch)
    }

    /// The ops that give the logits after some tokens, whose states a pass has left.
    pub(crate) fn logits_of_states(&self, work: &Workspace, rows: Range<usize>) -> Result<Batch> {
        let mut batch = Batch::new();
        self.logits(&mut batch, work, rows)?;
        Ok(batch)
    }

    fn logits(&self, batch: &mut Batch, work: &Workspace, rows: Range<usize>) -> Result<()> {
        let out = work.logits.narrow(0, 0..rows.len())?;
        let states = work.normed.narrow(0, rows)?;
        work.project(batch, &self.weights.output, &states, &out)?;
        if let Some(cap) = self.config.logit_cap {
            maps::cap(batch, &out, cap)?;
        }
        Ok(())
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
        let Config { heads, kv_heads, head_size, .. } = self.config;
        let kind = self.config.kinds[number];
        work.side_by_side(batch, &layer.qkv, &work.normed, &work.qkv)?;
        let all = in_heads(&work.qkv, heads + 2 * kv_heads, head_size)?;
        let rope = &self.weights.ropes[kind.rope];
        let frequencies = rope.within(cache.capacity());
        let (keys, values) = cache.layer(number);
        let turned = in_heads(&work.turned, heads, head_size)?;
        batch.push(IntoCache {
            q: all.narrow(1, 0..heads)?,
            k: all.narrow(1, heads..heads + kv_heads)?,
            v: all.narrow(1, heads + kv_heads..heads + 2 * kv_heads)?,
            norms: layer.head_norms.clone(),
            positions: work.positions.clone(),
            frequencies: frequencies.per_pair.clone(),
            magnitude: frequencies.magnitude,
            pairs: rope.pairs,
            keys: keys.clone(),
            values: values.clone(),
            out: turned.clone(),
        })?;
        let attended = in_heads(&work.attended, heads, head_size)?;
        for rows in together(work.rows(), work.alone.then_some(1)) {
            batch.push(Attention {
                q: turned.narrow(0, rows.clone())?,
                k: keys.clone(),
                v: values.clone(),
                positions: Some(work.positions.narrow(0, rows.clone())?),
                window: kind.window,
                scale: self.config.attention_scale,
                soft_cap: self.config.attention_cap,
                out: attended.narrow(0, rows)?,
            })?;
        }
        work.project(batch, &layer.attention_output, &work.attended, &work.added)
    }

    /// `added` becomes what the tokens make of it, each by itself.
    fn feed_forward(&self, batch: &mut Batch, work: &Workspace, by: &FeedForward) -> Result<()> {
        match by {
            FeedForward::Dense(dense) => self.dense(batch, work, dense, &work.added),
            FeedForward::Experts(experts) => self.experts(batch, work, experts),
        }
    }

    /// `out = down(activation(gate(normed)) * up(normed))`.
    pub(super) fn dense(
        &self,
        batch: &mut Batch,
        work: &Workspace,
        by: &Dense,
        out: &View,
    ) -> Result<()> {
        let size = by.down.weight.shape().width();
        let both = work.gate_up.narrow(1, 0..2 * size)?;
        let (gates, ups) = (both.narrow(1, 0..size)?, both.narrow(1, size..2 * size)?);
        let gated = work.gated.narrow(1, 0..size)?;
        let activation = self.config.activation;
        if let [gate, up] = by.gate_up.as_slice() {
            for rows in together(work.rows(), work.alone.then_some(Linear::ALIKE)) {
                let layer = |by: &Projection, out: &View| -> Result<Linear> {
                    let (weight, bias) = (by.weight.clone(), by.bias.clone());
                    let x = work.normed.narrow(0, rows.clone())?;
                    Ok(Linear { x, weight, bias, out: out.narrow(0, rows.clone())? })
                };
                let (gate, up) = (layer(gate, &gates)?, layer(up, &ups)?);
                let out = gated.narrow(0, rows.clone())?;
                batch.push(GatedLinears { gate, up, activation, out })?;
            }
        } else {
            work.side_by_side(batch, &by.gate_up, &work.normed, &both)?;
            batch.push(Gated { gate: gates, up: ups, activation, out: gated.clone() })?;
        }
        work.project(batch, &by.down, &gated, out)
    }

    fn norm(&self, batch: &mut Batch, x: &View, weight: &View, out: &View) -> Result<()> {
        let (x, weight, out) = (x.clone(), weight.clone(), out.clone());
        Ok(batch.push(RmsNorm { x, weight, epsilon: self.config.norm_epsilon, out })?)
    }

    /// `state += added`, itself normed if there is a norm for that, and `normed` is the norm of it
    /// that the next part of the model takes.
    fn add(
        &self,
        batch: &mut Batch,
        work: &Workspace,
        own: &Option<View>,
        next: &View,
    ) -> Result<()> {
        if let Some(weight) = own {
            self.norm(batch, &work.added, weight, &work.added)?;
        }
        Ok(batch.push(AddRmsNorm {
            x: work.state.clone(),
            y: work.added.clone(),
            weight: next.clone(),
            epsilon: self.config.norm_epsilon,
            sum: work.state.clone(),
            out: work.normed.clone(),
        })?)
    }
}

/// After a pass of one token: the likeliest to follow, and the position of what follows.
pub(crate) fn likeliest(
    batch: &mut Batch,
    logits: &View,
    values: &View,
    tokens: &View,
    position: &View,
) -> Result<()> {
    let (x, values, indices) = (logits.clone(), values.clone(), tokens.clone());
    batch.push(TopK { x, values, indices })?;
    maps::next(batch, position)
}

impl Workspace {
    /// `out = x · weightᵀ + bias`.
    pub(super) fn project(
        &self,
        batch: &mut Batch,
        by: &Projection,
        x: &View,
        out: &View,
    ) -> Result<()> {
        for rows in together(x.shape()[0], self.alone.then_some(Linear::ALIKE)) {
            let (weight, bias) = (by.weight.clone(), by.bias.clone());
            let (x, out) = (x.narrow(0, rows.clone())?, out.narrow(0, rows)?);
            batch.push(Linear { x, weight, bias, out })?;
        }
        Ok(())
    }

    /// The same with several matrices, whose results come to lie side by side.
    fn side_by_side(
        &self,
        batch: &mut Batch,
        by: &[Projection],
        x: &View,
        out: &View,
    ) -> Result<()> {
        for rows in together(x.shape()[0], self.alone.then_some(Linear::ALIKE)) {
            let (x, out) = (x.narrow(0, rows.clone())?, out.narrow(0, rows)?);
            let mut column = 0;
            let layers = by.iter().map(|Projection { weight, bias }| {
                let columns = column..column + weight.shape()[0];
                column = columns.end;
                let (x, weight, bias) = (x.clone(), weight.clone(), bias.clone());
                Ok(Linear { x, weight, bias, out: out.narrow(1, columns)? })
            });
            batch.push(Linears(layers.collect::<Result<_>>()?))?;
        }
        Ok(())
    }
}

/// The rows in one piece, or in pieces of at most `most`: as many as are computed alike.
pub(super) fn together(rows: usize, most: Option<usize>) -> impl Iterator<Item = Range<usize>> {
    let size = most.unwrap_or(rows).max(1);
    (0..rows).step_by(size).map(move |first| first..rows.min(first + size))
}

/// `[rows, heads * head_size]` as `[rows, heads, head_size]`.
fn in_heads(view: &View, heads: usize, head_size: usize) -> Result<View> {
    let shape = Shape::new(&[view.shape()[0], heads, head_size])?;
    let view = view.reshape(shape)?;
    Ok(view.expect("splitting the last dimension needs no copy"))
}
