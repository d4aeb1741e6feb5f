//! The mixture of experts of a layer, in terms of ops: nothing is read back in between.

use super::{Model, forward::together, maps, weights::Experts, workspace::Workspace};
use crate::Result;
use bessemer_core::{Batch, View};
use bessemer_ops::{ExpertLinear, Gated, Linear, Matmul, Softmax, TopK};

impl Model {
    /// `added` becomes what the experts chosen for each token make of it, each counting for its
    /// share, and what the shared part adds.
    pub(super) fn experts(&self, batch: &mut Batch, work: &Workspace, by: &Experts) -> Result<()> {
        let (Some(config), Some(space)) = (self.config.experts, &work.experts) else {
            unreachable!("layers with experts are of models that have some");
        };
        work.project(batch, &by.router, &work.normed, &space.scores)?;
        // The shares of those chosen: of all experts, or of these alone.
        if !config.normed_shares {
            softmax(batch, &space.scores)?;
        }
        batch.push(TopK {
            x: space.scores.clone(),
            values: space.shares.clone(),
            indices: space.chosen.clone(),
        })?;
        if config.normed_shares {
            softmax(batch, &space.shares)?;
        }

        let through = |batch: &mut Batch, weight: &View, x: &View, out: &View| -> Result<()> {
            for rows in together(x.shape()[0], work.alone.then_some(Linear::ALIKE)) {
                batch.push(ExpertLinear {
                    x: x.narrow(0, rows.clone())?,
                    weight: weight.clone(),
                    ids: space.chosen.narrow(0, rows.clone())?,
                    out: out.narrow(0, rows)?,
                })?;
            }
            Ok(())
        };
        through(batch, &by.gate, &work.normed, &space.gate)?;
        through(batch, &by.up, &work.normed, &space.up)?;
        batch.push(Gated {
            gate: space.gate.clone(),
            up: space.up.clone(),
            activation: self.config.activation,
            out: space.gate.clone(),
        })?;
        through(batch, &by.down, &space.gate, &space.each)?;
        batch.push(Matmul {
            a: space.shares.unsqueeze(1)?,
            b: space.each.clone(),
            out: work.added.unsqueeze(1)?,
        })?;

        if let Some((dense, gate)) = &by.shared {
            self.dense(batch, work, dense, &space.shared)?;
            work.project(batch, gate, &work.normed, &space.shared_gate)?;
            maps::add_gated(batch, &work.added, &space.shared_gate, &space.shared)?;
        }
        Ok(())
    }
}

fn softmax(batch: &mut Batch, x: &View) -> Result<()> {
    let (x, out) = (x.clone(), x.clone());
    Ok(batch.push(Softmax { x, scale: 1.0, mask: None, log: false, out })?)
}
