//! What holds for the launches of every case of every op, without a device.

use bessemer_core::{
    Operation,
    gpu::{Binding, GpuTraits},
};
use bessemer_cpu::Reference;

fn traits(simd: bool) -> GpuTraits {
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
        max_binding_bytes: u64::MAX,
        offset_alignment: 4,
        cores: 8,
    }
}

fn launches_are_sound(op: &dyn Operation, gpu: &GpuTraits) {
    let Ok(all) = op.metal(gpu) else { return };
    let access = op.access();
    for launch in &all.launches {
        let threads: u32 = launch.threads.iter().product();
        assert!((1..=gpu.max_threads).contains(&threads), "{op:?}: {threads} threads");
        assert!(launch.groups.iter().all(|&groups| groups > 0), "{op:?}: nothing to do");
        assert!(launch.bindings.len() < 31, "{op:?}: too many buffers");
        for binding in &launch.bindings {
            match binding {
                Binding::Read(view) => {
                    assert!(access.views().any(|known| known.buffer().is(view.buffer())));
                }
                Binding::Write(view) => {
                    assert!(access.writes.iter().any(|known| known.is_same_place(view)));
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
        for simd in [true, false] {
            launches_are_sound(&*op, &traits(simd));
        }
    }
}
