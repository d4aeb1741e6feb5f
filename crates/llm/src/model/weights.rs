//! The weights of a model: which tensors it is made of, wherever they come from.

use super::{
    beyond,
    config::{Config, ExpertConfig, FeedForwardKind, NormKind, RopeConfig},
    fingerprint,
    load::Loader,
    mixer::{Mixer, MixerSpec},
    names::{DenseNames, Names},
};
use crate::{Result, files::Tensors};
use bessemer_core::{Device, Shape, View};
use bessemer_ops::{RopePairs, RopeScaling};
use std::collections::HashSet;

/// All weights of a model, on a device.
#[derive(Debug)]
pub(crate) struct Weights {
    pub(crate) embedding: View,
    pub(crate) embedding_norm: Option<Norm>,
    pub(crate) layers: Vec<Layer>,
    pub(crate) norm: Norm,
    pub(crate) output: Projection,
    pub(crate) ropes: Vec<Ropes>,
    pub(crate) fingerprint: [u8; 32],
}

/// The weights of a layer.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) mixer_norm: Norm,
    pub(crate) mixer: Box<dyn Mixer>,
    pub(crate) post_mixer_norm: Option<Norm>,
    pub(crate) feed_forward_norm: Norm,
    pub(crate) feed_forward: FeedForward,
    pub(crate) post_feed_forward_norm: Option<Norm>,
}

/// What normed states are multiplied by, and for layer norms what is then added.
#[derive(Debug)]
pub(crate) struct Norm {
    pub(crate) weight: View,
    pub(crate) bias: Option<View>,
}

/// What a layer makes of each token by itself.
#[derive(Debug)]
pub(crate) enum FeedForward {
    Dense(Box<Dense>),
    Experts(Box<Experts>),
    /// One with a memory of the token before.
    Recurrent(Box<dyn Mixer>),
}

/// A feed-forward part.
#[derive(Debug)]
pub(crate) struct Dense {
    /// Gate and up, side by side.
    pub(crate) gate_up: Vec<Projection>,
    pub(crate) down: Projection,
}

/// A mixture of feed-forward parts.
#[derive(Debug)]
pub(crate) struct Experts {
    pub(crate) router: Projection,
    /// `[experts, feed_forward, hidden]`.
    pub(crate) gate: View,
    /// As `gate`.
    pub(crate) up: View,
    /// `[experts, hidden, feed_forward]`.
    pub(crate) down: View,
    /// A part that all tokens go through, and what decides how much of it counts.
    pub(crate) shared: Option<(Dense, Projection)>,
}

/// A matrix and what is added to its results.
#[derive(Debug)]
pub(crate) struct Projection {
    pub(crate) weight: View,
    pub(crate) bias: Option<View>,
}

/// The frequencies of a rope, for each size of context.
#[derive(Debug)]
pub(crate) struct Ropes {
    pub(crate) pairs: RopePairs,
    usual: Frequencies,
    /// For contexts of more tokens than that.
    long: Option<(usize, Frequencies)>,
}

/// Radians per position of each pair, and what turned pairs are multiplied by.
#[derive(Debug)]
pub(crate) struct Frequencies {
    pub(crate) per_pair: View,
    pub(crate) magnitude: f32,
}

impl Ropes {
    /// The frequencies in a session with room for so many tokens.
    pub(crate) fn within(&self, context: usize) -> &Frequencies {
        match &self.long {
            Some((beyond, long)) if context > *beyond => long,
            _ => &self.usual,
        }
    }
}

impl Weights {
    /// Finds all weights that `config` asks for. Files are used in place where the device can.
    pub(super) fn load(
        config: &Config,
        names: &Names,
        tied: Option<bool>,
        tensors: &Tensors,
        device: &dyn Device,
    ) -> Result<Weights> {
        let loader = Loader::new(tensors, device);
        let mut model = Assembly { config, names, loader, used: HashSet::new() };
        let layers = (0..config.layers).map(|i| model.layer(i)).collect::<Result<_>>()?;
        let (vocabulary, hidden) = (config.vocabulary, config.hidden);
        let embedding = model.view(names.embedding(), &[vocabulary, hidden])?;
        let apart = format!("{}.weight", names.output());
        let tied = tied.unwrap_or_else(|| !model.loader.has(&apart));
        let output = match tied {
            true => Projection { weight: embedding.clone(), bias: None },
            false => model.projection(names.output(), vocabulary, hidden)?,
        };
        let norm = model.norm(&names.norm(), hidden)?;
        let embedding_norm =
            model.norm_if(config.embedding_norm, &names.embedding_norm(), hidden)?;
        let ropes = config.ropes.iter().map(|rope| model.ropes(rope)).collect::<Result<_>>()?;
        let stems = names.stems(tied);
        beyond::check_tensors(tensors, &names.layers(), config.layers, &stems, &model.used)?;
        let fingerprint = fingerprint::of(config, tensors, &model.used);
        Ok(Weights { embedding, embedding_norm, layers, norm, output, ropes, fingerprint })
    }
}

