//! Every validation error of every op: the messages are a snapshot, and a check that is not reached
//! from here fails the test.

use crate::*;
use bessemer_core::{
    DType::{self, BF16, Complex64, F32, I32, Q4_0, Q8_0, U32},
    Device, Operation, Shape, View,
};
use bessemer_cpu::Reference;
use std::{cell::RefCell, collections::BTreeSet, fs, panic::Location, path::Path};

thread_local! {
    static REACHED: RefCell<BTreeSet<(String, u32)>> = const { RefCell::new(BTreeSet::new()) };
}

/// Takes note of where an op refused.
pub(super) fn note(place: &Location<'_>) {
    REACHED.with_borrow_mut(|reached| reached.insert((place.file().to_owned(), place.line())));
}

struct Walk {
    device: Reference,
    said: RefCell<Vec<String>>,
}

impl Walk {
    fn view(&self, dtype: DType, dims: &[usize]) -> View {
        let shape = Shape::new(dims).unwrap();
        let bytes = dtype.bytes_for(shape.elements()).unwrap();
        View::new(&self.device.alloc(bytes).unwrap(), dtype, shape).unwrap()
    }

    /// A view of as many elements as one likes: all are the same one.
    fn vast(&self, dtype: DType, dims: &[usize]) -> View {
        self.view(dtype, &[1]).broadcast_to(Shape::new(dims).unwrap()).unwrap()
    }

    fn refuse(&self, op: impl Operation) {
        let error = op.check().expect_err("it should be refused");
        self.said.borrow_mut().push(error.to_string());
    }
}

#[test]
fn every_refusal_says_what_is_wrong() {
    let walk = Walk { device: Reference::new(), said: RefCell::default() };
    norms(&walk);
    attention(&walk);
    tables(&walk);
    products(&walk);
    others(&walk);
    of_arrays(&walk);
    recurrences(&walk);
    heads_of_rwkv7(&walk);
    insta::assert_snapshot!(walk.said.borrow().join("\n"));
    let missed: Vec<String> =
        places().into_iter().filter(|place| !reached(place)).map(told).collect();
    assert!(missed.is_empty(), "never refused:\n{}", missed.join("\n"));
}

fn norms(walk: &Walk) {
    let f = |dims: &[usize]| walk.view(F32, dims);
    let (ints, point, wide) = (walk.view(I32, &[2, 4]), f(&[]), f(&[2, 5]));
    let (x, weight, out, short) = (f(&[2, 4]), f(&[4]), f(&[2, 4]), f(&[3]));
    let images = (f(&[1, 6, 2]), f(&[1, 6, 2]), f(&[6]));
    let rms = RmsNorm { x: x.clone(), weight: weight.clone(), epsilon: 1e-5, out: out.clone() };
    let layer = LayerNorm {
        x: x.clone(),
        weight: Some(weight.clone()),
        bias: None,
        epsilon: 1e-5,
        out: out.clone(),
    };
    let add = AddRmsNorm {
        x: x.clone(),
        y: f(&[2, 4]),
        weight: weight.clone(),
        epsilon: 0.0,
        sum: f(&[2, 4]),
        out: out.clone(),
    };
    let add_layer = AddLayerNorm {
        x: x.clone(),
        y: f(&[2, 4]),
        weight: weight.clone(),
        bias: Some(f(&[4])),
        epsilon: 0.0,
        sum: f(&[2, 4]),
        out: out.clone(),
    };
    let group = GroupNorm {
        x: images.0,
        groups: 3,
        weight: Some(images.2),
        bias: None,
        epsilon: 0.0,
        out: images.1,
    };
    walk.refuse(RmsNorm { x: ints.clone(), ..rms.clone() });
    walk.refuse(RmsNorm { x: point.clone(), ..rms.clone() });
    walk.refuse(RmsNorm { out: wide.clone(), ..rms.clone() });
    walk.refuse(RmsNorm { weight: short.clone(), ..rms.clone() });
    walk.refuse(RmsNorm { epsilon: f32::NAN, ..rms });
    walk.refuse(LayerNorm { out: ints.clone(), ..layer.clone() });
    walk.refuse(LayerNorm { x: point.clone(), ..layer.clone() });
    walk.refuse(LayerNorm { out: wide.clone(), ..layer.clone() });
    walk.refuse(LayerNorm { bias: Some(short.clone()), ..layer.clone() });
    walk.refuse(LayerNorm { epsilon: -1.0, ..layer });
    walk.refuse(AddRmsNorm { y: ints.clone(), ..add.clone() });
    walk.refuse(AddRmsNorm { x: point.clone(), ..add.clone() });
    walk.refuse(AddRmsNorm { sum: wide.clone(), ..add.clone() });
    walk.refuse(AddRmsNorm { weight: short.clone(), ..add.clone() });
    walk.refuse(AddRmsNorm { epsilon: f32::INFINITY, ..add });
    walk.refuse(AddLayerNorm { y: ints.clone(), ..add_layer.clone() });
    walk.refuse(AddLayerNorm { x: point, ..add_layer.clone() });
    walk.refuse(AddLayerNorm { sum: wide, ..add_layer.clone() });
    walk.refuse(AddLayerNorm { bias: Some(short.clone()), ..add_layer.clone() });
    walk.refuse(AddLayerNorm { epsilon: -1.0, ..add_layer });
    walk.refuse(GroupNorm { out: ints, ..group.clone() });
    walk.refuse(GroupNorm { x: weight, ..group.clone() });
    walk.refuse(GroupNorm { out, ..group.clone() });
    walk.refuse(GroupNorm { groups: 4, ..group.clone() });
    walk.refuse(GroupNorm { weight: Some(short), ..group.clone() });
    walk.refuse(GroupNorm { epsilon: -0.5, ..group });
}

