//! The time mix of RWKV 5 (5.0, 5.1 and 5.2): a matrix per head that fades at a constant rate.

use super::{Projections, SHIFT, WKV, heads_slot, in_heads, maps, mix, norm_heads, shift_slot};
use crate::{
    Result,
    model::{
        Config, Model,
        forward::Step,
        mixer::{Mixer, MixerSpec},
        weights::{Assembly, Norm, Projection},
        workspace::{Scratch, Workspace},
    },
    state::{Memory, Slot},
};
use bessemer_core::{Batch, DType, View};
use bessemer_ops::{Activation, Wkv6};

/// The time mix of RWKV 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rwkv5Kind {
    /// Whether a fourth projection gates the result: since 5.1.
    pub gate: bool,
}

#[derive(Debug)]
struct TimeMix {
    /// `[3 or 4, 1, 1, hidden]`: of keys, values, the receptance and the gate.
    lerp: View,
    projections: Projections,
    gate: Option<Projection>,
    /// What of each row of the state stays, `[1, 1, heads, size]`.
    decay: View,
    /// The bonus of the token itself, `[heads, size]`.
    first: View,
    norm: Norm,
}

impl Rwkv5Kind {
    fn mixes(self) -> usize {
        3 + usize::from(self.gate)
    }
}

impl MixerSpec for Rwkv5Kind {
    fn memory(&self, config: &Config, _cache: DType) -> Vec<Slot> {
        vec![shift_slot(SHIFT, config), heads_slot(config)]
    }

    fn tuned(&self) -> Option<&'static str> {
        Some(WKV)
    }

    fn scratch(&self, config: &Config) -> Vec<Scratch> {
        vec![
            Scratch::parts("mixes", self.mixes(), config.hidden),
            Scratch::parts("projected", self.mixes(), config.hidden),
            Scratch::new("heads", config.hidden),
        ]
    }

    fn load(&self, model: &mut Assembly<'_>, number: usize) -> Result<Box<dyn Mixer>> {
        let Config { hidden, heads, head_size, .. } = *model.config;
        let name = |part: &str| format!("blk.{number}.time_mix_{part}");
        let decay = model.changed(&name("decay.weight"), &[&[hidden]], |raw| (-raw.exp()).exp())?;
        Ok(Box::new(TimeMix {
            lerp: model.lerps(&name("lerp_fused.weight"), self.mixes())?,
            projections: Projections::load(model, number, hidden)?,
            gate: match self.gate {
                true => Some(model.projection(&name("gate"), hidden, hidden)?),
                false => None,
            },
            decay: in_heads(&decay.unsqueeze(0)?, model.config)?,
            first: model.changed(&name("first.weight"), &[&[heads, head_size]], |raw| raw)?,
            norm: model.head_norm(&name("ln"))?,
        }))
    }
}

impl Mixer for TimeMix {
    fn mix(
        &self,
        model: &Model,
        batch: &mut Batch,
        work: &Workspace,
        memory: &Memory,
    ) -> Result<()> {
        let config = &model.config;
        let results = &work.scratch("heads")?;
        mix(batch, work, memory.slot(SHIFT), &self.lerp, true, "mixes")?;
        let Projections { key, value, receptance, .. } = &self.projections;
        let step = |(n, by)| Ok(Step::new(by, work.part("mixes", n)?, work.part("projected", n)?));
        let mut steps: Vec<Step<'_>> =
            [key, value, receptance].into_iter().enumerate().map(step).collect::<Result<_>>()?;
        if let Some(gate) = &self.gate {
            steps.push(step((3, gate))?.then(Activation::Silu));
        }
        work.project_all(batch, &steps)?;
        let head = |n: usize| in_heads(&work.part("projected", n)?, config);
        let k = head(0)?;
        batch.push(Wkv6 {
            decay: self.decay.broadcast_to(*k.shape())?,
            k,
            v: head(1)?,
            r: head(2)?,
            u: self.first.clone(),
            state: memory.slot(WKV).clone(),
            out: in_heads(results, config)?,
        })?;
        norm_heads(batch, config, &self.norm, results)?;
        if self.gate.is_some() {
            maps::multiply(batch, results, &work.part("projected", 3)?)?;
        }
        work.project(batch, &self.projections.output, results, &work.added)
    }
}
