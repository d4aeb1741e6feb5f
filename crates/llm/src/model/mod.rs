//! Models: a decoder-only transformer, told by data from any other.
//!
//! `config` is what tells them apart, `weights` are their numbers, `forward` is what they do.
//! Texts and their caches live in `session`.

mod cache;
mod config;
mod forward;
mod gguf;
mod weights;

pub(crate) use cache::Cache;
pub use config::{Config, RopeConfig};
pub(crate) use forward::{Ask, EACH, Workspace};
pub use gguf::ARCHITECTURES;

use crate::{
    Error, Result,
    files::{Gguf, ModelFile},
};
use bessemer_core::Device;
use std::{fmt, sync::Arc};
use weights::Weights;

/// A model on a device.
pub struct Model {
    config: Config,
    weights: Weights,
    device: Arc<dyn Device>,
}

impl Model {
    /// Takes the weights of a model's files to a device, in place where the device can.
    pub fn of(file: &ModelFile, device: &Arc<dyn Device>) -> Result<Model> {
        match file {
            ModelFile::Gguf(file) => Model::of_gguf(file, device),
            ModelFile::Safetensors(files) => Err(Error::unsupported(
                files.folder(),
                "folder",
                "running safetensors",
                "get the model as a GGUF file",
            )),
        }
    }

    /// Takes the weights of a GGUF file to a device, in place where the device can.
    pub fn of_gguf(file: &Gguf, device: &Arc<dyn Device>) -> Result<Model> {
        let config = Config::of_gguf(file)?;
        let weights = Weights::load(&config, file.tensors(), &**device)?;
        Ok(Model { config, weights, device: Arc::clone(device) })
    }

    /// What it is made of.
    pub fn config(&self) -> &Config {
        &self.config
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
