//! What attention over pages promises beyond its results: each row gets, bit for bit, what it would get in
//! an op of its own, wherever its pages are.

use bessemer_core::{Batch, DType, Device, Element, Shape, View, estimate};
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_ops::{Attention, Copy, Pages, Quantize};

const HEADS: usize = 6;
const KV_HEADS: usize = 2;
const TEXTS: usize = 3;

fn view(device: &dyn Device, dtype: DType, dims: &[usize]) -> View {
    let shape = Shape::new(dims).unwrap();
    let bytes = estimate::tensor(dtype, shape.rows(), shape.width()).unwrap();
    View::new(&device.alloc(bytes).unwrap(), dtype, shape).unwrap()
}

fn numbers(device: &dyn Device, dims: &[usize], seed: f32) -> View {
    let view = view(device, DType::F32, dims);
    let values: Vec<f32> = (0..view.elements()).map(|i| (i as f32 * 0.7 + seed).sin()).collect();
    device.write(&view.slice().unwrap(), f32::as_bytes(&values)).unwrap();
    view
}

fn whole(device: &dyn Device, dims: &[usize], values: &[u32]) -> View {
    let view = view(device, DType::U32, dims);
    device.write(&view.slice().unwrap(), u32::as_bytes(values)).unwrap();
    view
}

fn bits(device: &dyn Device, view: &View) -> Vec<u32> {
    let mut bits = vec![0u32; view.elements()];
    device.read(&view.slice().unwrap(), u32::as_bytes_mut(&mut bits)).unwrap();
    bits
}

/// Rows of three texts: tokens that are generated, and chunks of prompts.
fn rows() -> Vec<(u32, u32)> {
    let chunk = |text: u32, at: std::ops::Range<u32>| at.map(move |position| (text, position));
    let mut rows = vec![(0, 0), (1, 1337), (2, 64)];
    rows.extend(chunk(0, 100..167));
    rows.push((1, 5));
    rows.extend(chunk(2, 505..530));
    rows.extend(chunk(1, 1020..1026));
    rows
}

struct Setting {
    cache: DType,
    head_size: usize,
    page: usize,
    window: Option<usize>,
    soft_cap: Option<f32>,
}

impl Setting {
    fn check(&self, device: &dyn Device) {
        let Setting { cache, head_size, page, window, soft_cap } = *self;
        let rows = rows();
        let most = 1400usize.div_ceil(page);
        let pages = TEXTS * most + 3;
        let mut batch = Batch::new();
        let mut stored = |seed: f32| -> View {
            let dims = [KV_HEADS, pages * page, head_size];
            let (from, to) = (numbers(device, &dims, seed), view(device, cache, &dims));
            match cache.is_block() {
                true => batch.push(Quantize { x: from, out: to.clone() }).unwrap(),
                false => batch.push(Copy { x: from, out: to.clone() }).unwrap(),
            };
            to
        };
        let (k, v) = (stored(0.0), stored(1.0));
        let q = numbers(device, &[rows.len(), HEADS, head_size], 2.0);
        // Pages all over the cache.
        let table: Vec<u32> = (0..TEXTS * most).map(|i| (i * 7919 % pages) as u32).collect();
        let table = whole(device, &[TEXTS, most], &table);
        let list = |of: fn(&(u32, u32)) -> u32| rows.iter().map(of).collect::<Vec<u32>>();
        let texts = whole(device, &[rows.len()], &list(|row| row.0));
        let positions = whole(device, &[rows.len()], &list(|row| row.1));
        let op = |rows: std::ops::Range<usize>, out: &View| Attention {
            q: q.narrow(0, rows.clone()).unwrap(),
            k: k.clone(),
            v: v.clone(),
            positions: Some(positions.narrow(0, rows.clone()).unwrap()),
            pages: Some(Pages {
                table: table.clone(),
                texts: texts.narrow(0, rows.clone()).unwrap(),
                len: page,
            }),
            window,
            scale: 1.0 / (head_size as f32).sqrt(),
            soft_cap,
            out: out.narrow(0, rows).unwrap(),
        };
        let out = || view(device, DType::F32, &[rows.len(), HEADS, head_size]);
        let (together, alone, some) = (out(), out(), out());
        batch.push(op(0..rows.len(), &together)).unwrap();
        (0..rows.len()).for_each(|row| batch.push(op(row..row + 1, &alone)).unwrap());
        for first in (0..rows.len()).step_by(7) {
            batch.push(op(first..rows.len().min(first + 7), &some)).unwrap();
        }
        device.wait(device.submit(&batch).unwrap()).unwrap();
        let alone = bits(device, &alone);
        assert!(alone.iter().all(|&bits| f32::from_bits(bits).is_finite()));
        assert!(alone.iter().any(|&bits| bits != 0));
        let what = format!("{cache}, {head_size}, pages of {page}, {window:?}, {soft_cap:?}");
        assert!(bits(device, &together) == alone, "{what}");
        assert!(bits(device, &some) == alone, "{what}, in sevens");
    }
}

#[test]
fn rows_are_summed_as_each_alone() {
    for threads in [1, 2] {
        let options = CpuOptions { threads: Some(threads), ..Default::default() };
        let device = Cpu::open(options).unwrap();
        let plain = |cache, head_size, page| Setting {
            cache,
            head_size,
            page,
            window: None,
            soft_cap: None,
        };
        for cache in [DType::F32, DType::F16, DType::BF16, DType::Q8_0] {
            plain(cache, 64, 64).check(&device);
        }
        for (head_size, page) in [(32, 16), (40, 64), (128, 17), (64, 100), (96, 256)] {
            plain(DType::F16, head_size, page).check(&device);
        }
        for window in [1, 50, 64, 600] {
            Setting { window: Some(window), ..plain(DType::F16, 64, 32) }.check(&device);
        }
        Setting { soft_cap: Some(3.0), ..plain(DType::Q8_0, 64, 64) }.check(&device);
    }
}