fn attention(walk: &Walk) {
    let f = |dims: &[usize]| walk.view(F32, dims);
    let ints = walk.view(I32, &[2, 4, 8]);
    let q8 = walk.view(Q8_0, &[2, 6, 32]);
    let gaps = f(&[2, 6, 16]).step(2, 0, 8, 2).unwrap();
    let (q, k, positions) = (f(&[3, 4, 8]), f(&[2, 6, 8]), walk.view(U32, &[3]));
    let (flat, odd) = (f(&[3, 4]), f(&[3, 6, 8]));
    let good = Attention {
        q: q.clone(),
        k: k.clone(),
        v: k.clone(),
        positions: Some(positions.clone()),
        pages: None,
        window: None,
        scale: 1.0,
        soft_cap: None,
        out: q.clone(),
    };
    let small = f(&[2, 6, 4]);
    walk.refuse(Attention { q: ints.clone(), ..good.clone() });
    walk.refuse(Attention { out: ints.clone(), ..good.clone() });
    walk.refuse(Attention { k: ints.clone(), ..good.clone() });
    walk.refuse(Attention { v: q8, ..good.clone() });
    walk.refuse(Attention { q: flat.clone(), ..good.clone() });
    walk.refuse(Attention { out: odd.clone(), ..good.clone() });
    walk.refuse(Attention { k: flat.clone(), ..good.clone() });
    walk.refuse(Attention { v: odd.clone(), ..good.clone() });
    walk.refuse(Attention { k: small.clone(), v: small, ..good.clone() });
    walk.refuse(Attention { k: odd.clone(), v: odd.clone(), ..good.clone() });
    walk.refuse(Attention { k: gaps.clone(), v: gaps, ..good.clone() });
    walk.refuse(Attention { positions: Some(f(&[3])), ..good.clone() });
    walk.refuse(Attention { positions: Some(walk.view(U32, &[4])), ..good.clone() });
    walk.refuse(Attention { positions: None, window: Some(2), ..good.clone() });
    walk.refuse(Attention { window: Some(0), ..good.clone() });
    walk.refuse(Attention { scale: f32::NAN, ..good.clone() });
    walk.refuse(Attention { soft_cap: Some(0.0), ..good.clone() });
    let pages = |table: View, texts: View, len| Some(Pages { table, texts, len });
    let (table, texts) = (walk.view(U32, &[2, 5]), walk.view(U32, &[3]));
    let tokens = good.k.shape()[1];
    let paged = Attention { pages: pages(table.clone(), texts.clone(), tokens), ..good };
    walk.refuse(Attention { positions: None, ..paged.clone() });
    walk.refuse(Attention { pages: pages(f(&[2, 5]), texts.clone(), tokens), ..paged.clone() });
    walk.refuse(Attention { pages: pages(texts.clone(), texts.clone(), tokens), ..paged.clone() });
    walk.refuse(Attention { pages: pages(table.clone(), f(&[3]), tokens), ..paged.clone() });
    walk.refuse(Attention {
        pages: pages(table.clone(), walk.view(U32, &[4]), 1),
        ..paged.clone()
    });
    walk.refuse(Attention { pages: pages(table.clone(), texts.clone(), 0), ..paged.clone() });
    walk.refuse(Attention { pages: pages(table, texts.clone(), tokens + 1), ..paged.clone() });
    walk.refuse(Attention { pages: pages(walk.vast(U32, &[1, 1 << 30]), texts, 6), ..paged });

    let frequencies = f(&[4]);
    let rope = Rope {
        x: q.clone(),
        positions: positions.clone(),
        frequencies: frequencies.clone(),
        magnitude: 1.0,
        pairs: RopePairs::Halves,
        out: q.clone(),
    };
    walk.refuse(Rope { x: ints.clone(), ..rope.clone() });
    walk.refuse(Rope { out: ints.clone(), ..rope.clone() });
    walk.refuse(Rope { positions: f(&[3]), ..rope.clone() });
    walk.refuse(Rope { x: flat.clone(), ..rope.clone() });
    walk.refuse(Rope { out: odd.clone(), ..rope.clone() });
    walk.refuse(Rope { positions: walk.view(U32, &[2]), ..rope.clone() });
    walk.refuse(Rope { frequencies: walk.view(BF16, &[4]), ..rope.clone() });
    walk.refuse(Rope { frequencies: f(&[2, 2]), ..rope.clone() });
    walk.refuse(Rope { frequencies: f(&[5]), ..rope.clone() });
    walk.refuse(Rope { magnitude: f32::NAN, ..rope });

    let (new, stored) = (f(&[3, 2, 8]), f(&[2, 6, 8]));
    let cache = IntoCache {
        q: q.clone(),
        k: new.clone(),
        v: new.clone(),
        norms: None,
        positions,
        frequencies,
        magnitude: 1.0,
        pairs: RopePairs::Halves,
        slots: None,
        keys: stored.clone(),
        values: stored,
        out: q,
    };
    let norms = |q: View, epsilon: f32| Some(HeadNorms { k: q.clone(), q, epsilon });
    walk.refuse(IntoCache { k: ints.clone(), ..cache.clone() });
    walk.refuse(IntoCache { q: flat.clone(), ..cache.clone() });
    walk.refuse(IntoCache { k: flat.clone(), ..cache.clone() });
    walk.refuse(IntoCache { k: f(&[2, 2, 8]), ..cache.clone() });
    walk.refuse(IntoCache { v: f(&[3, 4, 8]), ..cache.clone() });
    walk.refuse(IntoCache { out: odd.clone(), ..cache.clone() });
    walk.refuse(IntoCache { keys: ints, ..cache.clone() });
    walk.refuse(IntoCache { values: walk.view(BF16, &[2, 6, 8]), ..cache.clone() });
    walk.refuse(IntoCache { keys: flat, ..cache.clone() });
    walk.refuse(IntoCache { keys: odd, ..cache.clone() });
    walk.refuse(IntoCache { values: f(&[2, 7, 8]), ..cache.clone() });
    walk.refuse(IntoCache { positions: walk.view(I32, &[3]), ..cache.clone() });
    walk.refuse(IntoCache { positions: walk.view(U32, &[2]), ..cache.clone() });
    walk.refuse(IntoCache { frequencies: f(&[8]), ..cache.clone() });
    walk.refuse(IntoCache { magnitude: f32::INFINITY, ..cache.clone() });
    walk.refuse(IntoCache { norms: norms(walk.view(I32, &[8]), 0.0), ..cache.clone() });
    walk.refuse(IntoCache { norms: norms(f(&[4]), 0.0), ..cache.clone() });
    walk.refuse(IntoCache { norms: norms(f(&[8]), -1.0), ..cache.clone() });
    walk.refuse(IntoCache { slots: Some(walk.view(I32, &[3])), ..cache.clone() });
    walk.refuse(IntoCache { slots: Some(walk.view(U32, &[2])), ..cache });
}

