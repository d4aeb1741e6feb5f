//! A whole mixture of experts as one batch: what the documentation of `ExpertLinear` says it is
//! made of, beside the same in plain loops.

use bessemer_core::{Batch, DType, Device, Element, Error, Shape, View};
use bessemer_cpu::{Cpu, CpuOptions, Reference};
use bessemer_ops::{Activation, ExpertLinear, Gated, Linear, Matmul, Softmax, TopK};

const ROWS: usize = 5;
const WIDTH: usize = 24;
const HIDDEN: usize = 40;
const EXPERTS: usize = 6;
const USED: usize = 2;

fn numbers(seed: u32, count: usize) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

struct Made<'d>(&'d dyn Device);

impl Made<'_> {
    fn empty(&self, dtype: DType, dims: &[usize]) -> View {
        let shape = Shape::new(dims).unwrap();
        View::new(&self.0.alloc(shape.elements() * 4).unwrap(), dtype, shape).unwrap()
    }

    fn of(&self, values: &[f32], dims: &[usize]) -> View {
        let view = self.empty(DType::F32, dims);
        self.0.write(&view.slice().unwrap(), f32::as_bytes(values)).unwrap();
        view
    }
}

/// `x · wᵀ` for one row.
fn times(x: &[f32], w: &[f32]) -> Vec<f64> {
    let dot = |w: &[f32]| x.iter().zip(w).map(|(x, w)| f64::from(x * w)).sum();
    w.chunks(x.len()).map(dot).collect()
}

fn plain(x: &[f32], router: &[f32], layers: [&[f32]; 3], normalised: bool) -> Vec<f64> {
    let [gate, up, down] = layers.map(|layer| layer.chunks(WIDTH * HIDDEN).collect::<Vec<_>>());
    let mut out = Vec::new();
    for x in x.chunks(WIDTH) {
        let logits = times(x, router);
        let whole: f64 = logits.iter().map(|x| x.exp()).sum();
        let mut order: Vec<usize> = (0..EXPERTS).collect();
        order.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
        let chosen = &order[..USED];
        let share: f64 = chosen.iter().map(|&e| logits[e].exp() / whole).sum();
        let mut row = vec![0.0; WIDTH];
        for &e in chosen {
            let weight = logits[e].exp() / whole / if normalised { share } else { 1.0 };
            let pairs = times(x, gate[e]).into_iter().zip(times(x, up[e]));
            let hidden = pairs.map(|(g, u)| (g / (1.0 + (-g).exp()) * u) as f32);
            let hidden: Vec<f32> = hidden.collect();
            row.iter_mut().zip(times(&hidden, down[e])).for_each(|(sum, y)| *sum += weight * y);
        }
        out.extend(row);
    }
    out
}

#[test]
fn a_mixture_is_one_batch() {
    let x = numbers(1, ROWS * WIDTH);
    let router = numbers(2, EXPERTS * WIDTH);
    let size = EXPERTS * WIDTH * HIDDEN;
    let layers = [numbers(3, size), numbers(4, size), numbers(5, size)];
    let cpu = Cpu::open(CpuOptions { threads: Some(2), ..Default::default() }).unwrap();
    let reference = Reference::new();
    for device in [&cpu as &dyn Device, &reference] {
        for normalised in [true, false] {
            let made = Made(device);
            let [gate, up, down] = [
                made.of(&layers[0], &[EXPERTS, HIDDEN, WIDTH]),
                made.of(&layers[1], &[EXPERTS, HIDDEN, WIDTH]),
                made.of(&layers[2], &[EXPERTS, WIDTH, HIDDEN]),
            ];
            let (x_view, router_view) =
                (made.of(&x, &[ROWS, WIDTH]), made.of(&router, &[EXPERTS, WIDTH]));
            let logits = made.empty(DType::F32, &[ROWS, EXPERTS]);
            let weights = made.empty(DType::F32, &[ROWS, USED]);
            let ids = made.empty(DType::U32, &[ROWS, USED]);
            let gated = made.empty(DType::F32, &[ROWS, USED, HIDDEN]);
            let upped = made.empty(DType::F32, &[ROWS, USED, HIDDEN]);
            let each = made.empty(DType::F32, &[ROWS, USED, WIDTH]);
            let out = made.empty(DType::F32, &[ROWS, WIDTH]);

            let mut batch = Batch::new();
            let shares = |x: &View| Softmax {
                x: x.clone(),
                scale: 1.0,
                mask: None,
                log: false,
                out: x.clone(),
            };
            let layer = |x: &View, weight: &View, out: &View| ExpertLinear {
                x: x.clone(),
                weight: weight.clone(),
                ids: ids.clone(),
                out: out.clone(),
            };
            batch
                .push(Linear {
                    x: x_view.clone(),
                    weight: router_view,
                    bias: None,
                    out: logits.clone(),
                })
                .unwrap();
            if !normalised {
                batch.push(shares(&logits)).unwrap();
            }
            let top = TopK { x: logits, values: weights.clone(), indices: ids.clone() };
            batch.push(top).unwrap();
            if normalised {
                batch.push(shares(&weights)).unwrap();
            }
            batch.push(layer(&x_view, &gate, &gated)).unwrap();
            batch.push(layer(&x_view, &up, &upped)).unwrap();
            let activation = Activation::Silu;
            batch
                .push(Gated { gate: gated.clone(), up: upped, activation, out: gated.clone() })
                .unwrap();
            batch.push(layer(&gated, &down, &each)).unwrap();
            batch
                .push(Matmul {
                    a: weights.unsqueeze(1).unwrap(),
                    b: each,
                    out: out.unsqueeze(1).unwrap(),
                })
                .unwrap();
            device.wait(device.submit(&batch).unwrap()).unwrap();

            let mut found = vec![0f32; ROWS * WIDTH];
            device.read(&out.slice().unwrap(), f32::as_bytes_mut(&mut found)).unwrap();
            let wanted = plain(&x, &router, layers.each_ref().map(|l| &l[..]), normalised);
            for (found, wanted) in found.iter().zip(wanted) {
                assert!((f64::from(*found) - wanted).abs() < 1e-4, "{found}, not {wanted}");
            }
        }
    }
}

#[test]
fn operands_that_do_not_fit_are_named() {
    let device = Reference::new();
    let made = Made(&device);
    let op = || ExpertLinear {
        x: made.empty(DType::F32, &[3, 8]),
        weight: made.empty(DType::F32, &[4, 5, 8]),
        ids: made.empty(DType::U32, &[3, 2]),
        out: made.empty(DType::F32, &[3, 2, 5]),
    };
    assert!(Batch::new().push(op()).is_ok());
    let refused = [
        ExpertLinear { x: made.empty(DType::I32, &[3, 8]), ..op() },
        ExpertLinear { x: made.empty(DType::F32, &[3, 1, 8]), ..op() },
        ExpertLinear { x: made.empty(DType::F32, &[8]), ..op() },
        ExpertLinear { weight: made.empty(DType::U32, &[4, 5, 8]), ..op() },
        ExpertLinear { weight: made.empty(DType::F32, &[5, 8]), ..op() },
        ExpertLinear { ids: made.empty(DType::I32, &[3, 2]), ..op() },
        ExpertLinear { ids: made.empty(DType::U32, &[6]), ..op() },
        ExpertLinear { out: made.empty(DType::F32, &[3, 5]), ..op() },
    ];
    for op in refused {
        let error = Batch::new().push(op).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::Rule { .. }), "{text}");
        for name in ["expert_linear", "x", "weight", "ids", "out"] {
            assert!(text.contains(name), "{text}");
        }
    }
}
