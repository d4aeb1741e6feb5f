//! The weights of a model: which tensors it is made of, wherever they come from.

use super::{
    beyond,
    config::{Config, ExpertConfig, RopeConfig},
    fingerprint,
    load::Loader,
    mixer::Mixer,
    names::{DenseNames, Names},
};
use crate::{Result, files::Tensors};
use bessemer_core::{Device, View};
use bessemer_ops::{RopePairs, RopeScaling};
use std::collections::HashSet;

/// All weights of a model, on a device.
#[derive(Debug)]
pub(crate) struct Weights {
    pub(crate) embedding: View,
    pub(crate) layers: Vec<Layer>,
    pub(crate) norm: View,
    pub(crate) output: Projection,
    pub(crate) ropes: Vec<Ropes>,
    pub(crate) fingerprint: [u8; 32],
}

/// The weights of a layer.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) mixer_norm: View,
    pub(crate) mixer: Box<dyn Mixer>,
    pub(crate) post_mixer_norm: Option<View>,
    pub(crate) feed_forward_norm: View,
    pub(crate) feed_forward: FeedForward,
    pub(crate) post_feed_forward_norm: Option<View>,
}

/// What a layer makes of each token by itself.
#[derive(Debug)]
pub(crate) enum FeedForward {
    Dense(Box<Dense>),
    Experts(Box<Experts>),
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
        let norm = model.norm_named(&names.norm(), hidden)?;
        let ropes = config.ropes.iter().map(|rope| model.ropes(rope)).collect::<Result<_>>()?;
        let stems = names.stems(tied);
        beyond::check_tensors(tensors, &names.layers(), config.layers, &stems, &model.used)?;
        let fingerprint = fingerprint::of(config, tensors, &model.used);
        Ok(Weights { embedding, layers, norm, output, ropes, fingerprint })
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
    fn view(&mut self, name: String, shape: &[usize]) -> Result<View> {
        let view = self.loader.view(&name, shape)?;
        self.used.insert(name);
        Ok(view)
    }

    fn layer(&mut self, number: usize) -> Result<Layer> {
        let Config { hidden, feed_forward, post_norms, .. } = *self.config;
        let parts = self.names.parts;
        let name = |part: &str| self.names.of_layer(number, part);
        let kind = self.config.kinds[number];
        let sparse = self.config.experts.filter(|_| kind.experts);
        Ok(Layer {
            mixer_norm: self.norm(&name(parts.mixer_norm), hidden)?,
            mixer: kind.mixer.spec().load(self, number)?,
            post_mixer_norm: self.norm_if(post_norms, &name(parts.post_mixer_norm), hidden)?,
            feed_forward_norm: self.norm(&name(parts.feed_forward_norm), hidden)?,
            feed_forward: match sparse {
                Some(experts) => {
                    FeedForward::Experts(Box::new(self.experts(number, experts, hidden)?))
                }
                None => {
                    FeedForward::Dense(Box::new(self.dense(number, parts.dense, feed_forward)?))
                }
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
            true => {
                let view = self.loader.vector(&bias, rows)?;
                self.used.insert(bias);
                Some(view)
            }
            false => None,
        };
        Ok(Projection { weight, bias })
    }

    pub(super) fn norm(&mut self, name: &str, len: usize) -> Result<View> {
        self.norm_named(&format!("{name}.weight"), len)
    }

    fn norm_if(&mut self, there: bool, name: &str, len: usize) -> Result<Option<View>> {
        there.then(|| self.norm(name, len)).transpose()
    }

    fn norm_named(&mut self, name: &str, len: usize) -> Result<View> {
        self.used.insert(name.to_owned());
        match self.names.norms_add_one {
            true => self.loader.raised(name, len, 1.0),
            false => self.loader.vector(name, len),
        }
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