fn tables(walk: &Walk) {
    let f = |dims: &[usize]| walk.view(F32, dims);
    let (ids, ints, blocks) =
        (walk.view(U32, &[3]), walk.view(I32, &[3, 4]), walk.view(Q4_0, &[5, 32]));
    let gather = Gather { table: f(&[5, 4]), indices: ids.clone(), axis: 0, out: f(&[3, 4]) };
    walk.refuse(Gather { indices: f(&[3]), ..gather.clone() });
    walk.refuse(Gather { axis: 2, ..gather.clone() });
    walk.refuse(Gather { table: blocks.clone(), axis: 1, ..gather.clone() });
    walk.refuse(Gather { out: ints.clone(), ..gather.clone() });
    walk.refuse(Gather { out: f(&[4, 4]), ..gather });
    let scatter = Scatter { x: f(&[3, 4]), indices: ids, axis: 0, table: f(&[5, 4]) };
    walk.refuse(Scatter { indices: f(&[3]), ..scatter.clone() });
    walk.refuse(Scatter { indices: walk.view(U32, &[3, 1]), ..scatter.clone() });
    walk.refuse(Scatter { axis: 2, ..scatter.clone() });
    walk.refuse(Scatter { table: blocks, axis: 1, ..scatter.clone() });
    walk.refuse(Scatter { x: ints.clone(), ..scatter.clone() });
    walk.refuse(Scatter { x: f(&[2, 4]), ..scatter });
    let concat = Concat { inputs: vec![f(&[1, 4]), f(&[2, 4])], axis: 0, out: f(&[3, 4]) };
    walk.refuse(Concat { axis: 2, ..concat.clone() });
    walk.refuse(Concat { inputs: vec![f(&[1, 4]), ints], ..concat.clone() });
    walk.refuse(Concat { inputs: vec![f(&[1, 5])], ..concat.clone() });
    walk.refuse(Concat { inputs: vec![f(&[1, 4])], ..concat });
    let top = TopK { x: f(&[2, 8]), values: f(&[2, 3]), indices: walk.view(U32, &[2, 3]) };
    let few = walk.view(U32, &[1]);
    walk.refuse(TopK { x: walk.view(I32, &[2, 8]), ..top.clone() });
    walk.refuse(TopK { values: walk.view(I32, &[2, 3]), ..top.clone() });
    walk.refuse(TopK { indices: f(&[2, 3]), ..top.clone() });
    walk.refuse(TopK { x: f(&[]), ..top.clone() });
    walk.refuse(TopK { values: f(&[2, 4]), ..top.clone() });
    walk.refuse(TopK { x: f(&[3, 8]), ..top.clone() });
    walk.refuse(TopK { x: f(&[2, 2]), ..top });
    walk.refuse(TopK { x: walk.vast(F32, &[1 << 33]), values: f(&[1]), indices: few });
}

