//! The weights of a model, as views of its mapped files.

use super::config::Config;
use crate::{Error, Result, files::Tensors};
use bessemer_core::{Buffer, DType, Device, Element, Shape, View};
use std::collections::HashMap;

/// All weights of a model, on a device.
#[derive(Debug)]
pub(crate) struct Weights {
    pub(crate) embedding: View,
    pub(crate) layers: Vec<Layer>,
    pub(crate) norm: View,
    pub(crate) output: Projection,
    /// Radians per position of each pair.
    pub(crate) frequencies: View,
    pub(crate) magnitude: f32,
}

/// The weights of a layer.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) attention_norm: View,
    pub(crate) q: Projection,
    pub(crate) k: Projection,
    pub(crate) v: Projection,
    pub(crate) q_norm: Option<View>,
    pub(crate) k_norm: Option<View>,
    pub(crate) attention_output: Projection,
    pub(crate) feed_forward_norm: View,
    pub(crate) gate: Projection,
    pub(crate) up: Projection,
    pub(crate) down: Projection,
}

/// A matrix and what is added to its results.
#[derive(Debug)]
pub(crate) struct Projection {
    pub(crate) weight: View,
    pub(crate) bias: Option<View>,
}

impl Weights {
    /// Finds all weights that `config` asks for. Files are used in place where the device can.
    pub(crate) fn load(config: &Config, tensors: &Tensors, device: &dyn Device) -> Result<Weights> {
        let mut loader = Loader { config, tensors, device, files: HashMap::new() };
        let layers = (0..config.layers).map(|i| loader.layer(i)).collect::<Result<_>>()?;
        let embedding = loader.matrix("token_embd.weight", config.vocabulary, config.hidden)?;
        let output = match tensors.get("output.weight") {
            Some(_) => loader.projection("output", config.vocabulary, config.hidden)?,
            None => Projection { weight: embedding.clone(), bias: None },
        };
        let norm = loader.vector("output_norm.weight", config.hidden)?;
        let rope = &config.rope;
        let rope = rope.scaling.frequencies(rope.base, rope.dims)?;
        let frequencies = numbers(device, &rope.per_pair)?;
        Ok(Weights { embedding, layers, norm, output, frequencies, magnitude: rope.magnitude })
    }
}

/// A view of numbers, copied to the device.
fn numbers(device: &dyn Device, values: &[f32]) -> Result<View> {
    let buffer = device.alloc(size_of_val(values))?;
    let view = View::new(&buffer, DType::F32, Shape::new(&[values.len()])?)?;
    device.write(&view.slice()?, f32::as_bytes(values))?;
    Ok(view)
}

struct Loader<'a> {
    config: &'a Config,
    tensors: &'a Tensors,
    device: &'a dyn Device,
    /// The buffer of each file, adopted once.
    files: HashMap<usize, Buffer>,
}

impl Loader<'_> {
    fn layer(&mut self, number: usize) -> Result<Layer> {
        let Config { hidden, heads, kv_heads, head_size, feed_forward, .. } = *self.config;
        let name = |part: &str| format!("blk.{number}.{part}");
        Ok(Layer {
            attention_norm: self.vector(&name("attn_norm.weight"), hidden)?,
            q: self.projection(&name("attn_q"), heads * head_size, hidden)?,
            k: self.projection(&name("attn_k"), kv_heads * head_size, hidden)?,
            v: self.projection(&name("attn_v"), kv_heads * head_size, hidden)?,
            q_norm: self.optional(&name("attn_q_norm.weight"), head_size)?,
            k_norm: self.optional(&name("attn_k_norm.weight"), head_size)?,
            attention_output: self.projection(&name("attn_output"), hidden, heads * head_size)?,
            feed_forward_norm: self.vector(&name("ffn_norm.weight"), hidden)?,
            gate: self.projection(&name("ffn_gate"), feed_forward, hidden)?,
            up: self.projection(&name("ffn_up"), feed_forward, hidden)?,
            down: self.projection(&name("ffn_down"), hidden, feed_forward)?,
        })
    }

    fn projection(&mut self, name: &str, rows: usize, columns: usize) -> Result<Projection> {
        Ok(Projection {
            weight: self.matrix(&format!("{name}.weight"), rows, columns)?,
            bias: self.optional(&format!("{name}.bias"), rows)?,
        })
    }

    fn matrix(&mut self, name: &str, rows: usize, columns: usize) -> Result<View> {
        self.view(name, &[rows, columns])
    }

    fn vector(&mut self, name: &str, len: usize) -> Result<View> {
        self.view(name, &[len])
    }

    fn optional(&mut self, name: &str, len: usize) -> Result<Option<View>> {
        self.tensors.get(name).map(|_| self.vector(name, len)).transpose()
    }

    fn view(&mut self, name: &str, shape: &[usize]) -> Result<View> {
        let tensor = self.tensors.require(name)?;
        if *tensor.shape != *shape {
            let path = self.tensors.files().nth(tensor.file).unwrap_or("".as_ref());
            let why = format!("has the shape {}, not {shape:?}", tensor.shape);
            return Err(Error::damaged(path, format!("tensor `{name}`"), why));
        }
        let buffer = match self.files.get(&tensor.file) {
            Some(buffer) => buffer,
            None => {
                let buffer = self.device.adopt(self.tensors.file(tensor.file))?;
                self.files.entry(tensor.file).or_insert(buffer)
            }
        };
        let strides = tensor.shape.strides();
        Ok(View::at(buffer, tensor.dtype, tensor.shape, strides, tensor.range.start)?)
    }
}
