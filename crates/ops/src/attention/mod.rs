//! Attention over a cache of keys and values: causal or not, grouped queries, sliding window,
//! soft cap, any number of queries. Of one text, or of several whose keys and values are in pages of one
//! cache.

mod cases;
mod cpu;
mod metal;
mod pages;
mod reference;
mod webgpu;

pub(crate) use cases::cases;
pub use pages::Pages;

use crate::check::{Check, dims};
use bessemer_core::{
    Access, Cost, DType, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// For each query: `softmax(cap(q · kᵀ * scale)) · v` over the keys it sees.
///
/// There may be fewer heads of keys and values than of queries: `heads / kv_heads` neighbouring
/// heads of queries share one. Each head of the cache is best gapless from token to token
/// (`[kv_heads, capacity, head_size]` in memory), as a token then streams it from end to end; any
/// other strides between rows work too.
///
/// Values of keys that only later rows see must be finite: a weight of zero does not hide NaN.
///
/// `positions` is read when the op runs, so the same op serves every token of a text: a batch
/// that decodes one is made once.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::Attention;
///
/// let device = bessemer_cpu::Reference::new();
/// // Two queries of one head; the first sees one key, the second both.
/// let q = View::from_slice(&device, &[0.0f32; 4], &[2, 1, 2])?;
/// let k = View::from_slice(&device, &[0.0f32; 4], &[1, 2, 2])?;
/// let v = View::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0], &[1, 2, 2])?;
/// let positions = Some(View::from_slice(&device, &[0u32, 1], &[2])?);
/// let out = View::alloc(&device, q.dtype(), q.shape())?;
/// let mut batch = Batch::new();
/// let (pages, window, soft_cap, scale) = (None, None, None, 1.0);
/// batch.push(Attention { q, k, v, positions, pages, window, scale, soft_cap, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<f32>(&device)?, [1.0, 2.0, 2.0, 3.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Attention {
    /// `[rows, heads, head_size]`, floats.
    pub q: View,
    /// `[kv_heads, tokens, head_size]`, floats or `Q8_0`, with gapless rows.
    pub k: View,
    /// As `k`.
    pub v: View,
    /// `[rows]`, `I32` or `U32`: a row sees the keys up to its own position, that one included.
    /// Positions beyond the last token see all tokens, negative ones none. Without positions,
    /// every row sees every token.
    pub positions: Option<View>,
    /// With positions: the rows are of several texts, each of which sees the keys in pages of its own.
    /// Then each row's result is bit for bit what it would be alone, in an op of one row.
    pub pages: Option<Pages>,
    /// With positions: a row sees at most this many keys, the latest ones.
    pub window: Option<usize>,
    /// What scores are multiplied by, `1 / sqrt(head_size)` mostly.
    pub scale: f32,
    /// Scores become `cap * tanh(score / cap)`.
    pub soft_cap: Option<f32>,
    /// `[rows, heads, head_size]`, floats. Rows that see no key are zeros.
    pub out: View,
}

/// The sizes of an attention.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    rows: usize,
    heads: usize,
    kv_heads: usize,
    /// The most keys that a row can see.
    tokens: usize,
    head_size: usize,
}

impl Attention {
    /// Meaningful once `check` has passed.
    fn sizes(&self) -> Sizes {
        let (q, k) = (self.q.shape(), self.k.shape());
        let tokens = self.pages.as_ref().map_or(k[1], Pages::capacity);
        Sizes { rows: q[0], heads: q[1], kv_heads: k[0], tokens, head_size: q[2] }
    }

    /// The keys that a row at `position` sees.
    fn visible(&self, position: i64) -> std::ops::Range<usize> {
        let end = (position + 1).clamp(0, self.sizes().tokens as i64) as usize;
        // The window ends at the position, also where the tokens end before.
        let window = self.window.and_then(|window| i64::try_from(window).ok());
        let first = window.map_or(0, |window| (position + 1).saturating_sub(window).max(0));
        (first as usize).min(end)..end
    }
}

