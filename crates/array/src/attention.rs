//! Scaled dot-product attention.

use crate::{
    Array, Error, Result, build_map::common, call::Call, complex, node::Kind, promote::float_of,
};
use bessemer_core::{Batch, DType, View};
use bessemer_ops as ops;
use smallvec::smallvec;
use std::sync::Arc;

/// How queries look at keys.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Attention {
    /// What scores are multiplied by; `1 / sqrt(size)` unless it is given.
    pub scale: Option<f32>,
    /// Queries see no key that is later than they are; the last query is as late as the last key.
    pub causal: bool,
}

/// Its inputs are queries `[batch, heads, rows, size]`, keys and values, and the queries' positions if any.
struct Scores {
    scale: f32,
}

impl Call for Scores {
    fn name(&self) -> &'static str {
        "attention"
    }

    fn has_gapless_rows(&self, input: usize) -> bool {
        matches!(input, 1 | 2)
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let [q, k, v, positions @ ..] = inputs else {
            return Err(bessemer_core::Error::view("attention has three inputs"));
        };
        for i in 0..q.shape()[0] {
            let part = |view: &View| view.narrow(0, i..i + 1)?.squeeze(0);
            let rows_first = |view: &View| part(view)?.permute(&[1, 0, 2]);
            batch.push(ops::Attention {
                q: rows_first(q)?,
                k: part(k)?,
                v: part(v)?,
                positions: positions.first().cloned(),
                pages: None,
                window: None,
                scale: self.scale,
                soft_cap: None,
                out: rows_first(out)?,
            })?;
        }
        Ok(())
    }
}

impl Array {
    /// `softmax(q · kᵀ · scale) · v`, where this array is `q`: `[..., heads, rows, size]`. `k` and `v` are
    /// `[..., kv_heads, tokens, size]`; `heads / kv_heads` neighbouring heads of `q` share one of theirs.
    ///
    /// ```
    /// # use bessemer_array::{Array, Attention, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let q = Array::zeros(&device, &[1, 2, 2], bessemer_core::DType::F32);
    /// let v = Array::new(&device, [[[1.0f32, 2.0], [3.0, 4.0]]])?;
    /// let causal = Attention { causal: true, ..Default::default() };
    /// assert_eq!(q.attention(&q, &v, causal).to_string(), "[[[1. 2.]\n  [2. 3.]]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn attention(&self, k: &Array, v: &Array, how: Attention) -> Array {
        const OP: &str = "attention";
        let named = [("q", self), ("k", k), ("v", v)];
        Array::build(OP, &named, || {
            let dtype = float_of(common(OP, &named)?);
            if dtype.is_complex() {
                return Err(complex::refused(OP, &named));
            }
            let Sizes { batch, heads, rows, kv_heads, tokens, size } = Sizes::of(OP, &named)?;
            let scale = how.scale.unwrap_or(1.0 / (size.max(1) as f32).sqrt());
            if !scale.is_finite() {
                let rule = format!("scale is {scale}, but must be a finite number");
                return Err(Error::rule(OP, rule, &named));
            }
            let shaped = |array: &Array, dims: [usize; 4]| {
                array.cast(dtype).reshape(&dims.map(|size| size as isize))
            };
            let q = shaped(self, [batch, heads, rows, size]);
            let [k, v] = [k, v].map(|array| shaped(array, [batch, kv_heads, tokens, size]));
            let positions = how.causal.then(|| {
                let first = tokens as i64 - rows as i64;
                Array::arange_as(self.device(), first, tokens as i64, 1, DType::I32)
            });
            let out = if dtype == DType::F64 {
                in_steps(&q, &k, &v, positions.as_ref(), scale)
            } else {
                let shape = *q.shape();
                let mut inputs = smallvec![q, k, v];
                inputs.extend(positions);
                Array::lazy(dtype, shape, Kind::Call(Arc::new(Scores { scale })), inputs)
            };
            out.check()?.reshape_to(*self.shape())
        })
    }
}

/// The same of other functions, for what the op does not compute in.
fn in_steps(q: &Array, k: &Array, v: &Array, positions: Option<&Array>, scale: f32) -> Array {
    let (heads, kv_heads) = (q.shape()[1], k.shape()[1]);
    let [k, v] = [k, v].map(|array| array.repeat(heads / kv_heads.max(1), 1));
    let mut scores = q.matmul(&k.swap_axes(-1, -2)) * f64::from(scale);
    if let Some(positions) = positions {
        let tokens = Array::arange_as(q.device(), 0, k.shape()[2] as i64, 1, DType::I32);
        let seen = tokens.le(&positions.expand_dims(-1));
        scores = Array::where_(&seen, &scores, f64::NEG_INFINITY);
    }
    let out = scores.softmax(-1).matmul(&v);
    match positions {
        // Rows that see no key are zeros, as those of the op are.
        Some(positions) => Array::where_(&positions.ge(0).expand_dims(-1), &out, 0),
        None => out,
    }
}

struct Sizes {
    batch: usize,
    heads: usize,
    rows: usize,
    kv_heads: usize,
    tokens: usize,
    size: usize,
}

impl Sizes {
    fn of(op: &'static str, named: &[(&str, &Array); 3]) -> Result<Sizes> {
        let refuse = |rule: &str| Error::rule(op, rule, named);
        let [[stack @ .., heads, rows, size], [k_stack @ .., kv_heads, tokens, k_size], v] =
            named.map(|(_, array)| array.dims())
        else {
            return Err(refuse("q, k and v must have rank 3 or more"));
        };
        if stack != k_stack || size != k_size || v != named[1].1.dims() {
            return Err(refuse(
                "k and v must have one shape, and that of q but for heads and tokens",
            ));
        }
        if *kv_heads == 0 || !heads.is_multiple_of(*kv_heads) {
            let rule =
                format!("{heads} heads of q cannot share {kv_heads} heads of k and v evenly");
            return Err(refuse(&rule));
        }
        let (heads, rows, kv_heads) = (*heads, *rows, *kv_heads);
        Ok(Sizes {
            batch: stack.iter().product(),
            heads,
            rows,
            kv_heads,
            tokens: *tokens,
            size: *size,
        })
    }
}