fn of_arrays(walk: &Walk) {
    let f = |dims: &[usize]| walk.view(F32, dims);
    let (blocks, ids) = (walk.view(Q4_0, &[2, 32]), walk.view(U32, &[2, 4]));
    let elements = |out: View| Sorted::Elements(out);
    let sort = Sort { x: f(&[2, 4]), descending: false, out: elements(f(&[2, 4])) };
    walk.refuse(Sort { x: f(&[]), ..sort.clone() });
    walk.refuse(Sort { x: blocks.clone(), ..sort.clone() });
    walk.refuse(Sort { out: elements(ids.clone()), ..sort.clone() });
    walk.refuse(Sort { out: Sorted::Indices(f(&[2, 4])), ..sort.clone() });
    walk.refuse(Sort { out: elements(f(&[2, 3])), ..sort });
    let vast = walk.vast(F32, &[1 << 31]);
    walk.refuse(Sort { x: vast.clone(), descending: false, out: elements(vast.clone()) });
    let scan = Scan { x: f(&[2, 4]), kind: ScanKind::Sum, initial: false, out: f(&[2, 4]) };
    walk.refuse(Scan { x: walk.view(DType::Bool, &[2, 4]), ..scan.clone() });
    walk.refuse(Scan { out: ids.clone(), ..scan.clone() });
    walk.refuse(Scan { x: f(&[]), out: f(&[]), ..scan.clone() });
    walk.refuse(Scan { out: f(&[2, 5]), ..scan.clone() });
    walk.refuse(Scan { initial: true, kind: ScanKind::Prod, ..scan });
    let search =
        Search { sorted: f(&[5]), values: f(&[3]), right: false, out: walk.view(U32, &[3]) };
    walk.refuse(Search { sorted: f(&[5, 1]), ..search.clone() });
    walk.refuse(Search { sorted: walk.view(Q4_0, &[32]), ..search.clone() });
    walk.refuse(Search { values: walk.view(I32, &[3]), ..search.clone() });
    walk.refuse(Search { out: f(&[3]), ..search.clone() });
    walk.refuse(Search { out: walk.view(U32, &[4]), ..search.clone() });
    walk.refuse(Search { sorted: vast.clone(), ..search });
    let take = TakeAlong { x: f(&[2, 3]), indices: ids.clone(), axis: 1, out: f(&[2, 4]) };
    walk.refuse(TakeAlong { x: blocks.clone(), ..take.clone() });
    walk.refuse(TakeAlong { indices: f(&[2, 4]), ..take.clone() });
    walk.refuse(TakeAlong { out: ids.clone(), ..take.clone() });
    walk.refuse(TakeAlong { axis: 2, ..take.clone() });
    walk.refuse(TakeAlong { axis: 0, ..take.clone() });
    walk.refuse(TakeAlong { out: f(&[2, 3]), ..take });
    let (one, few) = (walk.view(U32, &[1]), f(&[1]));
    walk.refuse(TakeAlong { x: vast.clone(), indices: one, axis: 0, out: few });
    let mask = walk.view(DType::Bool, &[5]);
    let compact = Compact { mask, x: Some(f(&[5, 2])), out: f(&[3, 2]) };
    walk.refuse(Compact { mask: f(&[5]), ..compact.clone() });
    walk.refuse(Compact { mask: walk.view(DType::Bool, &[5, 1]), ..compact.clone() });
    walk.refuse(Compact { mask: walk.vast(DType::Bool, &[1 << 31]), ..compact.clone() });
    walk.refuse(Compact { x: None, ..compact.clone() });
    walk.refuse(Compact { x: None, out: ids.clone(), ..compact.clone() });
    walk.refuse(Compact { x: Some(blocks), ..compact.clone() });
    walk.refuse(Compact { out: ids.clone(), ..compact.clone() });
    walk.refuse(Compact { x: Some(f(&[5])), ..compact.clone() });
    walk.refuse(Compact { out: f(&[3]), ..compact.clone() });
    walk.refuse(Compact { x: Some(f(&[4, 2])), ..compact.clone() });
    walk.refuse(Compact { out: f(&[3, 3]), ..compact });
    let variance = Variance { x: f(&[2, 4]), axes: vec![1], correction: 0.0, out: f(&[2, 2, 1]) };
    walk.refuse(Variance { x: walk.view(BF16, &[2, 4]), ..variance.clone() });
    walk.refuse(Variance { out: walk.view(I32, &[2, 2, 1]), ..variance.clone() });
    walk.refuse(Variance { axes: vec![2], ..variance.clone() });
    walk.refuse(Variance { out: f(&[2, 1]), ..variance.clone() });
    walk.refuse(Variance { correction: f64::NAN, ..variance });
    let random = Random { seed: 0, stream: 0, kind: RandomKind::Bits, out: f(&[4]) };
    let uniform = |low, high| RandomKind::Uniform { low, high };
    let normal = |mean: f64, deviation: f64| RandomKind::Normal { mean, deviation };
    walk.refuse(random.clone());
    walk.refuse(Random { kind: RandomKind::Integers { low: 0, last: 9 }, ..random.clone() });
    walk.refuse(Random { kind: uniform(0.0, 1.0), out: ids.clone(), ..random.clone() });
    walk.refuse(Random { kind: uniform(0.0, f64::INFINITY), ..random.clone() });
    walk.refuse(Random { kind: uniform(2.0, 1.0), ..random.clone() });
    walk.refuse(Random { kind: normal(0.0, 1.0), out: ids, ..random.clone() });
    walk.refuse(Random { kind: normal(f64::NAN, 1.0), ..random.clone() });
    walk.refuse(Random { kind: normal(0.0, f64::NAN), ..random.clone() });
    walk.refuse(Random { kind: normal(0.0, 1.0), out: walk.vast(F32, &[4]), ..random });
}

