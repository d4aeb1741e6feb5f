//! The time mix of RWKV 4: an average of values per channel, weighted by exponentials of keys.

use super::{Projections, SHIFT, WKV, maps, mix, shape, shift_slot};
use crate::{
    Result,
    model::{
        Config, Model,
        forward::Step,
        mixer::{Mixer, MixerSpec},
        weights::Assembly,
        workspace::{Scratch, Workspace},
    },
    state::{Memory, Slot},
};
use bessemer_core::{Batch, DType, View};
use bessemer_ops::{Activation, Wkv4};

/// The time mix of RWKV 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rwkv4Kind;

#[derive(Debug)]
struct TimeMix {
    /// `[3, 1, 1, hidden]`: of keys, values and the receptance.
    lerp: View,
    projections: Projections,
    /// The logarithm of what stays of each channel.
    decay: View,
    /// The bonus of the token itself.
    first: View,
}

/// What the recurrence of an empty text has: two sums, and the exponent they are divided by.
const EMPTY: &[f32] = &[0.0, 0.0, -1e30];

impl MixerSpec for Rwkv4Kind {
    fn memory(&self, config: &Config, _cache: DType) -> Vec<Slot> {
        let wkv = Slot::fixed(WKV, DType::F32, shape(&[1, EMPTY.len(), config.hidden]));
        vec![shift_slot(SHIFT, config), wkv.starting_with(EMPTY)]
    }

    fn scratch(&self, config: &Config) -> Vec<Scratch> {
        let hidden = config.hidden;
        vec![
            Scratch::parts("mixes", 3, hidden),
            Scratch::parts("projected", 3, hidden),
            Scratch::new("heads", hidden),
        ]
    }

    fn load(&self, model: &mut Assembly<'_>, number: usize) -> Result<Box<dyn Mixer>> {
        let hidden = model.config.hidden;
        let name = |part: &str| format!("blk.{number}.time_mix_{part}.weight");
        Ok(Box::new(TimeMix {
            lerp: model.lerps(&name("lerp_fused"), 3)?,
            projections: Projections::load(model, number, hidden)?,
            decay: model.changed(&name("decay"), &[&[hidden]], |raw| -raw.exp())?,
            first: model.vector(&name("first"), hidden)?,
        }))
    }
}

impl Mixer for TimeMix {
    fn mix(
        &self,
        _model: &Model,
        batch: &mut Batch,
        work: &Workspace,
        memory: &Memory,
    ) -> Result<()> {
        let x = |n: usize| work.part("mixes", n);
        let y = |n: usize| work.part("projected", n);
        let (k, v, r) = (y(0)?, y(1)?, y(2)?);
        let averages = &work.scratch("heads")?;
        mix(batch, work, memory.slot(SHIFT), &self.lerp, true, "mixes")?;
        let steps = [
            Step::new(&self.projections.key, x(0)?, k.clone()),
            Step::new(&self.projections.value, x(1)?, v.clone()),
            Step::new(&self.projections.receptance, x(2)?, r.clone()).then(Activation::Sigmoid),
        ];
        work.project_all(batch, &steps)?;
        batch.push(Wkv4 {
            k: k.unsqueeze(0)?,
            v: v.unsqueeze(0)?,
            w: self.decay.clone(),
            u: self.first.clone(),
            state: memory.slot(WKV).clone(),
            out: averages.unsqueeze(0)?,
        })?;
        maps::multiply(batch, averages, &r)?;
        work.project(batch, &self.projections.output, averages, &work.added)
    }
}
