//! What `Linear::ALIKE` promises: a few rows together give what each gives alone, to the bit.

use bessemer_core::{Batch, DType, Device, Element, Shape, View, estimate};
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_ops::{Copy, Linear, Quantize};

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

fn bits(device: &dyn Device, view: &View) -> Vec<u32> {
    let mut bits = vec![0u32; view.elements()];
    device.read(&view.slice().unwrap(), u32::as_bytes_mut(&mut bits)).unwrap();
    bits
}

#[test]
fn a_few_rows_are_summed_as_each_alone() {
    let device = Cpu::open(CpuOptions::default()).unwrap();
    let n = 75;
    for dtype in DType::BLOCKS.into_iter().chain([DType::F32, DType::F16, DType::BF16]) {
        // Neither is a whole number of runs of the kernels, but for blocks of 256.
        for k in if dtype.block_len() == 256 { [256, 768] } else { [96, 576] } {
            let x = numbers(&device, &[Linear::ALIKE, k]);
            let (from, weight) = (numbers(&device, &[n, k]), view(&device, dtype, &[n, k]));
            let mut batch = Batch::new();
            match dtype.is_block() {
                true => batch.push(Quantize { x: from, out: weight.clone() }).unwrap(),
                false => batch.push(Copy { x: from, out: weight.clone() }).unwrap(),
            };
            let alone = view(&device, DType::F32, &[Linear::ALIKE, n]);
            let mut linear = |rows: std::ops::Range<usize>, out: &View| {
                let (x, out) = (x.narrow(0, rows.clone()).unwrap(), out.narrow(0, rows).unwrap());
                batch.push(Linear { x, weight: weight.clone(), bias: None, out }).unwrap();
            };
            (0..Linear::ALIKE).for_each(|row| linear(row..row + 1, &alone));
            let together: Vec<View> = (2..=Linear::ALIKE)
                .map(|rows| {
                    let out = view(&device, DType::F32, &[Linear::ALIKE, n]);
                    linear(0..rows, &out);
                    out
                })
                .collect();
            device.wait(device.submit(&batch).unwrap()).unwrap();
            let alone = bits(&device, &alone);
            assert!(alone.iter().any(|&bits| bits != 0), "{dtype}: all zero");
            for (rows, out) in (2..).zip(&together) {
                let found = bits(&device, out);
                assert!(found[..rows * n] == alone[..rows * n], "{dtype}, {rows} rows of {k}");
            }
        }
    }
}
