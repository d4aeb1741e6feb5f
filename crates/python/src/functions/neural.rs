//! The layers that neural networks are made of, each as one op.

use crate::{array::Out, operand::ArrayArg};
use bessemer::array::Attention;
use pyo3::prelude::*;

/// Rows along the last axis, shifted and scaled to a mean of 0 and a variance of 1, then times `weight` plus
/// `bias`.
///
/// >>> import bessemer as bm
/// >>> bm.layer_norm(bm.array([[1.0, 3.0], [10.0, 20.0]]), eps=0.0)
/// array([[-1.,  1.],
///        [-1.,  1.]], dtype=float32)
#[pyfunction]
#[pyo3(
    signature = (x, /, weight = None, bias = None, *, eps = 1e-5),
    text_signature = "(x, /, weight=None, bias=None, *, eps=1e-05)"
)]
fn layer_norm(x: ArrayArg, weight: Option<ArrayArg>, bias: Option<ArrayArg>, eps: f32) -> Out {
    let [weight, bias] = [weight, bias].map(|array| array.map(|array| array.0));
    Out(x.0.layer_norm(weight.as_ref(), bias.as_ref(), eps))
}

/// Rows along the last axis, divided by the square root of their mean square, then times `weight`.
///
/// >>> import bessemer as bm
/// >>> bm.rms_norm(bm.array([[3.0, 3.0], [-2.0, 2.0]]), bm.ones(2), eps=0.0)
/// array([[ 1.,  1.],
///        [-1.,  1.]], dtype=float32)
#[pyfunction]
#[pyo3(
    signature = (x, weight, /, *, eps = 1e-5),
    text_signature = "(x, weight, /, *, eps=1e-05)"
)]
fn rms_norm(x: ArrayArg, weight: ArrayArg, eps: f32) -> Out {
    Out(x.0.rms_norm(&weight.0, eps))
}

/// Scaled dot-product attention of queries `(..., heads, rows, size)` with keys and values
/// `(..., kv_heads, tokens, size)`. `heads / kv_heads` neighbouring heads of queries share one of keys and
/// values. The scale is `1 / sqrt(size)` unless it is given. With `causal`, the last query sees all keys and
/// each one before it one key less.
///
/// >>> import bessemer as bm
/// >>> q = bm.zeros((1, 2, 2))
/// >>> bm.attention(q, q, bm.array([[[1.0, 2.0], [3.0, 4.0]]]), causal=True)
/// array([[[1., 2.],
///         [2., 3.]]], dtype=float32)
#[pyfunction]
#[pyo3(
    signature = (q, k, v, /, *, scale = None, causal = false),
    text_signature = "(q, k, v, /, *, scale=None, causal=False)"
)]
fn attention(q: ArrayArg, k: ArrayArg, v: ArrayArg, scale: Option<f32>, causal: bool) -> Out {
    Out(q.0.attention(&k.0, &v.0, Attention { scale, causal }))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add!(module: layer_norm rms_norm attention)
}
