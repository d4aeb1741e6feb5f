//! The time mix of RWKV 7: a matrix per head that fades, forgets along a direction and takes in each
//! token. Also its form in Qwen 2's layers (`arwkv7`), where gate and norm may be missing.

use super::{
    Projections, SHIFT, WKV, heads_slot, in_heads, maps, mix, norm_heads, shape, shift_slot,
};
use crate::{
    Result,
    model::{
        Config, Model,
        mixer::{Mixer, MixerSpec},
        weights::{Assembly, Norm, Projection},
        workspace::{Scratch, Workspace},
    },
    state::{Memory, Slot},
};
use bessemer_core::{Batch, DType, View};
use bessemer_ops::{RmsNorm, Wkv7};

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
    /// What keys are multiplied by before they are normed.
    k_k: View,
    /// How much of the learning rate keys are multiplied by.
    k_a: View,
    /// How much of each key the bonus of the token itself has.
    r_k: View,
    norm: Option<Norm>,
    /// The reciprocal root of a head's size, for each of its elements.
    unit: View,
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
            Scratch::parts("directions", 2, hidden),
            Scratch::new("bonus", config.heads),
            Scratch::new("heads", hidden),
        ]
    }

    fn load(&self, model: &mut Assembly<'_>, number: usize) -> Result<Box<dyn Mixer>> {
        let Config { hidden, head_size, .. } = *model.config;
        let name = |part: &str| format!("blk.{number}.time_mix_{part}");
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
            k_k: model.vector(&name("k_k.weight"), hidden)?,
            k_a: model.vector(&name("k_a.weight"), hidden)?,
            r_k: model.vector(&name("r_k.weight"), hidden)?,
            norm: if self.norm { Some(model.head_norm(&name("ln"))?) } else { None },
            unit: model.numbers(&vec![1.0 / (head_size as f32).sqrt(); head_size])?,
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
        work.project(batch, &self.projections.receptance, &x(R)?, &y(R)?)?;
        work.project(batch, &self.projections.key, &x(K)?, &y(K)?)?;
        // The first layer's values are kept where others find them.
        let values = if self.first.is_some() { y(V)? } else { work.scratch(FIRST)? };
        work.project(batch, &self.projections.value, &x(V)?, &values)?;
        self.low_ranks(batch, work)?;
        self.heads(model, batch, work, memory, &values)?;
        work.project(batch, &self.projections.output, &work.scratch("heads")?, &work.added)
    }
}

impl TimeMix {
    /// Decay, learning rate, gate and the part of the first layer's values, before they are bent.
    fn low_ranks(&self, batch: &mut Batch, work: &Workspace) -> Result<()> {
        let all = [
            (Some(&self.decay), W, W, Some("tanh")),
            (Some(&self.rate), A, A, None),
            (self.gate.as_ref(), G, G, Some("sigmoid")),
            (self.first.as_ref(), V, F, None),
        ];
        for (n, (by, from, to, bend)) in all.into_iter().enumerate() {
            let Some(by) = by else { continue };
            let ranks = work.part("ranks", n)?.narrow(1, 0..by.rank())?;
            work.project(batch, &by.down, &work.part("mixes", from)?, &ranks)?;
            if let Some(bend) = bend {
                maps::apply(batch, bend, &ranks)?;
            }
            work.project(batch, &by.up, &ranks, &work.part("projected", to)?)?;
        }
        Ok(())
    }

    /// From the projections to what each head says, gated.
    fn heads(
        &self,
        model: &Model,
        batch: &mut Batch,
        work: &Workspace,
        memory: &Memory,
        v: &View,
    ) -> Result<()> {
        let config = &model.config;
        let y = |n: usize| work.part("projected", n);
        let (r, w, k, a) = (y(R)?, y(W)?, y(K)?, y(A)?);
        let (away, back) = (work.part("directions", 0)?, work.part("directions", 1)?);
        // exp(-0.5) is the fastest decay.
        let body = "%s = sigmoid %w\n%t = mul %s, -0.6065306597126334\n%y = exp %t";
        maps::map(batch, &[("w", &w)], body, &[("y", &w)])?;
        let body = "%rate = sigmoid %a
            %d = mul %k, %k_k
            %less = sub %rate, 1.0
            %by = mul %less, %k_a
            %key = fma %k, %by, %k";
        let reads = [("a", &a), ("k", &k), ("k_k", &self.k_k), ("k_a", &self.k_a)];
        maps::map(batch, &reads, body, &[("rate", &a), ("d", &away), ("key", &k)])?;
        if self.first.is_some() {
            let body = "%s = sigmoid %f\n%d = sub %first, %v\n%y = fma %s, %d, %v";
            let reads = [("f", &y(F)?), ("first", &work.scratch(FIRST)?), ("v", v)];
            maps::map(batch, &reads, body, &[("y", v)])?;
        }
        let head = |view: &View| in_heads(view, config);
        batch.push(RmsNorm {
            x: head(&away)?,
            weight: self.unit.clone(),
            // To a length of 1: as if it were the largest of the length and 1e-12.
            epsilon: 1e-24 / config.head_size as f32,
            out: head(&away)?,
        })?;
        let body = "%back = mul %d, %a\n%away = neg %d";
        maps::map(batch, &[("d", &away), ("a", &a)], body, &[("away", &away), ("back", &back)])?;
        let results = &work.scratch("heads")?;
        batch.push(Wkv7 {
            r: head(&r)?,
            decay: head(&w)?,
            k: head(&k)?,
            v: head(v)?,
            a: head(&away)?,
            b: head(&back)?,
            state: memory.slot(WKV).clone(),
            out: head(results)?,
        })?;
        if let Some(norm) = &self.norm {
            norm_heads(batch, config, norm, results)?;
        }
        let rows = work.rows();
        let bonus = work.scratch("bonus")?.reshape(shape(&[1, rows, config.heads, 1]))?;
        let bonus = bonus.expect("splitting the last dimension needs no copy");
        let r_k = head(&self.r_k.unsqueeze(0)?)?;
        let reads = [("r", &head(&r)?), ("k", &head(&k)?), ("r_k", &r_k)];
        maps::sum(batch, &reads, "%x = mul %r, %k\n%y = mul %x, %r_k", &bonus)?;
        let (results, v) = (head(results)?, head(v)?);
        let mut reads = vec![("x", &results), ("v", &v), ("bonus", &bonus)];
        let gate = head(&y(G)?)?;
        let body = match self.gate {
            Some(_) => {
                reads.push(("g", &gate));
                "%s = fma %bonus, %v, %x\n%y = mul %s, %g"
            }
            None => "%y = fma %bonus, %v, %x",
        };
        maps::map(batch, &reads, body, &[("y", &results)])
    }
}
