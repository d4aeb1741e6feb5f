//! The step before attention: normalises heads, applies rotary embeddings, and writes keys and values
//! to the KV cache.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::{
    RopePairs,
    check::{Check, dims},
};
use bessemer_core::{
    Access, Cost, DType, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out` becomes the queries, turned; the keys, turned as well, and the values become the rows of
/// the cache at their positions. The rest of the cache stays.
///
/// It is what [`RmsNorm`](crate::RmsNorm), [`Rope`](crate::Rope) and [`Scatter`](crate::Scatter) do
/// one after another. Rows at a position (or with a slot) that the cache has no place for are not
/// kept; of rows at the same one the last is.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::{IntoCache, RopePairs};
///
/// let device = bessemer_cpu::Reference::new();
/// // One token at position 2, one head of two elements, and frequencies that turn nothing.
/// let head = |values: &[f32]| View::from_slice(&device, values, &[1, 1, 2]);
/// let (q, k, v) = (head(&[1.0, 2.0])?, head(&[3.0, 4.0])?, head(&[5.0, 6.0])?);
/// let positions = View::from_slice(&device, &[2u32], &[1])?;
/// let frequencies = View::from_slice(&device, &[0.0f32], &[1])?;
/// let keys = View::from_slice(&device, &[0.0f32; 6], &[1, 3, 2])?;
/// let values = View::from_slice(&device, &[0.0f32; 6], &[1, 3, 2])?;
/// let out = head(&[0.0, 0.0])?;
/// let mut batch = Batch::new();
/// batch.push(IntoCache {
///     q, k, v, norms: None, positions, frequencies, magnitude: 1.0, pairs: RopePairs::Halves,
///     slots: None, keys: keys.clone(), values, out: out.clone(),
/// })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(keys.to_vec::<f32>(&device)?, [0.0, 0.0, 0.0, 0.0, 3.0, 4.0]);
/// assert_eq!(out.to_vec::<f32>(&device)?, [1.0, 2.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct IntoCache {
    /// `[rows, heads, head_size]`, floats.
    pub q: View,
    /// `[rows, kv_heads, head_size]`, floats.
    pub k: View,
    /// As `k`.
    pub v: View,
    /// By what each head of `q` and `k` is normed first, if it is.
    pub norms: Option<HeadNorms>,
    /// `[rows]`, `U32`: where in the text the rows are.
    pub positions: View,
    /// Radians per position of each pair, `F32`: see
    /// [`RopeScaling::frequencies`](crate::RopeScaling::frequencies).
    pub frequencies: View,
    /// What turned pairs are multiplied by: 1 but for some scalings.
    pub magnitude: f32,
    /// Which elements make a pair.
    pub pairs: RopePairs,
    /// `[rows]`, `U32`: which rows of the cache they become, where those are not the positions: in a cache
    /// of [`Pages`](crate::Pages).
    pub slots: Option<View>,
    /// `[kv_heads, tokens, head_size]`, floats or `Q8_0`.
    pub keys: View,
    /// As `keys`.
    pub values: View,
    /// As `q`.
    pub out: View,
}

/// The norms of the heads of queries and keys.
#[derive(Clone, Debug)]
pub struct HeadNorms {
    /// What each element of a head of queries is multiplied by, `[head_size]`, floats.
    pub q: View,
    /// The same for keys.
    pub k: View,
    /// Added to the mean square.
    pub epsilon: f32,
}

impl IntoCache {
    /// Where in the cache the rows go.
    fn places(&self) -> &View {
        self.slots.as_ref().unwrap_or(&self.positions)
    }
}

impl Operation for IntoCache {
    fn name(&self) -> &'static str {
        "into_cache"
    }

    fn check(&self) -> Result<()> {
        let IntoCache { q, k, v, norms, positions, frequencies, keys, values, out, .. } = self;
        let operands = [
            ("q", q),
            ("k", k),
            ("v", v),
            ("positions", positions),
            ("frequencies", frequencies),
            ("keys", keys),
            ("values", values),
            ("out", out),
        ];
        let check = Check::new(self.name(), operands)
            .and("norms.q", norms.as_ref().map(|norms| &norms.q))
            .and("norms.k", norms.as_ref().map(|norms| &norms.k))
            .and("slots", self.slots.as_ref());
        for view in [q, k, v, out] {
            check.float(view)?;
        }
        check.rank(q, 3, "[rows, heads, head_size]")?;
        check.rank(k, 3, "[rows, kv_heads, head_size]")?;
        let ([rows, _, size], [_, kv_heads, _]) = (dims(q.shape()), dims(k.shape()));
        check.shape(k, &[rows, kv_heads, size], "rows and head size of q")?;
        check.same_shape(v, k)?;
        check.same_shape(out, q)?;
        let stored = keys.dtype().fits_f32() || keys.dtype() == DType::Q8_0;
        check.dtype(keys, stored, "f32, f16, bf16 or q8_0")?;
        check.same_dtype(values, keys)?;
        check.rank(keys, 3, "[kv_heads, tokens, head_size]")?;
        let tokens = keys.shape()[1];
        check.shape(keys, &[kv_heads, tokens, size], "heads and head size of k")?;
        check.same_shape(values, keys)?;
        check.is(positions, DType::U32)?;
        check.shape(positions, &[rows], "one position per row of q")?;
        if let Some(slots) = &self.slots {
            check.is(slots, DType::U32)?;
            check.shape(slots, &[rows], "one slot per row of q")?;
        }
        check.frequencies(frequencies, size)?;
        check.finite("magnitude", self.magnitude)?;
        if let Some(HeadNorms { q, k, epsilon }) = norms {
            for view in [q, k] {
                check.float(view)?;
                check.shape(view, &[size], "one element per element of a head")?;
            }
            check.epsilon(*epsilon)?;
        }
        Ok(())
    }

    fn access(&self) -> Access {
        let mut reads = vec![&self.q, &self.k, &self.v, &self.positions, &self.frequencies];
        if let Some(norms) = &self.norms {
            reads.extend([&norms.q, &norms.k]);
        }
        reads.extend(&self.slots);
        Access::new(&reads, &[&self.out, &self.keys, &self.values])
    }

    fn cost(&self) -> Cost {
        // Of the cache, only the new rows are written.
        let (q, kv) = (self.q.elements(), self.k.elements() + self.v.elements());
        let rest = Access::new(&[&self.q, &self.k, &self.v, &self.positions], &[&self.out]);
        let mut cost = Cost::of(&rest, 3 * (q + kv / 2) as u64);
        let dtype = self.keys.dtype();
        cost.bytes += (kv / dtype.block_len() * dtype.block_bytes()) as u64;
        cost
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::into_cache(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::into_cache(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::into_cache(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