impl Operation for Attention {
    fn name(&self) -> &'static str {
        "attention"
    }

    fn check(&self) -> Result<()> {
        let Attention { q, k, v, positions, pages, window, scale, soft_cap, out } = self;
        let check = Check::new(self.name(), [("q", q), ("k", k), ("v", v), ("out", out)])
            .and("positions", positions.as_ref())
            .and("pages.table", pages.as_ref().map(|pages| &pages.table))
            .and("pages.texts", pages.as_ref().map(|pages| &pages.texts));
        check.float(q)?;
        check.float(out)?;
        let stored = k.dtype().fits_f32() || k.dtype() == DType::Q8_0;
        check.dtype(k, stored, "f32, f16, bf16 or q8_0")?;
        check.same_dtype(v, k)?;
        check.rank(q, 3, "[rows, heads, head_size]")?;
        check.same_shape(out, q)?;
        check.rank(k, 3, "[kv_heads, tokens, head_size]")?;
        check.same_shape(v, k)?;
        let ([rows, heads, size], [kv_heads, _, k_size]) = (dims(q.shape()), dims(k.shape()));
        check.require(k_size == size, || {
            format!("the heads of k have size {k_size}, but must have that of q, {size}")
        })?;
        check.require(kv_heads > 0 && heads.is_multiple_of(kv_heads), || {
            format!("{heads} heads of q cannot share {kv_heads} heads of k and v evenly")
        })?;
        for view in [k, v] {
            check.contiguous_rows(view)?;
        }
        if let Some(positions) = positions {
            check.index(positions)?;
            check.shape(positions, &[rows], "one position per row of q")?;
        }
        if let Some(pages) = pages {
            pages.check(&check, rows, k.shape()[1])?;
            check.require(positions.is_some(), || {
                "pages are set, but positions are missing".into()
            })?;
        }
        check.require(window.is_none() || positions.is_some(), || {
            "window is set, but positions are missing".into()
        })?;
        check.require(*window != Some(0), || {
            "window is 0, but must reach at least one key".into()
        })?;
        check.finite("scale", *scale)?;
        check.require(soft_cap.is_none_or(|cap| cap.is_finite() && cap > 0.0), || {
            let cap = soft_cap.unwrap_or_default();
            format!("soft_cap is {cap}, but must be a finite number above 0")
        })
    }

    fn access(&self) -> Access {
        let mut reads = vec![&self.q, &self.k, &self.v];
        reads.extend(&self.positions);
        reads.extend(self.pages.iter().flat_map(|pages| [&pages.table, &pages.texts]));
        Access::new(&reads, &[&self.out])
    }

    fn cost(&self) -> Cost {
        let Sizes { rows, heads, tokens, head_size, .. } = self.sizes();
        // Positions are not known here: as if the rows were the last of the tokens.
        let visible = |row: usize| match (&self.positions, self.window) {
            (None, _) => tokens,
            (Some(_), window) => {
                (tokens.saturating_sub(rows - 1 - row)).min(window.unwrap_or(tokens))
            }
        };
        if self.pages.is_some() {
            // Each row is of a text of its own, as if half as long as it can be.
            let seen = rows * self.window.unwrap_or(tokens).min(tokens.div_ceil(2));
            let rest = Access::new(&[&self.q], &[&self.out]);
            let mut cost = Cost::of(&rest, 4 * (heads * seen * head_size) as u64);
            let all = (self.k.stored_bytes() + self.v.stored_bytes()) as u64;
            cost.bytes += all.min(all / self.k.shape()[1].max(1) as u64 * seen as u64);
            return cost;
        }
        let seen: usize = (0..rows).map(visible).sum();
        Cost::of(&self.access(), 4 * (heads * seen * head_size) as u64)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::attention(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::attention(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::attention(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
