//! A recurrence for tests, simple enough to be followed by hand. It has what real ones have: a
//! sum that decays, and the last token's input (a short convolution, or a token shift).

use super::{Mixer, MixerKind, MixerSpec};
use crate::{
    Result,
    files::Gguf,
    model::{
        Config, Model,
        names::Names,
        weights::{Assembly, Projection, Weights},
        workspace::{Scratch, Workspace},
    },
    state::{Memory, Slot},
};
use bessemer_core::{Batch, DType, Device, Shape};
use bessemer_ops::{Copy, Map};
use bessemer_program::Program;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningSumKind;

/// `x = in(normed)`, `sum = sum / 2 + x + last`, `last = x`, `added = out(sum)`.
#[derive(Debug)]
struct RunningSum {
    input: Projection,
    output: Projection,
}

fn width(config: &Config) -> usize {
    config.heads * config.head_size
}

impl MixerSpec for RunningSumKind {
    fn memory(&self, config: &Config, _cache: DType) -> Vec<Slot> {
        // Two shapes, so that nobody takes one for the other.
        let square = Shape::new(&[config.heads, config.head_size]).unwrap();
        let flat = Shape::new(&[width(config)]).unwrap();
        vec![Slot::fixed("sum", DType::F32, square), Slot::fixed("last", DType::F32, flat)]
    }

    fn scratch(&self, config: &Config) -> Vec<Scratch> {
        vec![Scratch::new("inputs", width(config)), Scratch::new("sums", width(config))]
    }

    fn load(&self, model: &mut Assembly<'_>, number: usize) -> Result<Box<dyn Mixer>> {
        let (parts, hidden, width) = (model.names.parts, model.config.hidden, width(model.config));
        let names = model.names;
        let name = |part: &str| names.of_layer(number, part);
        // The tensors are those of attention, not all of which are of use here.
        for part in [parts.k, parts.v] {
            model.used.insert(format!("{}.weight", name(part)));
        }
        Ok(Box::new(RunningSum {
            input: model.projection(&name(parts.q), width, hidden)?,
            output: model.projection(&name(parts.attention_output), hidden, width)?,
        }))
    }
}

impl Mixer for RunningSum {
    fn mix(
        &self,
        model: &Model,
        batch: &mut Batch,
        work: &Workspace,
        memory: &Memory,
    ) -> Result<()> {
        let text = "program step(in view s: f32, in view l: f32, in view x: f32, out view y: f32) {
            %s = load s[@]
            %l = load l[@]
            %x = load x[@]
            %new = add %x, %l
            %y = fma %s, 0.5, %new
            store y[@], %y
        }";
        let width = width(&model.config);
        let (inputs, sums) = (work.scratch("inputs")?, work.scratch("sums")?);
        let flat = Shape::new(&[width])?;
        let sum = memory.slot("sum").reshape(flat)?.expect("contiguous");
        let last = memory.slot("last");
        work.project(batch, &self.input, &work.normed, &inputs)?;
        for row in 0..work.rows() {
            let x = inputs.narrow(0, row..row + 1)?.squeeze(0)?;
            let out = sums.narrow(0, row..row + 1)?.squeeze(0)?;
            let program = Program::parse("running sum", text).expect("the program is right");
            let inputs = [&sum, last, &x].map(|view| view.clone().into()).to_vec();
            batch.push(Map { program, inputs, outputs: vec![sum.clone()] })?;
            batch.push(Copy { x: sum.clone(), out })?;
            batch.push(Copy { x, out: last.clone() })?;
        }
        work.project(batch, &self.output, &sums, &work.added)
    }
}

/// A model of a file whose layers with these numbers recur.
pub(crate) fn model(file: &Gguf, layers: &[usize], device: &Arc<dyn Device>) -> Model {
    let mut config = Config::of_gguf(file).unwrap();
    for &layer in layers {
        config.kinds[layer].mixer = MixerKind::RunningSum(RunningSumKind);
    }
    let names = Names::of_gguf(&config.architecture, file.tensors());
    let weights = Weights::load(&config, &names, None, file.tensors(), &**device).unwrap();
    Model { config, weights, device: Arc::clone(device), maps: Vec::new() }
}