fn products(walk: &Walk) {
    let f = |dims: &[usize]| walk.view(F32, dims);
    let ints = walk.view(I32, &[2, 4]);
    let matmul = Matmul { a: f(&[2, 4]), b: f(&[4, 3]), out: f(&[2, 3]) };
    walk.refuse(Matmul { a: ints.clone(), ..matmul.clone() });
    let wide = Matmul { out: walk.view(I32, &[2, 3]), ..matmul.clone() };
    walk.refuse(wide.clone());
    walk.refuse(Matmul { a: ints.clone(), ..wide });
    walk.refuse(Matmul { a: f(&[4]), ..matmul.clone() });
    walk.refuse(Matmul { a: f(&[2, 5]), ..matmul.clone() });
    walk.refuse(Matmul { a: f(&[7, 2, 4]), ..matmul.clone() });
    walk.refuse(Matmul { out: f(&[3, 3]), ..matmul });
    let dot = Dot { a: f(&[4]), b: f(&[4]), out: f(&[]) };
    walk.refuse(Dot { a: walk.view(I32, &[4]), ..dot.clone() });
    walk.refuse(Dot { a: f(&[2, 2]), ..dot.clone() });
    walk.refuse(Dot { b: f(&[5]), ..dot.clone() });
    walk.refuse(Dot { out: f(&[2]), ..dot });
    let linear = Linear { x: f(&[2, 4]), weight: f(&[3, 4]), bias: None, out: f(&[2, 3]) };
    walk.refuse(Linear { x: ints.clone(), ..linear.clone() });
    walk.refuse(Linear { out: ints.clone(), ..linear.clone() });
    walk.refuse(Linear { weight: ints.clone(), ..linear.clone() });
    walk.refuse(Linear { x: f(&[]), ..linear.clone() });
    walk.refuse(Linear { weight: f(&[4]), ..linear.clone() });
    walk.refuse(Linear { weight: f(&[3, 5]), ..linear.clone() });
    walk.refuse(Linear { out: f(&[2, 4]), ..linear.clone() });
    walk.refuse(Linear { bias: Some(walk.view(U32, &[3])), ..linear.clone() });
    walk.refuse(Linear { bias: Some(f(&[2])), ..linear.clone() });
    let other = Linear { x: f(&[2, 4]), ..linear.clone() };
    let longer = Linear { x: f(&[5, 4]), out: f(&[5, 3]), ..linear.clone() };
    walk.refuse(Linears(Vec::new()));
    walk.refuse(Linears(vec![linear.clone(), longer]));
    walk.refuse(ActivatedLinears(Vec::new()));
    let gated = GatedLinears {
        gate: Linear { out: f(&[2, 3]), ..linear.clone() },
        up: linear.clone(),
        activation: Activation::Silu,
        out: f(&[2, 3]),
    };
    let wide = Linear { weight: f(&[5, 4]), out: f(&[2, 5]), ..linear };
    walk.refuse(GatedLinears { gate: wide, ..gated.clone() });
    walk.refuse(GatedLinears { gate: other, ..gated.clone() });
    walk.refuse(GatedLinears { out: f(&[2, 4]), ..gated });
    let experts = ExpertLinear {
        x: f(&[2, 4]),
        weight: f(&[5, 3, 4]),
        ids: walk.view(U32, &[2, 2]),
        out: f(&[2, 2, 3]),
    };
    walk.refuse(ExpertLinear { x: ints.clone(), ..experts.clone() });
    walk.refuse(ExpertLinear { out: ints.clone(), ..experts.clone() });
    walk.refuse(ExpertLinear { weight: ints.clone(), ..experts.clone() });
    walk.refuse(ExpertLinear { ids: ints, ..experts.clone() });
    walk.refuse(ExpertLinear { ids: walk.view(U32, &[2]), ..experts.clone() });
    walk.refuse(ExpertLinear { weight: f(&[3, 4]), ..experts.clone() });
    walk.refuse(ExpertLinear { x: f(&[2, 3, 4]), ..experts.clone() });
    walk.refuse(ExpertLinear { x: f(&[2, 5]), ..experts.clone() });
    walk.refuse(ExpertLinear { out: f(&[2, 2, 4]), ..experts.clone() });
    let (rows, used) = (1 << 17, 1 << 16);
    walk.refuse(ExpertLinear {
        x: walk.vast(F32, &[rows, 4]),
        ids: walk.vast(U32, &[rows, used]),
        out: walk.vast(F32, &[rows, used, 3]),
        ..experts
    });
}

