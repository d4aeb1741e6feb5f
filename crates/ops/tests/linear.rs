//! What linear layers promise beyond their results: a few rows together give what each gives alone, so
//! do several layers, and a device that is to be precise is.

use bessemer_core::{Batch, DType, Device, Element, Shape, View, estimate};
use bessemer_cpu::{Cpu, CpuOptions, Reference};
use bessemer_ops::{Copy, Linear, Linears, Quantize};

fn view(device: &dyn Device, dtype: DType, dims: &[usize]) -> View {
    let shape = Shape::new(dims).unwrap();
    let bytes = estimate::tensor(dtype, shape.rows(), shape.width()).unwrap();
    View::new(&device.alloc(bytes).unwrap(), dtype, shape).unwrap()
}

fn numbers(device: &dyn Device, dims: &[usize]) -> View {
    let view = view(device, DType::F32, dims);
    let values: Vec<f32> = (0..view.elements()).map(|i| (i as f32 * 0.7).sin()).collect();
    device.write(&view.slice().unwrap(), f32::as_bytes(&values)).unwrap();
    view
}

/// Weights of `dtype` that are numbers.
fn weight_of(device: &dyn Device, batch: &mut Batch, dtype: DType, dims: &[usize]) -> View {
    let (from, weight) = (numbers(device, dims), view(device, dtype, dims));
    match dtype.is_block() {
        true => batch.push(Quantize { x: from, out: weight.clone() }).unwrap(),
        false => batch.push(Copy { x: from, out: weight.clone() }).unwrap(),
    };
    weight
}

fn bits(device: &dyn Device, view: &View) -> Vec<u32> {
    let mut bits = vec![0u32; view.elements()];
    device.read(&view.slice().unwrap(), u32::as_bytes_mut(&mut bits)).unwrap();
    bits
}

fn cpu(precise: bool) -> Cpu {
    Cpu::open(CpuOptions { precise, ..Default::default() }).unwrap()
}

#[test]
fn a_few_rows_are_summed_as_each_alone() {
    [false, true].into_iter().for_each(|precise| summed_as_each_alone(&cpu(precise)));
}

fn summed_as_each_alone(device: &Cpu) {
    let n = 75;
    for dtype in DType::BLOCKS.into_iter().chain([DType::F32, DType::F16, DType::BF16]) {
        // Neither is a whole number of runs of the kernels, but for blocks of 256.
        for k in if dtype.block_len() == 256 { [256, 768] } else { [96, 576] } {
            let x = numbers(device, &[Linear::ALIKE, k]);
            let mut batch = Batch::new();
            let weight = weight_of(device, &mut batch, dtype, &[n, k]);
            let alone = view(device, DType::F32, &[Linear::ALIKE, n]);
            let mut linear = |rows: std::ops::Range<usize>, out: &View| {
                let (x, out) = (x.narrow(0, rows.clone()).unwrap(), out.narrow(0, rows).unwrap());
                batch.push(Linear { x, weight: weight.clone(), bias: None, out }).unwrap();
            };
            (0..Linear::ALIKE).for_each(|row| linear(row..row + 1, &alone));
            let together: Vec<View> = (2..=Linear::ALIKE)
                .map(|rows| {
                    let out = view(device, DType::F32, &[Linear::ALIKE, n]);
                    linear(0..rows, &out);
                    out
                })
                .collect();
            device.wait(device.submit(&batch).unwrap()).unwrap();
            let alone = bits(device, &alone);
            assert!(alone.iter().any(|&bits| bits != 0), "{dtype}: all zero");
            for (rows, out) in (2..).zip(&together) {
                let found = bits(device, out);
                assert!(found[..rows * n] == alone[..rows * n], "{dtype}, {rows} rows of {k}");
            }
        }
    }
}

/// A layer of `rows`, with weights of exactly these bytes.
fn layer(device: &dyn Device, dtype: DType, weights: &[u8], [rows, n, k]: [usize; 3]) -> Vec<f32> {
    let (x, weight) = (numbers(device, &[rows, k]), view(device, dtype, &[n, k]));
    device.write(&weight.slice().unwrap(), weights).unwrap();
    let out = view(device, DType::F32, &[rows, n]);
    let mut batch = Batch::new();
    batch.push(Linear { x, weight, bias: None, out: out.clone() }).unwrap();
    device.wait(device.submit(&batch).unwrap()).unwrap();
    bits(device, &out).into_iter().map(f32::from_bits).collect()
}