/// A model being put together.
pub(crate) struct Assembly<'a> {
    pub(super) config: &'a Config,
    pub(super) names: &'a Names,
    loader: Loader<'a>,
    /// The names of the tensors that were found.
    pub(super) used: HashSet<String>,
}

impl Assembly<'_> {
    /// A tensor of floats or blocks.
    pub(super) fn view(&mut self, name: String, shape: &[usize]) -> Result<View> {
        let view = self.loader.view(&name, shape)?;
        self.used.insert(name);
        Ok(view)
    }

    fn layer(&mut self, number: usize) -> Result<Layer> {
        let Config { hidden, feed_forward, post_norms, .. } = *self.config;
        let parts = self.names.parts;
        let name = |part: &str| self.names.of_layer(number, part);
        let kind = self.config.kinds[number];
        Ok(Layer {
            mixer_norm: self.norm(&name(parts.mixer_norm), hidden)?,
            mixer: kind.mixer.spec().load(self, number)?,
            post_mixer_norm: self.norm_if(post_norms, &name(parts.post_mixer_norm), hidden)?,
            feed_forward_norm: self.norm(&name(parts.feed_forward_norm), hidden)?,
            feed_forward: match (kind.feed_forward, self.config.experts) {
                (FeedForwardKind::Experts, Some(experts)) => {
                    FeedForward::Experts(Box::new(self.experts(number, experts, hidden)?))
                }
                (FeedForwardKind::ChannelMix(kind), _) => {
                    FeedForward::Recurrent(kind.load(self, number)?)
                }
                _ => FeedForward::Dense(Box::new(self.dense(number, parts.dense, feed_forward)?)),
            },
            post_feed_forward_norm: self.norm_if(
                post_norms,
                &name(parts.post_feed_forward_norm),
                hidden,
            )?,
        })
    }

    fn dense(&mut self, number: usize, parts: DenseNames, size: usize) -> Result<Dense> {
        let hidden = self.config.hidden;
        let name = |part: &str| self.names.of_layer(number, part);
        let both = parts.gate_up.map(name);
        let apart = [(name(parts.gate), size), (name(parts.up), size)];
        Ok(Dense {
            gate_up: self.side_by_side(both.as_deref(), &apart, hidden)?,
            down: self.projection(&name(parts.down), hidden, size)?,
        })
    }

    fn experts(&mut self, number: usize, config: ExpertConfig, hidden: usize) -> Result<Experts> {
        let ExpertConfig { count, feed_forward: size, shared, .. } = config;
        let parts = self.names.parts;
        let name = |part: &str| self.names.of_layer(number, part);
        let mut all = |part: &str, shape: [usize; 2]| {
            let name = format!("{}.weight", name(part));
            if !part.contains("{}") {
                return self.view(name, &[count, shape[0], shape[1]]);
            }
            let each = (0..count).map(|expert| name.replace("{}", &expert.to_string()));
            let each: Vec<String> = each.collect();
            let view = self.loader.stacked(&each, &shape)?;
            self.used.extend(each);
            Ok(view)
        };
        Ok(Experts {
            gate: all(parts.experts.gate, [size, hidden])?,
            up: all(parts.experts.up, [size, hidden])?,
            down: all(parts.experts.down, [hidden, size])?,
            router: self.projection(&name(parts.router), count, hidden)?,
            shared: match shared {
                Some(size) => {
                    let gate = format!("{}.weight", name(parts.shared_gate));
                    let weight = self.loader.row(&gate, hidden)?;
                    self.used.insert(gate);
                    let gate = Projection { weight, bias: None };
                    Some((self.dense(number, parts.shared, size)?, gate))
                }
                None => None,
            },
        })
    }

    /// Matrices whose results lie side by side: as one where the file has them so.
    pub(super) fn side_by_side(
        &mut self,
        all: Option<&str>,
        apart: &[(String, usize)],
        columns: usize,
    ) -> Result<Vec<Projection>> {
        let rows = apart.iter().map(|(_, rows)| rows).sum();
        match all {
            // Where one matrix holds all, a separate first one does not exist.
            Some(all)
                if self.loader.has(&format!("{all}.weight"))
                    && !self.loader.has(&format!("{}.weight", apart[0].0)) =>
            {
                Ok(vec![self.projection(all, rows, columns)?])
            }
            _ => apart.iter().map(|(name, rows)| self.projection(name, *rows, columns)).collect(),
        }
    }

    pub(super) fn projection(
        &mut self,
        name: &str,
        rows: usize,
        columns: usize,
    ) -> Result<Projection> {
        let weight = self.view(format!("{name}.weight"), &[rows, columns])?;
        let bias = format!("{name}.bias");
        let parts = self.names.parts;
        let must = self.config.attention_bias
            && [parts.q, parts.k, parts.v, parts.qkv].iter().any(|part| name.ends_with(part));
        let bias = match must || self.loader.has(&bias) {
            true => Some(self.vector(&bias, rows)?),
            false => None,
        };
        Ok(Projection { weight, bias })
    }

    fn norm(&mut self, name: &str, len: usize) -> Result<Norm> {
        let weight = self.norm_weight(name, len)?;
        let bias = match self.config.norm {
            NormKind::Rms => None,
            NormKind::Layer => Some(self.vector(&format!("{name}.bias"), len)?),
        };
        Ok(Norm { weight, bias })
    }

    fn norm_if(&mut self, there: bool, name: &str, len: usize) -> Result<Option<Norm>> {
        there.then(|| self.norm(name, len)).transpose()
    }

    /// What a norm multiplies by.
    pub(super) fn norm_weight(&mut self, name: &str, len: usize) -> Result<View> {
        let name = format!("{name}.weight");
        match self.names.norms_add_one {
            true => {
                let view = self.loader.raised(&name, len, 1.0)?;
                self.used.insert(name);
                Ok(view)
            }
            false => self.vector(&name, len),
        }
    }

    /// The norm of a recurrence's heads.
    pub(super) fn head_norm(&mut self, name: &str) -> Result<Norm> {
        let hidden = self.config.hidden;
        Ok(Norm {
            weight: self.vector(&format!("{name}.weight"), hidden)?,
            bias: Some(self.vector(&format!("{name}.bias"), hidden)?),
        })
    }

    /// Whether there is a tensor of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.loader.has(name)
    }

    /// Tensors that may be there and mean nothing.
    pub(super) fn ignore(&mut self, names: impl IntoIterator<Item = String>) {
        self.used.extend(names);
    }

    /// A tensor of floats of one of these shapes, each of them changed: as `f32` and of the first shape.
    pub(super) fn changed(
        &mut self,
        name: &str,
        shapes: &[&[usize]],
        by: impl Fn(f32) -> f32,
    ) -> Result<View> {
        let mut values = self.loader.floats(name, shapes)?;
        values.iter_mut().for_each(|x| *x = by(*x));
        self.used.insert(name.to_owned());
        let view = self.loader.numbers(&values)?;
        Ok(view.reshape(Shape::new(shapes[0])?)?.expect("gapless"))
    }

    /// Vectors, one below the other and zeros below them, as `f32 [count, len]`.
    pub(super) fn rows(&mut self, names: &[String], count: usize, len: usize) -> Result<View> {
        let mut values = Vec::new();
        for name in names {
            values.extend(self.loader.floats(name, &[&[len], &[1, len], &[1, 1, len]])?);
            self.used.insert(name.clone());
        }
        values.resize(count * len, 0.0);
        let view = self.loader.numbers(&values)?;
        Ok(view.reshape(Shape::new(&[count, len])?)?.expect("gapless"))
    }

    /// How much of the token before is in each of so many mixes, `[mixes, 1, 1, hidden]`.
    pub(super) fn lerps(&mut self, name: &str, mixes: usize) -> Result<View> {
        let hidden = self.config.hidden;
        self.changed(name, &[&[mixes, 1, 1, hidden]], |x| x)
    }

    /// Numbers, copied to the device.
    pub(super) fn numbers(&self, values: &[f32]) -> Result<View> {
        self.loader.numbers(values)
    }

    /// A vector of floats.
    pub(super) fn vector(&mut self, name: &str, len: usize) -> Result<View> {
        let view = self.loader.vector(name, len)?;
        self.used.insert(name.to_owned());
        Ok(view)
    }

    fn ropes(&mut self, rope: &RopeConfig) -> Result<Ropes> {
        let frequencies = |scaling: &RopeScaling| -> Result<Frequencies> {
            let found = scaling.frequencies(rope.base, rope.dims)?;
            let per_pair = self.loader.numbers(&found.per_pair)?;
            Ok(Frequencies { per_pair, magnitude: found.magnitude })
        };
        let long = rope.long.as_ref();
        let long =
            long.map(|long| Ok::<_, crate::Error>((long.beyond, frequencies(&long.scaling)?)));
        let (pairs, usual) = (rope.pairs, frequencies(&rope.scaling)?);
        Ok(Ropes { pairs, usual, long: long.transpose()? })
    }
}
