//! Arrays as plain lists: what each step of a random graph should give.

use bessemer_array::{Array, Index, promote, s};
use bessemer_core::DType;
use proptest::sample;

/// A step of a graph: an op of two earlier nodes.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) op: usize,
    pub(crate) a: sample::Index,
    pub(crate) b: sample::Index,
    pub(crate) extra: usize,
}

/// An array as a list.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<f64>,
}

/// How many ops there are.
pub(crate) const OPS: usize = 16;
/// Values stay within this, so that all arithmetic is exact.
const LIMIT: f64 = 100.0;

/// The step on arrays.
pub(crate) fn apply(step: &Step, a: &Array, b: &Array) -> Array {
    let axis = (step.extra % 3) as isize;
    let keep = step.extra.is_multiple_of(2);
    match step.op {
        0 => limited(&(a + b)),
        1 => limited(&(a - b)),
        2 => limited(&(a * b)),
        3 => a.maximum(b),
        4 => a.lt(b),
        5 => Array::where_(&a.gt(0), a, b),
        6 => a.astype(CASTS[step.extra % 3]),
        7 if keep => limited(&a.sum_keepdim(axis)),
        7 => limited(&a.sum(axis)),
        8 if keep => a.max_keepdim(axis),
        8 => a.max(axis),
        9 => a.transpose(),
        10 => a.slice([Index::from(..).step_by(-1), Index::Ellipsis]),
        11 => a.slice(s![..., 1..]),
        12 => a.flatten(),
        13 => a.expand_dims(axis),
        14 => limited(&(3 - a.abs() * 2)),
        _ => a.argmax(axis),
    }
}

const CASTS: [DType; 3] = [DType::F32, DType::I32, DType::Bool];

fn limited(a: &Array) -> Array {
    if a.dtype() == DType::Bool { a.clone() } else { a.clamp(0, LIMIT as i32) }
}

/// The step on lists; `None` if it should be refused.
pub(crate) fn predict(step: &Step, a: &Model, b: &Model) -> Option<Model> {
    let axis = step.extra % 3;
    let limit = |dtype: DType, x: f64| match dtype {
        DType::Bool => x,
        _ => x.clamp(0.0, LIMIT),
    };
    let arithmetic = |f: fn(f64, f64) -> f64| {
        let made = zip(a, b, |dtype, x, y| limit(dtype, wrap(dtype, f(x, y))))?;
        Some(made)
    };
    match step.op {
        0 if common(a, b)? == DType::Bool => zip(a, b, |_, x, y| x.max(y)),
        0 => arithmetic(|x, y| x + y),
        1 if common(a, b)? == DType::Bool => None,
        1 => arithmetic(|x, y| x - y),
        2 => arithmetic(|x, y| x * y),
        3 => zip(a, b, |_, x, y| x.max(y)),
        4 => Some(Model { dtype: DType::Bool, ..zip(a, b, |_, x, y| f64::from(x < y))? }),
        5 => {
            let condition = Model {
                values: a.values.iter().map(|&x| f64::from(x > 0.0)).collect(),
                ..a.clone()
            };
            let chosen = zip(a, b, |_, x, _| x)?;
            let other = zip(a, b, |_, _, y| y)?;
            let dtype = chosen.dtype;
            let condition = broadcast(&condition, &chosen.shape);
            let pick =
                |i: usize| if condition[i] != 0.0 { chosen.values[i] } else { other.values[i] };
            let values = (0..chosen.values.len()).map(pick).collect();
            Some(Model { dtype, shape: chosen.shape, values })
        }
        6 => {
            let dtype = CASTS[step.extra % 3];
            let cast = |x: &f64| if dtype == DType::Bool { f64::from(*x != 0.0) } else { *x };
            Some(Model {
                dtype,
                shape: a.shape.clone(),
                values: a.values.iter().map(cast).collect(),
            })
        }
        7 => {
            let dtype = match a.dtype {
                DType::Bool => DType::I64,
                other if other.is_unsigned_integer() => DType::U64,
                other if other.is_integer() => DType::I64,
                other => other,
            };
            let mut sum = fold(a, axis, step.extra.is_multiple_of(2), |xs| xs.iter().sum())?;
            sum.values.iter_mut().for_each(|x| *x = limit(dtype, *x));
            Some(Model { dtype, ..sum })
        }
        8 => fold(a, axis, step.extra.is_multiple_of(2), |xs| {
            xs.iter().copied().fold(f64::MIN, f64::max)
        })
        .filter(|_| {
            !a.values.is_empty() || a.shape.iter().enumerate().any(|(i, &n)| i != axis && n == 0)
        }),
        9 => {
            let order: Vec<usize> = (0..a.shape.len()).rev().collect();
            Some(pick(a, order.iter().map(|&i| a.shape[i]).collect(), |at| {
                at.iter().rev().copied().collect()
            }))
        }
        10 if a.shape.is_empty() => None,
        10 => Some(pick(a, a.shape.clone(), |at| {
            let mut at = at.to_vec();
            at[0] = a.shape[0] - 1 - at[0];
            at
        })),
        11 if a.shape.is_empty() => None,
        11 => {
            let mut shape = a.shape.clone();
            let last = shape.len() - 1;
            shape[last] = shape[last].saturating_sub(1);
            Some(pick(a, shape, |at| {
                let mut at = at.to_vec();
                at[last] += 1;
                at
            }))
        }
        12 => Some(Model { shape: vec![a.values.len()], ..a.clone() }),
        13 => {
            let mut shape = a.shape.clone();
            if axis > shape.len() || shape.len() >= 8 {
                return None;
            }
            shape.insert(axis, 1);
            Some(Model { shape, ..a.clone() })
        }
        14 => {
            let dtype = if a.dtype == DType::Bool { DType::I32 } else { a.dtype };
            let each = |x: &f64| limit(dtype, wrap(dtype, 3.0 - wrap(dtype, x.abs() * 2.0)));
            Some(Model {
                dtype,
                shape: a.shape.clone(),
                values: a.values.iter().map(each).collect(),
            })
        }
        _ => {
            let first_of_largest = |xs: &[f64]| {
                let largest = xs.iter().copied().fold(f64::MIN, f64::max);
                xs.iter().position(|&x| x == largest).unwrap_or(0) as f64
            };
            let made = fold(a, axis, false, first_of_largest).filter(|_| {
                !a.values.is_empty()
                    || a.shape.iter().enumerate().any(|(i, &n)| i != axis && n == 0)
            });
            Some(Model { dtype: DType::I64, ..made? })
        }
    }
}

