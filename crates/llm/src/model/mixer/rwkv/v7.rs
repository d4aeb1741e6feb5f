//! The time mix of RWKV 7: a matrix per head that fades, forgets along a direction and takes in each
//! token. Also its form in Qwen 2's layers (`arwkv7`), where gate and norm may be missing.

use super::{Projections, SHIFT, WKV, heads_slot, in_heads, mix, shape, shift_slot};
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
use bessemer_ops::{Activation, TimeMix7};

/// The time mix of RWKV 7. Ranks are the elements between two matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rwkv7Kind {
    /// Of those that give the decay.
    pub decay_rank: usize,
    /// Of those that give the learning rate.
    pub rate_rank: usize,
    /// Of those that say how much of the first layer's values is taken.
    pub value_rank: usize,
    /// Of those that give the gate, if there is one.
    pub gate_rank: Option<usize>,
    /// Whether results are normed.
    pub norm: bool,
}

/// The order of mixes.
const R: usize = 0;
const W: usize = 1;
const K: usize = 2;
const V: usize = 3;
const A: usize = 4;
const G: usize = 5;

/// How much of the first layer's values is taken stands after what the mixes give.
const F: usize = 6;
const PROJECTED: usize = 7;

/// The values of the first layer, which others take a part of.
const FIRST: &str = "first_values";

#[derive(Debug)]
struct TimeMix {
    /// `[5 or 6, 1, 1, hidden]`.
    lerp: View,
    projections: Projections,
    decay: LowRank,
    rate: LowRank,
    /// Not in the first layer.
    first: Option<LowRank>,
    gate: Option<LowRank>,
    /// `[5, heads, size]`: what [`TimeMix7`] multiplies by, and the norm's weight and bias.
    weights: View,
    norm: bool,
}

/// Two matrices, and what is added to their results.
#[derive(Debug)]
struct LowRank {
    down: Projection,
    up: Projection,
}

impl LowRank {
    /// Those whose names start with `name`, which has a 1 or a 2 appended, or a 0 for what is added.
    fn load(model: &mut Assembly<'_>, name: &str, rank: usize, biased: bool) -> Result<LowRank> {
        let hidden = model.config.hidden;
        let down = model.projection(&format!("{name}1"), rank, hidden)?;
        let up = model.projection(&format!("{name}2"), hidden, rank)?;
        let bias = match biased {
            true => Some(model.vector(&format!("{name}0.weight"), hidden)?),
            false => None,
        };
        Ok(LowRank { down, up: Projection { bias, ..up } })
    }

    fn rank(&self) -> usize {
        self.down.weight.shape()[0]
    }
}

impl Rwkv7Kind {
    fn mixes(self) -> usize {
        5 + usize::from(self.gate_rank.is_some())
    }

    fn widest_rank(self) -> usize {
        let Rwkv7Kind { decay_rank, rate_rank, value_rank, gate_rank, .. } = self;
        decay_rank.max(rate_rank).max(value_rank).max(gate_rank.unwrap_or(0))
    }
}

impl MixerSpec for Rwkv7Kind {
    fn memory(&self, config: &Config, _cache: DType) -> Vec<Slot> {
        vec![shift_slot(SHIFT, config), heads_slot(config)]
    }

