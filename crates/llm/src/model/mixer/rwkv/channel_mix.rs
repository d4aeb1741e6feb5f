//! The feed-forward part of RWKV: it mixes each token with the one before.

use super::{maps, mix, shape, shift_slot};
use crate::{
    Result,
    model::{
        Config, Model,
        forward::Step,
        mixer::{Mixer, MixerSpec},
        weights::{Assembly, Projection},
        workspace::{Scratch, Workspace},
    },
    state::{Memory, Slot},
};
use bessemer_core::{Batch, DType, View};
use bessemer_ops::Activation;

/// How the channel mix of one version differs from that of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelMixKind {
    /// Whether a second mix gates the result: not in RWKV 7.
    pub receptance: bool,
}

#[derive(Debug)]
struct ChannelMix {
    /// `[1 or 2, 1, 1, hidden]`: of keys and, if there is one, of the receptance.
    lerp: View,
    key: Projection,
    value: Projection,
    receptance: Option<Projection>,
}

const SHIFT: &str = "channel_shift";
const MIXES: &str = "channel_mixes";

impl ChannelMixKind {
    fn mixes(self) -> usize {
        1 + usize::from(self.receptance)
    }
}

impl MixerSpec for ChannelMixKind {
    fn memory(&self, config: &Config, _cache: DType) -> Vec<Slot> {
        vec![shift_slot(SHIFT, config)]
    }

    fn scratch(&self, config: &Config) -> Vec<Scratch> {
        let mut all = vec![
            Scratch::parts(MIXES, self.mixes(), config.hidden),
            Scratch::new("channel_keys", config.feed_forward),
        ];
        if self.receptance {
            all.push(Scratch::new("channel_gate", config.hidden));
        }
        all
    }

    fn load(&self, model: &mut Assembly<'_>, number: usize) -> Result<Box<dyn Mixer>> {
        let Config { hidden, feed_forward, .. } = *model.config;
        let name = |part: &str| format!("blk.{number}.channel_mix_{part}");
        let lerps = [name("lerp_k.weight"), name("lerp_r.weight")];
        let lerp = model.rows(&lerps[..self.mixes()], self.mixes(), hidden)?;
        Ok(Box::new(ChannelMix {
            lerp: lerp.reshape(shape(&[self.mixes(), 1, 1, hidden]))?.expect("gapless"),
            key: model.projection(&name("key"), feed_forward, hidden)?,
            value: model.projection(&name("value"), hidden, feed_forward)?,
            receptance: match self.receptance {
                true => Some(model.projection(&name("receptance"), hidden, hidden)?),
                false => None,
            },
        }))
    }
}

impl Mixer for ChannelMix {
    fn mix(
        &self,
        _model: &Model,
        batch: &mut Batch,
        work: &Workspace,
        memory: &Memory,
    ) -> Result<()> {
        let keys = &work.scratch("channel_keys")?;
        mix(batch, work, memory.slot(SHIFT), &self.lerp, true, MIXES)?;
        let key = Step::new(&self.key, work.part(MIXES, 0)?, keys.clone());
        let mut steps = vec![key.then(Activation::SquaredRelu)];
        if let Some(by) = &self.receptance {
            let step = Step::new(by, work.part(MIXES, 1)?, work.scratch("channel_gate")?);
            steps.push(step.then(Activation::Sigmoid));
        }
        work.project_all(batch, &steps)?;
        work.project(batch, &self.value, keys, &work.added)?;
        match self.receptance {
            Some(_) => maps::multiply(batch, &work.added, &work.scratch("channel_gate")?),
            None => Ok(()),
        }
    }
}
