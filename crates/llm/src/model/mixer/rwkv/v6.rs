//! The time mix of RWKV 6: mixes and decay depend on the token. Also its form in Qwen 2's layers
//! (`rwkv6qwen2`), which has no bonus, no norm, and shares keys and values between heads.

use super::{
    Projections, SHIFT, WKV, heads_slot, in_heads, maps, mix, norm_heads, shape, shift_slot,
};
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
use bessemer_ops::{Activation, Copy, Wkv6, Wkv7};

/// The time mix of RWKV 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rwkv6Kind {
    /// Elements between the two matrices that give each mix.
    pub mix_rank: usize,
    /// Elements between the two matrices that give the decay.
    pub decay_rank: usize,
    /// Whether it is the form that stands in for the attention of another model.
    pub stand_in: bool,
}

/// The order of mixes.
const MIXES: usize = 5;
const W: usize = 0;
const K: usize = 1;
const V: usize = 2;
const R: usize = 3;
const G: usize = 4;

#[derive(Debug)]
struct TimeMix {
    mix_rank: usize,
    /// How much of the token before is in what the mixes are computed from, `[1, 1, 1, hidden]`.
    lerp_x: View,
    /// `[5 * rank, hidden]`, and for each mix `[hidden, rank]` with what is added to it.
    mix_down: Projection,
    mix_up: Vec<Projection>,
    decay_down: Projection,
    decay_up: Projection,
    projections: Projections,
    gate: Projection,
    recurrence: Recurrence,
}

#[derive(Debug)]
enum Recurrence {
    /// With a bonus `[heads, size]` for the token itself, and results that are normed.
    Bonus { first: View, norm: Box<Norm> },
    /// Gated linear attention: each token is read after it was added. `zero` stands for what RWKV 7
    /// would forget.
    Plain { zero: View },
}

impl MixerSpec for Rwkv6Kind {
    fn memory(&self, config: &Config, _cache: DType) -> Vec<Slot> {
        vec![shift_slot(SHIFT, config), heads_slot(config)]
    }

