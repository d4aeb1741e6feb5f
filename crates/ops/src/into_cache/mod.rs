//! What comes before attention: heads normed and turned by their positions, and keys and values put
//! into their cache.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::RopePairs;
use bessemer_core::{
    Access, Cost, DType, Error, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out` becomes the queries, turned; the keys, turned as well, and the values become the rows of
/// the cache at their positions. The rest of the cache stays.
///
/// It is what [`RmsNorm`](crate::RmsNorm), [`Rope`](crate::Rope) and [`Scatter`](crate::Scatter) do
/// one after another. Rows at a position that the cache has no place for are not kept; of rows at
/// the same position the last is.
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

impl Operation for IntoCache {
    fn name(&self) -> &'static str {
        "into_cache"
    }

    fn check(&self) -> Result<()> {
        let IntoCache { q, k, v, norms, positions, frequencies, keys, values, out, .. } = self;
        let refuse = |rule: &str| {
            let mut operands = vec![("q", q), ("k", k), ("v", v), ("positions", positions)];
            operands.extend([("frequencies", frequencies), ("keys", keys), ("values", values)]);
            operands.push(("out", out));
            if let Some(norms) = norms {
                operands.extend([("norms.q", &norms.q), ("norms.k", &norms.k)]);
            }
            Err(Error::rule(self.name(), rule, &operands))
        };
        if [q, k, v, out].iter().any(|view| !view.dtype().is_float()) {
            return refuse("q, k, v and out are floats");
        }
        let (&[rows, _, size], &[k_rows, kv_heads, k_size]) = (&**q.shape(), &**k.shape()) else {
            return refuse("q and k have three dimensions, [rows, heads, head_size]");
        };
        if (rows, size) != (k_rows, k_size) || k.shape() != v.shape() || q.shape() != out.shape() {
            return refuse("q, k, v and out have as many rows, with heads of one size");
        }
        if keys.dtype() != values.dtype()
            || !(keys.dtype().is_float() || keys.dtype() == DType::Q8_0)
        {
            return refuse("keys and values are of one dtype: f32, f16, bf16 or q8_0");
        }
        let fits = keys.shape().rank() == 3
            && keys.shape() == values.shape()
            && (keys.shape()[0], keys.shape()[2]) == (kv_heads, size);
        if !fits {
            return refuse("keys and values have the same shape, [kv_heads, tokens, head_size]");
        }
        if positions.dtype() != DType::U32 || **positions.shape() != [rows] {
            return refuse("positions are u32, one per row");
        }
        if frequencies.dtype() != DType::F32 || frequencies.shape().rank() != 1 {
            return refuse("frequencies are f32, of one dimension");
        }
        if frequencies.elements() > size / 2 {
            return refuse("there are at most half as many frequencies as elements of a head");
        }
        if !self.magnitude.is_finite() {
            return refuse("magnitude is a finite number");
        }
        if let Some(HeadNorms { q, k, epsilon }) = norms {
            let fits = |view: &View| view.dtype().is_float() && **view.shape() == [size];
            if !(fits(q) && fits(k)) {
                return refuse("norms are floats, one per element of a head");
            }
            if !(epsilon.is_finite() && *epsilon >= 0.0) {
                return refuse("epsilon is a number of at least 0");
            }
        }
        Ok(())
    }

    fn access(&self) -> Access {
        let mut reads = vec![&self.q, &self.k, &self.v, &self.positions, &self.frequencies];
        if let Some(norms) = &self.norms {
            reads.extend([&norms.q, &norms.k]);
        }
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