fn others(walk: &Walk) {
    let f = |dims: &[usize]| walk.view(F32, dims);
    let (ints, blocks) = (walk.view(I32, &[2, 32]), walk.view(Q4_0, &[2, 32]));
    let softmax = Softmax { x: f(&[2, 4]), scale: 1.0, mask: None, log: false, out: f(&[2, 4]) };
    walk.refuse(Softmax { x: ints.clone(), ..softmax.clone() });
    walk.refuse(Softmax { x: f(&[]), ..softmax.clone() });
    walk.refuse(Softmax { out: f(&[2, 5]), ..softmax.clone() });
    walk.refuse(Softmax { mask: Some(f(&[3])), ..softmax.clone() });
    walk.refuse(Softmax { scale: f32::NAN, ..softmax });
    let gated = Gated { gate: f(&[4]), up: f(&[4]), activation: Activation::Silu, out: f(&[4]) };
    walk.refuse(Gated { gate: ints.clone(), ..gated.clone() });
    walk.refuse(Gated { gate: f(&[5]), ..gated.clone() });
    walk.refuse(Gated { up: f(&[5]), ..gated });
    walk.refuse(Copy { x: f(&[2, 32]), out: f(&[32, 2]) });
    walk.refuse(Copy { x: f(&[2, 32]), out: blocks.clone() });
    walk.refuse(Copy { x: f(&[2, 32]), out: walk.view(Complex64, &[2, 32]) });
    walk.refuse(Quantize { x: f(&[2, 32]), out: f(&[2, 32]) });
    walk.refuse(Quantize { x: ints, out: blocks.clone() });
    walk.refuse(Dequantize { x: blocks, out: f(&[2, 64]) });
}