    fn tuned(&self) -> Option<&'static str> {
        Some(WKV)
    }

    fn scratch(&self, config: &Config) -> Vec<Scratch> {
        let hidden = config.hidden;
        vec![
            Scratch::parts("mixes", self.mixes(), hidden),
            Scratch::parts("ranks", 4, self.widest_rank()),
            Scratch::parts("projected", PROJECTED, hidden),
            Scratch::new(FIRST, hidden),
            Scratch::new("heads", hidden),
        ]
    }

    fn load(&self, model: &mut Assembly<'_>, number: usize) -> Result<Box<dyn Mixer>> {
        let Config { hidden, heads, head_size, .. } = *model.config;
        let name = |part: &str| format!("blk.{number}.time_mix_{part}");
        let mut weights = vec![name("k_k.weight"), name("k_a.weight"), name("r_k.weight")];
        if self.norm {
            weights.extend([name("ln.weight"), name("ln.bias")]);
        }
        let weights = model.rows(&weights, 5, hidden)?;
        let value = name("v");
        if number == 0 {
            // Some files have these for the first layer, where they mean nothing.
            model.ignore(["0", "1", "2"].map(|n| format!("{value}{n}.weight")));
        }
        Ok(Box::new(TimeMix {
            lerp: model.lerps(&name("lerp_fused.weight"), self.mixes())?,
            projections: Projections::load(model, number, hidden)?,
            decay: LowRank::load(model, &name("w"), self.decay_rank, true)?,
            rate: LowRank::load(model, &name("a"), self.rate_rank, true)?,
            first: match number {
                0 => None,
                _ => Some(LowRank::load(model, &value, self.value_rank, true)?),
            },
            gate: match self.gate_rank {
                Some(rank) => Some(LowRank::load(model, &name("g"), rank, false)?),
                None => None,
            },
            weights: weights.reshape(shape(&[5, heads, head_size]))?.expect("gapless"),
            norm: self.norm,
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
        let x = |n: usize| work.part("mixes", n);
        let y = |n: usize| work.part("projected", n);
        mix(batch, work, memory.slot(SHIFT), &self.lerp, true, "mixes")?;
        let low_ranks = self.low_ranks(work)?;
        let mut steps = vec![
            Step::new(&self.projections.receptance, x(R)?, y(R)?),
            Step::new(&self.projections.key, x(K)?, y(K)?),
            Step::new(&self.projections.value, x(V)?, y(V)?),
        ];
        for (by, from, _, activation, ranks) in &low_ranks {
            let step = Step::new(&by.down, x(*from)?, ranks.clone());
            steps.push(Step { activation: *activation, ..step });
        }
        work.project_all(batch, &steps)?;
        let mut steps = Vec::new();
        for (by, _, to, _, ranks) in low_ranks {
            steps.push(Step::new(&by.up, ranks, y(to)?));
        }
        work.project_all(batch, &steps)?;
        let Config { heads, head_size: size, head_norm_epsilon, .. } = model.config;
        let projected = work.parts("projected");
        let projected = projected.reshape(shape(&[PROJECTED, 1, work.rows(), heads, size]))?;
        let results = work.scratch("heads")?;
        batch.push(TimeMix7 {
            x: projected.expect("splitting the last dimension needs no copy"),
            weights: self.weights.clone(),
            first: in_heads(&work.scratch(FIRST)?, &model.config)?,
            is_first: self.first.is_none(),
            norm: self.norm.then_some(head_norm_epsilon),
            gate: self.gate.is_some(),
            state: memory.slot(WKV).clone(),
            out: in_heads(&results, &model.config)?,
        })?;
        work.project(batch, &self.projections.output, &results, &work.added)
    }
}

/// Two matrices, the mix they start from, the projection they give, what is in between, and where.
type Between<'a> = (&'a LowRank, usize, usize, Option<Activation>, View);

impl TimeMix {
    /// Decay, learning rate, gate and the part of the first layer's values.
    fn low_ranks(&self, work: &Workspace) -> Result<Vec<Between<'_>>> {
        let all = [
            (Some(&self.decay), W, W, Some(Activation::Tanh)),
            (Some(&self.rate), A, A, None),
            (self.gate.as_ref(), G, G, Some(Activation::Sigmoid)),
            (self.first.as_ref(), V, F, None),
        ];
        let mut found = Vec::new();
        for (n, (by, from, to, activation)) in all.into_iter().enumerate() {
            let Some(by) = by else { continue };
            let ranks = work.part("ranks", n)?.narrow(1, 0..by.rank())?;
            found.push((by, from, to, activation, ranks));
        }
        Ok(found)
    }
}
