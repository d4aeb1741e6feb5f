//! What a browser would be asked for, written down with no adapter at all. `cargo xtask wgsl-check`
//! lets Dawn judge the same; here is what needs no other judge.

use bessemer_conformance::execute;
use bessemer_core::{Batch, DType, Device, Operation, Shape, View};
use bessemer_ops::{AddRmsNorm, Attention, Linear, Linears, Softmax, cases};
use bessemer_webgpu::{Profile, Recorded, Recorder};

fn profiles() -> [Profile; 4] {
    [
        Profile::Portable,
        Profile::Subgroups(32..=32),
        Profile::Subgroups(4..=128),
        Profile::Subgroups(8..=8),
    ]
}

/// `dims` of `dtype` in `buffer`, `offset` bytes from its start.
fn view(buffer: &View, offset: usize, dtype: DType, dims: &[usize]) -> View {
    let shape = Shape::new(dims).unwrap();
    View::at(buffer.buffer(), dtype, shape, shape.strides(), offset).unwrap()
}

/// A buffer of so many bytes.
fn memory(device: &Recorder, bytes: usize) -> View {
    View::new(&device.alloc(bytes).unwrap(), DType::U8, Shape::new(&[bytes]).unwrap()).unwrap()
}

fn launches(device: &Recorder, op: impl Operation + 'static) -> Vec<Recorded> {
    let before = device.launches().len();
    let mut batch = Batch::new();
    batch.push(op).unwrap();
    device.wait(device.submit(&batch).unwrap()).unwrap();
    device.launches().split_off(before)
}

fn text(device: &Recorder, launch: &Recorded) -> String {
    device.modules()[launch.module].text.clone()
}

#[test]
fn no_case_binds_what_webgpu_refuses() {
    for profile in profiles() {
        let device = Recorder::new(profile.clone());
        for case in cases() {
            let before = device.launches().len();
            execute(&case, &device).unwrap();
            for launch in &device.launches()[before..] {
                assert_eq!(launch.refused, None, "{profile:?}, {case:?}");
            }
        }
        assert!(device.modules().len() > 100, "{profile:?}");
    }
}

#[test]
fn extensions_are_enabled_where_they_are_used() {
    for profile in profiles() {
        let device = Recorder::new(profile.clone());
        for case in cases().iter().filter(|case| case.quick) {
            execute(case, &device).unwrap();
        }
        let modules = device.modules();
        let enabled = |text: &str| text.starts_with("enable subgroups;");
        for module in &modules {
            let used = ["subgroupAdd(", "subgroupMax(", "subgroupShuffle(", "subgroupBroadcast("];
            let uses = used.iter().any(|call| module.text.contains(call));
            assert_eq!(enabled(&module.text), uses, "{profile:?}, {}", module.kernel);
            assert!(!module.text.contains("enable f16"), "no kernel computes in 16 bits");
        }
        let any = modules.iter().any(|module| enabled(&module.text));
        assert_eq!(any, profile != Profile::Portable);
    }
}

#[test]
fn an_operation_in_place_binds_its_memory_once() {
    let device = Recorder::new(Profile::Portable);
    for dtype in [DType::F32, DType::F16] {
        let at = |offset| view(&memory(&device, 4096), offset, dtype, &[2, 64]);
        let (x, y) = (at(0), at(0));
        let weight = view(&memory(&device, 4096), 0, DType::F32, &[64]);
        let op = AddRmsNorm { sum: x.clone(), x, y, weight, epsilon: 1e-5, out: at(512) };
        let [launch] = &launches(&device, op)[..] else { panic!("one launch") };
        assert_eq!(launch.refused, None);
        // x and sum, y, the weights, out.
        assert_eq!(launch.spans.len(), 4);
        let text = text(&device, launch);
        assert!(text.contains("x_memory") && !text.contains("sum_memory"), "{text}");
    }
}

#[test]
fn results_that_are_neighbours_are_bound_as_one() {
    let device = Recorder::new(Profile::Portable);
    let (out, weights) = (memory(&device, 4096), memory(&device, 65536));
    let x = view(&memory(&device, 4096), 0, DType::F32, &[1, 64]);
    let layer = |rows: usize, weight: usize, place: usize| Linear {
        x: x.clone(),
        weight: view(&weights, weight, DType::F32, &[rows, 64]),
        bias: None,
        out: view(&out, place, DType::F32, &[1, rows]),
    };
    // Neither length is a multiple of what bindings are aligned to.
    let layers = vec![layer(24, 0, 0), layer(8, 24 * 256, 96), layer(8, 32 * 256, 128)];
    let [launch] = &launches(&device, Linears(layers))[..] else { panic!("one launch") };
    assert_eq!(launch.refused, None);
    // x, all weights, all results.
    assert_eq!(launch.spans.len(), 3);
    assert!(launch.spans[2].writes && launch.spans[2].range == (0..160));
}

#[test]
fn operands_of_a_buffer_that_is_written_are_read_from_one_variable() {
    let device = Recorder::new(Profile::Portable);
    let all = memory(&device, 4096);
    let x = view(&all, 0, DType::F16, &[4, 16]);
    // Apart, but closer than what bindings are aligned to.
    let out = view(&all, 128, DType::F32, &[4, 16]);
    let op = Softmax { x, mask: None, scale: 1.0, log: false, out };
    let [launch] = &launches(&device, op)[..] else { panic!("one launch") };
    assert_eq!((launch.refused.as_ref(), launch.spans.len()), (None, 1));
    let text = text(&device, launch);
    assert!(text.contains("var<storage, read_write> x_memory: array<u32>"), "{text}");
    assert!(text.contains("x_memory[params.out_at + i] = bitcast<u32>(value);"), "{text}");
}

#[test]
fn branches_on_memory_that_is_written_are_uniform() {
    let device = Recorder::new(Profile::Subgroups(4..=128));
    let attention = |positions: View, out: View| {
        let all = memory(&device, 1 << 16);
        let heads = |offset, dims: &[usize]| view(&all, offset, DType::F32, dims);
        let (q, k, v) =
            (heads(0, &[3, 2, 32]), heads(1024, &[1, 40, 32]), heads(8192, &[1, 40, 32]));
        let positions = Some(positions);
        let (pages, window, soft_cap) = (None, None, None);
        let op = Attention { q, k, v, pages, positions, window, scale: 0.2, soft_cap, out };
        let [launch] = &launches(&device, op)[..] else { panic!("one launch") };
        assert_eq!(launch.refused, None);
        text(&device, launch)
    };
    let one = memory(&device, 4096);
    let (apart, out) = (memory(&device, 4096), view(&one, 0, DType::F32, &[3, 2, 32]));
    let read_only = attention(view(&apart, 0, DType::U32, &[3]), out.clone());
    assert!(read_only.contains("{ return load_positions(i); }"), "{read_only}");
    let written = attention(view(&one, 2048, DType::U32, &[3]), out);
    assert!(written.contains("workgroupUniformLoad(&same_of_positions)"), "{written}");
}
