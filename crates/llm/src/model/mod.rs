//! Models: layers of a mixer and a feed-forward part, described by data.
//!
//! `config` describes a model; `family`, `settings`, `gguf` and `hub` read it from files, and `beyond`
//! rejects unsupported features. `names`, `load` and `weights` load the tensors. `forward` is the forward
//! pass, with `mixer`, `experts` and `maps`, in the memory of `workspace`; `room` checks that it fits.
//! `fingerprint` identifies a model. The KV cache and other state is in [`state`](crate::state).

mod beyond;
mod config;
mod experts;
mod family;
mod fingerprint;
mod forward;
mod gguf;
mod hub;
mod load;
mod maps;
pub(crate) mod mixer;
mod names;
pub(crate) mod room;
mod rwkv;
mod settings;
mod weights;
mod workspace;

pub use config::{
    Config, ExpertConfig, FeedForwardKind, LayerKind, LongRope, NormKind, RopeConfig,
};
pub use family::ARCHITECTURES;
pub(crate) use forward::{Ask, likeliest};
pub use mixer::{
    AttentionKind, ChannelMixKind, MixerKind, Rwkv4Kind, Rwkv5Kind, Rwkv6Kind, Rwkv7Kind,
    ShortConvKind,
};
pub(crate) use workspace::{EACH, PageSpace, Workspace};

use crate::{
    Result,
    files::{Gguf, Mapped, ModelFile, Safetensors, Tensors},
};
use bessemer_core::Device;
use names::Names;
use std::{fmt, sync::Arc};
use weights::Weights;

/// A model on a device.
///
/// ```
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
/// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
/// let model = llm.model();
/// assert_eq!((model.config().layers, model.config().heads), (2, 4));
/// assert_eq!(model.device().info().kind, bessemer_core::DeviceKind::Cpu);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Model {
    config: Config,
    weights: Weights,
    device: Arc<dyn Device>,
    /// The files that the weights may be used in.
    maps: Vec<Arc<Mapped>>,
}

impl Model {
    /// Takes the weights of a model to a device, in place where the device can.
    pub fn of(file: &ModelFile, device: &Arc<dyn Device>) -> Result<Model> {
        match file {
            ModelFile::Gguf(file) => Model::of_gguf(file, device),
            ModelFile::Safetensors(files) => Model::of_safetensors(files, device),
        }
    }

    /// Takes the weights of a GGUF file to a device, in place where the device can.
    pub fn of_gguf(file: &Gguf, device: &Arc<dyn Device>) -> Result<Model> {
        let config = Config::of_gguf(file)?;
        room::for_weights(file.tensors(), &**device)?;
        let names = Names::of_gguf(&config.architecture, file.tensors());
        let weights = Weights::load(&config, &names, None, file.tensors(), &**device)?;
        Model::with(config, weights, device, file.tensors())
    }

    /// Takes the weights of safetensors files to a device, in place where the device can. What
    /// model they are, their `config.json` says.
    pub fn of_safetensors(files: &Safetensors, device: &Arc<dyn Device>) -> Result<Model> {
        let config = Config::of_safetensors(files)?;
        room::for_weights(files.tensors(), &**device)?;
        let names = Names::of_hub(hub::family(files)?, files.tensors());
        let tied = files.require_config()?.get("tie_word_embeddings")?;
        let weights = Weights::load(&config, &names, tied, files.tensors(), &**device)?;
        Model::with(config, weights, device, files.tensors())
    }

    fn with(
        config: Config,
        weights: Weights,
        device: &Arc<dyn Device>,
        tensors: &Tensors,
    ) -> Result<Model> {
        tensors.check()?;
        Ok(Model { config, weights, device: Arc::clone(device), maps: tensors.maps().to_vec() })
    }

    /// An error if a file was truncated while it was in use: what was computed since is wrong.
    pub(crate) fn check_files(&self) -> Result<()> {
        self.maps.iter().try_for_each(|map| map.check())
    }

    /// An error if a file has changed since the model was loaded.
    pub(crate) fn check_files_unchanged(&self) -> Result<()> {
        self.maps.iter().try_for_each(|map| map.check_unchanged())
    }

    /// What it is made of.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What tells it from other models, whatever device it is on.
    pub(crate) fn fingerprint(&self) -> &[u8; 32] {
        &self.weights.fingerprint
    }

    /// Where it runs.
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Model ({}, {} layers)", self.config.architecture, self.config.layers)
    }
}