/// What is left of a result in the bits of its dtype.
fn wrap(dtype: DType, x: f64) -> f64 {
    match dtype {
        DType::I8 => f64::from(x as i64 as i8),
        DType::U8 => f64::from(x as i64 as u8),
        DType::U16 => f64::from(x as i64 as u16),
        DType::U32 => f64::from(x as i64 as u32),
        // As doubles hold it.
        DType::U64 => (x as i64 as u64) as f64,
        _ => x,
    }
}

fn common(a: &Model, b: &Model) -> Option<DType> {
    promote(a.dtype, b.dtype)
}

fn zip(a: &Model, b: &Model, f: impl Fn(DType, f64, f64) -> f64) -> Option<Model> {
    let dtype = common(a, b)?;
    let rank = a.shape.len().max(b.shape.len());
    let size =
        |m: &Model, i: usize| (i + m.shape.len()).checked_sub(rank).map_or(1, |i| m.shape[i]);
    let mut shape = Vec::new();
    for i in 0..rank {
        shape.push(match (size(a, i), size(b, i)) {
            (x, y) if x == y => x,
            (1, y) => y,
            (x, 1) => x,
            _ => return None,
        });
    }
    let (x, y) = (broadcast(a, &shape), broadcast(b, &shape));
    let values = x.iter().zip(&y).map(|(&x, &y)| f(dtype, x, y)).collect();
    Some(Model { dtype, shape, values })
}

fn broadcast(m: &Model, shape: &[usize]) -> Vec<f64> {
    let added = shape.len() - m.shape.len();
    pick(m, shape.to_vec(), |at| {
        at[added..].iter().zip(&m.shape).map(|(&i, &size)| if size == 1 { 0 } else { i }).collect()
    })
    .values
}

/// The elements of `m` that `from` names for each place of `shape`.
fn pick(m: &Model, shape: Vec<usize>, from: impl Fn(&[usize]) -> Vec<usize>) -> Model {
    let count: usize = shape.iter().product();
    let place = |n: usize| {
        let mut at = vec![0; shape.len()];
        let mut rest = n;
        for i in (0..shape.len()).rev() {
            at[i] = rest % shape[i];
            rest /= shape[i];
        }
        let at = from(&at);
        m.values[at.iter().zip(&m.shape).fold(0, |n, (i, size)| n * size + i)]
    };
    let values = (0..count).map(place).collect();
    Model { dtype: m.dtype, shape, values }
}

fn fold(m: &Model, axis: usize, keepdim: bool, f: impl Fn(&[f64]) -> f64) -> Option<Model> {
    let len = *m.shape.get(axis)?;
    let mut shape = m.shape.clone();
    shape[axis] = 1;
    let count: usize = shape.iter().product();
    let inner: usize = m.shape[axis + 1..].iter().product();
    let values = (0..count)
        .map(|n| {
            let start = n / inner.max(1) * len * inner + n % inner.max(1);
            let along: Vec<f64> = (0..len).map(|i| m.values[start + i * inner]).collect();
            f(&along)
        })
        .collect();
    if !keepdim {
        shape.remove(axis);
    }
    Some(Model { dtype: m.dtype, shape, values })
}