    fn tuned(&self) -> Option<&'static str> {
        Some(WKV)
    }

    fn scratch(&self, config: &Config) -> Vec<Scratch> {
        let hidden = config.hidden;
        let mut all = vec![
            Scratch::parts("mixes", MIXES, hidden),
            Scratch::new("mix_ranks", MIXES * self.mix_rank),
            // How much of the token before is in each mix; afterwards the projections.
            Scratch::parts("projected", MIXES, hidden),
            Scratch::new("decay_ranks", self.decay_rank),
            Scratch::new("heads", hidden),
        ];
        if self.stand_in {
            all.push(Scratch::parts("shared_heads", 2, hidden));
        }
        all
    }

    fn load(&self, model: &mut Assembly<'_>, number: usize) -> Result<Box<dyn Mixer>> {
        let Config { hidden, heads, kv_heads, head_size, .. } = *model.config;
        let Rwkv6Kind { mix_rank, decay_rank, stand_in } = *self;
        let name = |part: &str| format!("blk.{number}.time_mix_{part}");
        let fused = name("lerp_fused.weight");
        let lerp = match model.has(&fused) {
            true => model.lerps(&fused, MIXES)?,
            // Older files have them one by one.
            false => {
                let each = ["w", "k", "v", "r", "g"].map(|n| name(&format!("lerp_{n}.weight")));
                model.rows(&each, MIXES, hidden)?
            }
        };
        let lerp = lerp.reshape(shape(&[MIXES, hidden]))?.expect("gapless");
        let up = model.view(name("w2.weight"), &[MIXES, hidden, mix_rank])?;
        let mix_up = (0..MIXES).map(|n| {
            let weight = up.narrow(0, n..n + 1)?.squeeze(0)?;
            Ok(Projection { weight, bias: Some(lerp.narrow(0, n..n + 1)?.squeeze(0)?) })
        });
        let mix_up = mix_up.collect::<Result<_>>()?;
        let lerp_x = model.rows(&[name("lerp_x.weight")], 1, hidden)?;
        let decay_up = model.projection(&name("decay_w2"), hidden, decay_rank)?;
        let decay = model.vector(&name("decay.weight"), hidden)?;
        Ok(Box::new(TimeMix {
            mix_rank,
            lerp_x: lerp_x.reshape(shape(&[1, 1, 1, hidden]))?.expect("gapless"),
            mix_down: model.projection(&name("w1"), MIXES * mix_rank, hidden)?,
            mix_up,
            decay_down: model.projection(&name("decay_w1"), decay_rank, hidden)?,
            decay_up: Projection { bias: Some(decay), ..decay_up },
            projections: Projections::load(model, number, kv_heads * head_size)?,
            gate: model.projection(&name("gate"), hidden, hidden)?,
            recurrence: match stand_in {
                true => Recurrence::Plain { zero: model.numbers(&[0.0])? },
                false => Recurrence::Bonus {
                    first: model
                        .changed(&name("first.weight"), &[&[heads, head_size]], |raw| raw)?,
                    norm: Box::new(model.head_norm(&name("ln"))?),
                },
            },
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
        self.mixes(batch, work, memory)?;

        let kv = self.projections.key.weight.shape()[0];
        let ranks = &work.scratch("decay_ranks")?;
        let gate = match self.recurrence {
            Recurrence::Bonus { .. } => Activation::Silu,
            Recurrence::Plain { .. } => Activation::Sigmoid,
        };
        let steps = [
            Step::new(&self.projections.key, x(K)?, y(K)?.narrow(1, 0..kv)?),
            Step::new(&self.projections.value, x(V)?, y(V)?.narrow(1, 0..kv)?),
            Step::new(&self.projections.receptance, x(R)?, y(R)?),
            Step::new(&self.gate, x(G)?, y(G)?).then(gate),
            Step::new(&self.decay_down, x(W)?, ranks.clone()).then(Activation::Tanh),
        ];
        work.project_all(batch, &steps)?;
        work.project(batch, &self.decay_up, ranks, &y(W)?)?;
        let w = y(W)?;
        maps::map(batch, &[("w", &w)], "%e = exp %w\n%n = neg %e\n%y = exp %n", &[("y", &w)])?;

        let results = &work.scratch("heads")?;
        match &self.recurrence {
            Recurrence::Bonus { first, norm } => {
                let head = |n: usize| in_heads(&y(n)?, &model.config);
                batch.push(Wkv6 {
                    r: head(R)?,
                    k: head(K)?,
                    v: head(V)?,
                    decay: head(W)?,
                    u: first.clone(),
                    state: memory.slot(WKV).clone(),
                    out: in_heads(results, &model.config)?,
                })?;
                norm_heads(batch, &model.config, norm, results)?;
            }
            Recurrence::Plain { zero } => self.plain(model, batch, work, memory, zero)?,
        }
        maps::multiply(batch, results, &y(G)?)?;
        work.project(batch, &self.projections.output, results, &work.added)
    }
}

impl TimeMix {
    /// The mixes, whose proportions are computed from a first mix.
    fn mixes(&self, batch: &mut Batch, work: &Workspace, memory: &Memory) -> Result<()> {
        let (ranks, state) = (&work.scratch("mix_ranks")?, memory.slot(SHIFT));
        mix(batch, work, state, &self.lerp_x, false, "mixes")?;
        let down = Step::new(&self.mix_down, work.part("mixes", 0)?, ranks.clone());
        work.project_all(batch, &[down.then(Activation::Tanh)])?;
        let up = |(n, by)| {
            let x = ranks.narrow(1, n * self.mix_rank..(n + 1) * self.mix_rank)?;
            Ok(Step::new(by, x, work.part("projected", n)?))
        };
        let up = self.mix_up.iter().enumerate().map(up).collect::<Result<Vec<_>>>()?;
        work.project_all(batch, &up)?;
        let mu = work.parts("projected").unsqueeze(1)?;
        mix(batch, work, state, &mu, true, "mixes")
    }

    /// Gated linear attention, whose keys and values are shared by several heads.
    fn plain(
        &self,
        model: &Model,
        batch: &mut Batch,
        work: &Workspace,
        memory: &Memory,
        zero: &View,
    ) -> Result<()> {
        let Config { heads, kv_heads, head_size, .. } = model.config;
        let rows = work.rows();
        let grouped = |view: &View, each: usize| -> Result<View> {
            let dims = shape(&[rows, kv_heads, each, head_size]);
            Ok(view.reshape(dims)?.expect("splitting the last dimension needs no copy"))
        };
        let group = heads / kv_heads;
        let all = shape(&[rows, kv_heads, group, head_size]);
        let shared = |n: usize| -> Result<View> {
            let own = work.part("projected", n)?.narrow(1, 0..kv_heads * head_size)?;
            Ok(grouped(&own, 1)?.broadcast_to(all)?)
        };
        let (k, v) = (work.part("shared_heads", 0)?, work.part("shared_heads", 1)?);
        let (w, r) = (work.part("projected", W)?, work.part("projected", R)?);
        let decay = grouped(&w, group)?;
        let body = "%part = mul %k, %w\n%y = sub %k, %part";
        let reads = [("k", &shared(K)?), ("w", &decay)];
        maps::map(batch, &reads, body, &[("y", &grouped(&k, group)?)])?;
        batch.push(Copy { x: shared(V)?, out: grouped(&v, group)? })?;
        let scale = 1.0 / (head_size as f32).sqrt();
        maps::map(batch, &[("r", &r)], &format!("%y = mul %r, {scale:?}"), &[("y", &r)])?;
        let head = |view: &View| in_heads(view, &model.config);
        let zeros = zero.broadcast_to(shape(&[1, rows, heads, head_size]))?;
        Ok(batch.push(Wkv7 {
            r: head(&r)?,
            decay: head(&w)?,
            k: head(&k)?,
            v: head(&v)?,
            a: zeros.clone(),
            b: zeros,
            state: memory.slot(WKV).clone(),
            out: head(&work.scratch("heads")?)?,
        })?)
    }
}
