//! The keys and values of all tokens so far.

use super::config::Config;
use crate::Result;
use bessemer_core::{DType, Device, Shape, View, estimate::KvCache};

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

    /// Tokens it has room for.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }
}