/// Numbers as a weight of a dtype, by the reference.
fn weights(device: &Reference, dtype: DType, n: usize, k: usize) -> Vec<u8> {
    let mut batch = Batch::new();
    let out = weight_of(device, &mut batch, dtype, &[n, k]);
    device.wait(device.submit(&batch).unwrap()).unwrap();
    let mut bytes = vec![0; estimate::tensor(dtype, n, k).unwrap()];
    device.read(&out.slice().unwrap(), &mut bytes).unwrap();
    bytes
}

/// The root mean square difference, over that of what is expected.
fn error(found: &[f32], expected: &[f32]) -> f64 {
    let square = |x: f32| f64::from(x) * f64::from(x);
    let apart: f64 = found.iter().zip(expected).map(|(a, b)| square(a - b)).sum();
    (apart / expected.iter().map(|&x| square(x)).sum::<f64>()).sqrt()
}

#[test]
fn a_precise_device_rounds_activations_to_two_bytes_or_not_at_all() {
    let (reference, plain, precise) = (Reference::new(), cpu(false), cpu(true));
    let (n, k) = (75, 512);
    for dtype in DType::BLOCKS.into_iter().chain([DType::F16, DType::BF16]) {
        let weights = weights(&reference, dtype, n, k);
        // One row, a few, a tile and more, and more than go over the weights at once.
        for rows in [1, 3, 5, 40, 600] {
            let errors = [&plain as &dyn Device, &precise].map(|device| {
                let found = layer(device, dtype, &weights, [rows, n, k]);
                error(&found, &layer(&reference, dtype, &weights, [rows, n, k]))
            });
            let bound = if dtype.is_block() { 1e-4 } else { 1e-5 };
            assert!(errors[1] < bound, "{dtype}, {rows} rows: {errors:?}");
            // Where the usual device rounds to a byte, it can be told apart; less so for Q3_K.
            let apart = if dtype == DType::Q3_K { 2.0 } else { 4.0 };
            if dtype.is_block() && !(5..=16).contains(&rows) {
                assert!(errors[0] > apart * errors[1], "{dtype}, {rows} rows: {errors:?}");
            }
        }
    }
}

#[test]
fn several_layers_give_what_each_gives_alone() {
    let device = cpu(false);
    for rows in [1, 3, 4, 5, 40] {
        let mut batch = Batch::new();
        let mixes = numbers(&device, &[3, rows, 512]);
        // Some share an x, a format, or both.
        let layers: Vec<[Linear; 2]> = [
            (DType::Q4_K, 300, 0),
            (DType::Q4_K, 300, 1),
            (DType::Q6_K, 200, 1),
            (DType::F16, 96, 2),
            (DType::F32, 64, 0),
            (DType::Q4_K, 7, 0),
            (DType::BF16, 5, 1),
        ]
        .into_iter()
        .map(|(dtype, n, mix)| {
            let x = mixes.narrow(0, mix..mix + 1).and_then(|x| x.squeeze(0)).unwrap();
            let weight = weight_of(&device, &mut batch, dtype, &[n, 512]);
            let bias = (n == 96).then(|| numbers(&device, &[n]));
            let out = || view(&device, DType::F32, &[rows, n]);
            let layer = Linear { x, weight, bias, out: out() };
            [Linear { out: out(), ..layer.clone() }, layer]
        })
        .collect();
        for [alone, _] in &layers {
            batch.push(alone.clone()).unwrap();
        }
        batch.push(Linears(layers.iter().map(|[_, layer]| layer.clone()).collect())).unwrap();
        device.wait(device.submit(&batch).unwrap()).unwrap();
        for (i, [alone, together]) in layers.iter().enumerate() {
            let same = bits(&device, &alone.out) == bits(&device, &together.out);
            assert!(same, "layer {i}, {rows} rows");
        }
    }
}