fn heads_of_rwkv7(walk: &Walk) {
    let f = |dims: &[usize]| walk.view(F32, dims);
    let (half, ints) = (walk.view(BF16, &[1, 2, 3, 4]), walk.view(I32, &[7, 1, 2, 3, 4]));
    let heads = || f(&[1, 2, 3, 4]);
    let (x, weights, state) = (f(&[7, 1, 2, 3, 4]), f(&[5, 3, 4]), f(&[1, 3, 4, 4]));
    let (first, out, norm) = (heads(), heads(), Some(1e-5));
    let op = TimeMix7 { x, weights, first, is_first: false, norm, gate: true, state, out };
    walk.refuse(TimeMix7 { first: half.clone(), ..op.clone() });
    walk.refuse(TimeMix7 { x: ints, ..op.clone() });
    walk.refuse(TimeMix7 { out: f(&[2, 3, 4]), ..op.clone() });
    walk.refuse(TimeMix7 { out: f(&[1, 2, 3, 257]), ..op.clone() });
    walk.refuse(TimeMix7 { x: f(&[6, 1, 2, 3, 4]), ..op.clone() });
    walk.refuse(TimeMix7 { weights: f(&[4, 3, 4]), ..op.clone() });
    walk.refuse(TimeMix7 { first: f(&[1, 1, 3, 4]), ..op.clone() });
    walk.refuse(TimeMix7 { state: f(&[1, 3, 4, 5]), ..op.clone() });
    walk.refuse(TimeMix7 { norm: Some(-1.0), ..op });
}

