//! The forward pass: what a decoder-only model does to a few tokens, in terms of ops.

use super::{
    Model,
    config::NormKind,
    maps,
    weights::{Dense, FeedForward, Norm, Projection},
    workspace::Workspace,
};
use crate::{Result, state::Memory};
use bessemer_core::{Batch, View};
use bessemer_ops::{
    ActivatedLinears, Activation, AddLayerNorm, AddRmsNorm, Gated, GatedLinears, Gather, LayerNorm,
    Linear, Linears, RmsNorm, TopK,
};
use std::ops::Range;

/// What a pass is asked for, besides the memories of its tokens.
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
    /// memories in that of each layer, and what is asked for.
    ///
    /// Which tokens and positions they are is read when the batch runs: one batch serves every
    /// token of a text.
    pub(crate) fn pass(
        &self,
        work: &Workspace,
        memories: &[Memory],
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
        if let Some(norm) = &weights.embedding_norm {
            self.norm(&mut batch, &work.state, norm, &work.state)?;
        }
        self.norm(&mut batch, &work.state, &weights.layers[0].mixer_norm, &work.normed)?;
        for (number, layer) in weights.layers.iter().enumerate() {
            let memory = &memories[number];
            layer.mixer.mix(self, &mut batch, work, memory)?;
            self.add(&mut batch, work, &layer.post_mixer_norm, &layer.feed_forward_norm)?;
            self.feed_forward(&mut batch, work, &layer.feed_forward, memory)?;
            let next = weights.layers.get(number + 1).map(|layer| &layer.mixer_norm);
            let next = next.unwrap_or(&weights.norm);
            if self.config.halve_every.is_some_and(|every| (number + 1).is_multiple_of(every)) {
                maps::halve(&mut batch, &work.state, &work.added)?;
            }
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

    /// `added` becomes what the tokens make of it, each by itself.
    fn feed_forward(
        &self,
        batch: &mut Batch,
        work: &Workspace,
        by: &FeedForward,
        memory: &Memory,
    ) -> Result<()> {
        match by {
            FeedForward::Recurrent(mixer) => mixer.mix(self, batch, work, memory),
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

    fn norm(&self, batch: &mut Batch, x: &View, by: &Norm, out: &View) -> Result<()> {
        let (x, out, epsilon) = (x.clone(), out.clone(), self.config.norm_epsilon);
        let Norm { weight, bias } = by;
        let (weight, bias) = (weight.clone(), bias.clone());
        match self.config.norm {
            NormKind::Rms => batch.push(RmsNorm { x, weight, epsilon, out })?,
            NormKind::Layer => {
                batch.push(LayerNorm { x, weight: Some(weight), bias, epsilon, out })?;
            }
        }
        Ok(())
    }

    /// `state += added`, itself normed if there is a norm for that, and `normed` is the norm of it
    /// that the next part of the model takes.
    fn add(
        &self,
        batch: &mut Batch,
        work: &Workspace,
        own: &Option<Norm>,
        next: &Norm,
    ) -> Result<()> {
        if let Some(norm) = own {
            self.norm(batch, &work.added, norm, &work.added)?;
        }
        let (x, y) = (work.state.clone(), work.added.clone());
        let (sum, out, epsilon) = (x.clone(), work.normed.clone(), self.config.norm_epsilon);
        let (weight, bias) = (next.weight.clone(), next.bias.clone());
        match self.config.norm {
            NormKind::Rms => batch.push(AddRmsNorm { x, y, weight, epsilon, sum, out })?,
            NormKind::Layer => {
                batch.push(AddLayerNorm { x, y, weight, bias, epsilon, sum, out })?;
            }
        }
        Ok(())
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

/// One of several linear layers: `out = activation(x · weightᵀ + bias)`.
pub(super) struct Step<'a> {
    pub(super) by: &'a Projection,
    pub(super) x: View,
    pub(super) activation: Option<Activation>,
    pub(super) out: View,
}

impl<'a> Step<'a> {
    pub(super) fn new(by: &'a Projection, x: View, out: View) -> Step<'a> {
        Step { by, x, activation: None, out }
    }

    pub(super) fn then(self, activation: Activation) -> Step<'a> {
        Step { activation: Some(activation), ..self }
    }
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

    /// Several layers that do not depend on each other, in one go.
    pub(super) fn project_all(&self, batch: &mut Batch, all: &[Step<'_>]) -> Result<()> {
        let rows = all.first().map_or(0, |step| step.x.shape()[0]);
        for rows in together(rows, self.alone.then_some(Linear::ALIKE)) {
            let layer = |Step { by, x, activation, out }: &Step<'_>| {
                let (weight, bias) = (by.weight.clone(), by.bias.clone());
                let (x, out) = (x.narrow(0, rows.clone())?, out.narrow(0, rows.clone())?);
                Ok((Linear { x, weight, bias, out }, *activation))
            };
            let layers = all.iter().map(layer).collect::<Result<_>>()?;
            batch.push(ActivatedLinears(layers))?;
        }
        Ok(())
    }

    /// The same with several matrices, whose results come to lie side by side.
    pub(super) fn side_by_side(
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
