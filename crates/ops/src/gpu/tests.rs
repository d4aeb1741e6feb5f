//! Checks of the launches of every case of every op, without a device.

use crate::{Attention, Linear, Linears, Matmul};
use bessemer_core::{
    DType, Device, Operation, Shape, View,
    gpu::{Binding, GpuTraits, Launch, Source},
};
use bessemer_cpu::Reference;

/// A GPU with all that kernels ask about, or with nothing of it.
pub(super) fn traits(simd: bool) -> GpuTraits {
    GpuTraits {
        name: "a test".into(),
        simd_width: if simd { 32 } else { 1 },
        simd_reduce: simd,
        simd_matrix: simd,
        f16: true,
        bf16: simd,
        max_threads: 1024,
        max_threadgroup_bytes: 32 * 1024,
        max_groups: u32::MAX,
        max_buffers: 30,
        max_binding_bytes: u64::MAX,
        part_bytes: u64::MAX,
        offset_alignment: 4,
        cores: 8,
    }
}

/// A GPU with simdgroups, but without their matrices.
pub(super) fn without_matrices() -> GpuTraits {
    GpuTraits { simd_matrix: false, bf16: false, ..traits(true) }
}

fn launches_are_sound(op: &dyn Operation, gpu: &GpuTraits) {
    let Ok(all) = op.metal(gpu) else { return };
    let access = op.access();
    for launch in &all.launches {
        if launch.threads != Launch::FREE {
            let threads: u32 = launch.threads.iter().product();
            assert!((1..=gpu.max_threads).contains(&threads), "{op:?}: {threads} threads");
            // Registers may leave room for no more than this, unless a kernel asks for more.
            let declared = launch.kernel.msl().contains("MOST_THREADS\nkernel");
            assert!(threads <= 256 || declared, "{op:?}: {threads} threads are not declared");
        }
        assert!(launch.groups.iter().all(|&groups| groups > 0), "{op:?}: nothing to do");
        assert!(launch.bindings.len() < 31, "{op:?}: too many buffers");
        if let Source::Made { text, .. } = &launch.kernel.source {
            assert!(gpu.bf16 || !text.contains("bfloat"), "{op:?}: {text}");
        }
        let msl = launch.kernel.msl();
        let headers = msl.rfind("#include").expect("each kernel reads Metal's headers");
        assert!(!msl[..headers].contains("#define"), "{op:?}: macros in the headers: {msl}");
        for binding in &launch.bindings {
            match binding {
                Binding::Read(view) => {
                    assert!(access.views().any(|known| known.buffer().is(view.buffer())));
                }
                Binding::Write(view) => {
                    // Perhaps in another shape.
                    assert!(access.writes.iter().any(|known| known.overlaps(view)));
                }
                Binding::Scratch { range, .. } => {
                    assert!(range.start < range.end && range.end <= all.scratch);
                }
            }
        }
    }
    let writes = access.writes.iter().any(|view| view.elements() > 0);
    let reads = access.reads.iter().all(|view| view.elements() > 0);
    if writes && reads {
        assert!(!all.launches.is_empty(), "{op:?} does nothing");
    }
}

#[test]
fn launches_of_all_cases_are_sound() {
    let device = Reference::new();
    for case in crate::cases() {
        let op = case.make(&device).unwrap();
        for gpu in [traits(true), without_matrices(), traits(false)] {
            launches_are_sound(&*op, &gpu);
        }
    }
}

fn view(device: &Reference, dims: &[usize]) -> View {
    let shape = Shape::new(dims).unwrap();
    View::new(&device.alloc(4 * shape.elements()).unwrap(), DType::F32, shape).unwrap()
}

#[test]
fn layers_of_few_rows_are_one_launch_that_covers_all_outputs() {
    let device = Reference::new();
    let x = view(&device, &[3, 64]);
    let layer = |n: usize| {
        let (weight, out) = (view(&device, &[n, 64]), view(&device, &[3, n]));
        Linear { x: x.clone(), weight, bias: None, out }
    };
    let all = Linears(vec![layer(130), layer(33), layer(1)]).metal(&traits(true)).unwrap();
    // Two simdgroups of four outputs: 17, 5 and 1 threadgroups.
    let [launch] = all.launches.as_slice() else { panic!("{all:?}") };
    assert_eq!((launch.groups, launch.threads), ([17 + 5 + 1, 1, 1], [64, 1, 1]));
}

#[test]
fn tiles_cover_products_and_long_sums_are_split() {
    let device = Reference::new();
    let product = |m: usize, k: usize, n: usize| {
        let (a, b) = (view(&device, &[m, k]), view(&device, &[k, n]));
        Matmul { a, b, out: view(&device, &[m, n]) }.metal(&traits(true)).unwrap()
    };
    let all = product(1030, 100, 1024);
    assert_eq!((all.launches[0].groups, all.scratch), ([16, 17, 1], 0));
    // One tile, sixteen wanted for eight cores, at least 256 of the sum each.
    let all = product(64, 2048, 64);
    assert_eq!((all.launches[0].groups, all.launches.len()), ([1, 1, 8], 2));
    assert_eq!(all.scratch, 8 * 64 * 64 * 4);
}

#[test]
fn attention_covers_rows_and_heads() {
    let device = Reference::new();
    let attention = |rows: usize, tokens: usize| {
        let q = view(&device, &[rows, 9, 64]);
        let (k, v) = (view(&device, &[3, tokens, 64]), view(&device, &[3, tokens, 64]));
        let (out, scale) = (view(&device, &[rows, 9, 64]), 0.125);
        let (positions, pages, window, soft_cap) = (None, None, None, None);
        let op = Attention { q, k, v, positions, pages, window, scale, soft_cap, out };
        op.metal(&traits(true)).unwrap()
    };
    // Three heads of queries read one of the cache together.
    assert_eq!(attention(1, 500).launches[0].groups, [1, 3, 1]);
    let long = attention(1, 2048);
    assert_eq!((long.launches[0].groups, long.launches[1].groups), ([6, 3, 1], [9, 1, 1]));
    assert_eq!(attention(70, 2048).launches[0].groups, [3, 9, 1]);
}