fn recurrences(walk: &Walk) {
    let f = |dims: &[usize]| walk.view(F32, dims);
    let (ints, bf16) = (walk.view(I32, &[1, 2, 4]), walk.view(BF16, &[1, 4]));
    let (x, mu, out) = (f(&[1, 2, 4]), f(&[3, 1, 1, 4]), f(&[3, 1, 2, 4]));
    let shift = TokenShift { x: x.clone(), state: f(&[1, 4]), mu, update: true, out };
    walk.refuse(TokenShift { state: bf16.clone(), ..shift.clone() });
    walk.refuse(TokenShift { x: ints.clone(), ..shift.clone() });
    walk.refuse(TokenShift { x: f(&[2, 4]), ..shift.clone() });
    walk.refuse(TokenShift { out: f(&[1, 2, 4]), ..shift.clone() });
    walk.refuse(TokenShift { out: f(&[3, 1, 2, 5]), ..shift.clone() });
    walk.refuse(TokenShift { out: f(&[0, 1, 2, 4]), ..shift.clone() });
    walk.refuse(TokenShift { state: f(&[2, 4]), ..shift.clone() });
    walk.refuse(TokenShift { mu: f(&[3, 4]), ..shift });

    let (weight, state) = (f(&[4, 3]), f(&[1, 2, 4]));
    let conv = ShortConv { x: x.clone(), weight, state, out: x.clone() };
    walk.refuse(ShortConv { state: bf16.clone(), ..conv.clone() });
    walk.refuse(ShortConv { x: ints.clone(), ..conv.clone() });
    walk.refuse(ShortConv { x: f(&[2, 4]), ..conv.clone() });
    walk.refuse(ShortConv { weight: f(&[4]), ..conv.clone() });
    walk.refuse(ShortConv { out: f(&[1, 3, 4]), ..conv.clone() });
    walk.refuse(ShortConv { weight: f(&[5, 3]), ..conv.clone() });
    walk.refuse(ShortConv { weight: f(&[4, 17]), ..conv.clone() });
    walk.refuse(ShortConv { state: f(&[1, 3, 4]), ..conv });

    let (w, u, state) = (f(&[4]), f(&[4]), f(&[1, 3, 4]));
    let four = Wkv4 { k: x.clone(), v: x.clone(), w, u, state, out: x.clone() };
    walk.refuse(Wkv4 { state: bf16.clone(), ..four.clone() });
    walk.refuse(Wkv4 { k: ints.clone(), ..four.clone() });
    walk.refuse(Wkv4 { v: f(&[2, 4]), ..four.clone() });
    walk.refuse(Wkv4 { k: f(&[1, 3, 4]), ..four.clone() });
    walk.refuse(Wkv4 { u: f(&[3]), ..four.clone() });
    walk.refuse(Wkv4 { state: f(&[1, 4]), ..four });

    let (head, wide, u) = (f(&[1, 2, 3, 4]), f(&[1, 1, 1, 300]), f(&[3, 4]));
    let [r, k, v, decay, a, b, out] = std::array::from_fn(|_| head.clone());
    let state = f(&[1, 3, 4, 4]);
    let six = Wkv6 { r, k, v, decay, u, state: state.clone(), out };
    walk.refuse(Wkv6 { state: bf16.clone(), ..six.clone() });
    walk.refuse(Wkv6 { r: ints.clone(), ..six.clone() });
    walk.refuse(Wkv6 { v: x.clone(), ..six.clone() });
    walk.refuse(Wkv6 { decay: f(&[1, 1, 3, 4]), ..six.clone() });
    let [r, k, v, decay, out] = std::array::from_fn(|_| wide.clone());
    walk.refuse(Wkv6 { r, k, v, decay, out, ..six.clone() });
    walk.refuse(Wkv6 { u: f(&[4]), ..six.clone() });
    walk.refuse(Wkv6 { state: f(&[2, 3, 4, 4]), ..six.clone() });

    let Wkv6 { r, k, v, decay, out, .. } = six;
    let seven = Wkv7 { r, decay, k, v, a, b, state, out };
    walk.refuse(Wkv7 { state: bf16, ..seven.clone() });
    walk.refuse(Wkv7 { b: ints, ..seven.clone() });
    walk.refuse(Wkv7 { v: x, ..seven.clone() });
    walk.refuse(Wkv7 { a: f(&[1, 2, 3, 5]), ..seven.clone() });
    let [r, decay, k, v, a, b, out] = std::array::from_fn(|_| wide.clone());
    walk.refuse(Wkv7 { r, decay, k, v, a, b, out, state: seven.state.clone() });
    walk.refuse(Wkv7 { state: f(&[1, 3, 4]), ..seven });
}

/// The file and line of each call of a method that may refuse.
fn places() -> Vec<(String, u32)> {
    let mut places = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("src/check") {
                    folders.push(path);
                }
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            if !text.contains("Check::new(") {
                continue;
            }
            for (number, line) in text.lines().enumerate() {
                let line = line.trim_start();
                if line.contains("check.") && !line.starts_with("//")
                    || line.starts_with(".require(")
                {
                    places.push((path.display().to_string(), number as u32 + 1));
                }
            }
        }
    }
    places.sort();
    places
}

/// Whether an op has refused there: the compiler names files from the workspace's root.
fn reached((path, line): &(String, u32)) -> bool {
    REACHED.with_borrow(|all| all.iter().any(|(file, at)| path.ends_with(file) && at == line))
}

fn told((path, line): (String, u32)) -> String {
    format!("{path}:{line}")
}
