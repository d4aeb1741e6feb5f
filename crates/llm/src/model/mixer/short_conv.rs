//! Gated short convolutions, as in LFM2: each channel's last few tokens, weighted.

use super::{Mixer, MixerSpec, maps};
use crate::{
    Result,
    model::{
        Config, Model,
        weights::{Assembly, Projection},
        workspace::{Scratch, Workspace},
    },
    state::{Memory, Slot},
};
use bessemer_core::{Batch, DType, Shape, View};
use bessemer_ops as ops;

/// How the short convolution of one layer differs from that of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortConvKind {
    /// How many tokens it covers, at least 2.
    pub length: usize,
}

#[derive(Debug)]
struct ShortConv {
    /// The gate of what goes in, that of what comes out, and what goes in, side by side.
    input: Projection,
    /// `[hidden, length]`.
    weight: View,
    output: Projection,
}

const TOKENS: &str = "tokens";

impl MixerSpec for ShortConvKind {
    fn memory(&self, config: &Config, _cache: DType) -> Vec<Slot> {
        let shape = Shape::new(&[1, self.length - 1, config.hidden]);
        vec![Slot::fixed(TOKENS, DType::F32, shape.expect("sizes of models are checked"))]
    }

    fn scratch(&self, config: &Config) -> Vec<Scratch> {
        vec![
            Scratch::new("conv_gates", 3 * config.hidden),
            Scratch::new("conv_in", config.hidden),
            Scratch::new("conv_out", config.hidden),
        ]
    }

    fn load(&self, model: &mut Assembly<'_>, number: usize) -> Result<Box<dyn Mixer>> {
        let (hidden, length, parts) = (model.config.hidden, self.length, model.names.parts);
        let names = model.names;
        let name = |part: &str| names.of_layer(number, part);
        let shapes: [&[usize]; 2] = [&[hidden, length], &[hidden, 1, length]];
        Ok(Box::new(ShortConv {
            input: model.projection(&name(parts.conv_input), 3 * hidden, hidden)?,
            weight: model.changed(&format!("{}.weight", name(parts.conv)), &shapes, |x| x)?,
            output: model.projection(&name(parts.conv_output), hidden, hidden)?,
        }))
    }
}

impl Mixer for ShortConv {
    fn mix(
        &self,
        model: &Model,
        batch: &mut Batch,
        work: &Workspace,
        memory: &Memory,
    ) -> Result<()> {
        let hidden = model.config.hidden;
        let (all, x, y) =
            (work.scratch("conv_gates")?, work.scratch("conv_in")?, work.scratch("conv_out")?);
        let part = |n: usize| all.narrow(1, n * hidden..(n + 1) * hidden);
        work.project(batch, &self.input, &work.normed, &all)?;
        let reads = [("gate", &part(0)?), ("x", &part(2)?)];
        maps::map(batch, &reads, "%y = mul %gate, %x", &[("y", &x)])?;
        batch.push(ops::ShortConv {
            x: x.unsqueeze(0)?,
            weight: self.weight.clone(),
            state: memory.slot(TOKENS).clone(),
            out: y.unsqueeze(0)?,
        })?;
        maps::multiply(batch, &y, &part(1)?)?;
        work.project(batch, &self.output, &y, &work.added)
    }
}
