//! The keys and values of all tokens so far.

use super::config::Config;
use crate::Result;
use bessemer_core::{Batch, DType, Device, Shape, View, estimate::KvCache};
use bessemer_ops::Copy;

/// Room for the keys and values of `capacity` tokens.
#[derive(Debug)]
pub(crate) struct Cache {
    layers: Vec<(View, View)>,
    capacity: usize,
}

impl Cache {
    pub(crate) fn new(
        device: &dyn Device,
        config: &Config,
        capacity: usize,
        dtype: DType,
    ) -> Result<Cache> {
        let Config { layers, kv_heads: heads, head_size, .. } = *config;
        let bytes = KvCache { layers: 1, heads, head_size, context: capacity, dtype }.bytes()? / 2;
        // Each head from token to token without a gap: attention streams it from end to end.
        let shape = Shape::new(&[heads, capacity, head_size])?;
        let make = || View::new(&device.alloc(bytes)?, dtype, shape);
        let layers = (0..layers).map(|_| Ok((make()?, make()?))).collect::<Result<_>>()?;
        Ok(Cache { layers, capacity })
    }

    /// The keys and values of a layer.
    pub(crate) fn layer(&self, number: usize) -> (&View, &View) {
        let (keys, values) = &self.layers[number];
        (keys, values)
    }

    /// The ops that copy the first `tokens` to another cache of the same shape.
    pub(crate) fn copies_to(&self, other: &Cache, tokens: usize) -> Result<Batch> {
        let mut batch = Batch::new();
        for (from, to) in self.layers.iter().zip(&other.layers).filter(|_| tokens > 0) {
            for (from, to) in [(&from.0, &to.0), (&from.1, &to.1)] {
                let (x, out) = (from.narrow(1, 0..tokens)?, to.narrow(1, 0..tokens)?);
                batch.push(Copy { x, out })?;
            }
        }
        Ok(batch)
    }

    /// Tokens it has room for.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }
}
