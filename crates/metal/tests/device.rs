//! The device on softmetal, as each GPU that it can imitate: what is encoded, what is kept, what is
//! told.

#![cfg(target_os = "linux")]

mod common;

use bessemer_core::{Batch, Device, Slice, gpu::GpuTraits};
use bessemer_metal::{Metal, MetalOptions, hal::soft::SoftOptions};
use common::{Add, floats, on_every_gpu, open, part, read};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

#[test]
fn barriers_stand_only_where_dispatches_meet() {
    on_every_gpu(|gpu| {
        let device = gpu.open(true);
        let x = floats(&device, &[1.0; 8]);
        let out = floats(&device, &[0.0; 8]);
        let mut batch = Batch::new();
        // Two halves of the input to two halves of the output: nothing meets.
        batch.push(Add::new(&part(&x, 0..4), 1.0, &part(&out, 0..4))).unwrap();
        batch.push(Add::new(&part(&x, 4..8), 2.0, &part(&out, 4..8))).unwrap();
        device.wait(device.submit(&batch).unwrap()).unwrap();
        assert_eq!(device.counters().barriers, 0);
        // Both read what was written: one barrier before the first of them is enough.
        batch.push(Add::new(&part(&out, 0..4), 1.0, &part(&x, 0..4))).unwrap();
        batch.push(Add::new(&part(&out, 4..8), 1.0, &part(&x, 4..8))).unwrap();
        device.wait(device.submit(&batch).unwrap()).unwrap();
        let counters = device.counters();
        assert_eq!((counters.barriers, counters.dispatches, counters.command_buffers), (1, 6, 2));
        assert_eq!(read(&device, &x), [3.0, 3.0, 3.0, 3.0, 4.0, 4.0, 4.0, 4.0]);
    });
}

#[test]
fn it_keeps_the_contract_of_devices() {
    on_every_gpu(|gpu| {
        assert_eq!(bessemer_conformance::contract(&gpu.open(true), &gpu.open(true)), Ok(()));
    });
}

#[test]
fn a_batch_submitted_again_takes_nothing_new() {
    on_every_gpu(|gpu| {
        let device = gpu.open(true);
        let x = floats(&device, &[0.0; 8]);
        let mut batch = Batch::new();
        let mut op = Add::new(&x, 1.0, &x);
        op.in_two = true;
        batch.push(op).unwrap();
        device.wait(device.submit(&batch).unwrap()).unwrap();
        let before = (device.stats().pool, device.counters().plans);
        // More than may be in flight at once, and none waited for.
        for _ in 0..20 {
            let _ = device.submit(&batch).unwrap();
        }
        assert_eq!(read(&device, &x), [21.0; 8]);
        assert_eq!((device.stats().pool, device.counters().plans), before);
        assert_eq!(device.counters().barriers, 21, "between the two launches, each time");
        assert_eq!(device.stats().submissions, 21);
        batch.push(Add::new(&x, 1.0, &x)).unwrap();
        device.wait(device.submit(&batch).unwrap()).unwrap();
        assert_eq!(device.counters().plans, before.1 + 1, "it is another batch now");
        let details = device.details();
        assert!(details.iter().any(|line| line.starts_with("pipeline add")), "{details:?}");
    });
}

#[test]
fn memory_outlives_its_handles_while_it_is_in_flight() {
    on_every_gpu(|gpu| {
        let device = gpu.open(true);
        let x = floats(&device, &[1.0; 64]);
        for _ in 0..30 {
            let between = floats(&device, &[0.0; 64]);
            let mut batch = Batch::new();
            batch.push(Add::new(&x, 1.0, &between)).unwrap();
            batch.push(Add::new(&between, 0.0, &x)).unwrap();
            let _ = device.submit(&batch).unwrap();
            // The batch and `between` are dropped here, while the GPU may still run.
        }
        assert_eq!(read(&device, &x), [31.0; 64]);
    });
}

#[test]
fn pipelines_are_made_in_the_background() {
    on_every_gpu(|gpu| {
        let device = gpu.open(false);
        let x = floats(&device, &[1.0; 8]);
        let mut batch = Batch::new();
        batch.push(Add::new(&x, 1.0, &x)).unwrap();
        let made =
            || device.details().iter().any(|line| line.contains("pipeline add.metal add: up to"));
        assert!(!made());
        device.prepare(&batch);
        while !made() {
            std::thread::yield_now();
        }
        device.wait(device.submit(&batch).unwrap()).unwrap();
        assert_eq!(read(&device, &x), [2.0; 8]);
        // What is wrong is told when it is asked for; and a device that is closed waits for nothing more.
        let mut broken = Batch::new();
        broken.push(Add { text: "kernel void add(", ..Add::new(&x, 1.0, &x) }).unwrap();
        device.prepare(&broken);
        assert!(device.submit(&broken).unwrap_err().to_string().contains("add.metal"));
    });
}

#[test]
fn memory_is_kept_warm_after_a_submission() {
    let warmed = Arc::new(AtomicU64::new(0));
    let soft = SoftOptions { warmed: Some(Arc::clone(&warmed)), ..Default::default() };
    let device = Metal::open_soft(&MetalOptions::default(), &soft).unwrap();
    let x = floats(&device, &[1.0; 8]);
    assert_eq!(warmed.load(Ordering::Relaxed), 0, "nobody has used it");
    let mut batch = Batch::new();
    batch.push(Add::new(&x, 1.0, &x)).unwrap();
    device.wait(device.submit(&batch).unwrap()).unwrap();
    // Again and again, with nothing submitted meanwhile.
    while warmed.load(Ordering::Relaxed) < 2 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn a_failed_submission_names_its_op_and_poisons_nothing() {
    on_every_gpu(|gpu| {
        let device = gpu.open(true);
        let x = floats(&device, &[1.0; 8]);
        let out = floats(&device, &[0.0; 8]);
        let mut bad = Batch::new();
        bad.push(Add { kernel: "stray", ..Add::new(&x, 1.0, &out) }).unwrap();
        let ticket = device.submit(&bad).unwrap();
        let told = device.wait(ticket).unwrap_err().to_string();
        assert!(told.contains("metal: add failed") && told.contains("add.metal:10"), "{told}");
        assert!(device.wait(ticket).is_err(), "it stays failed");
        let mut good = Batch::new();
        good.push(Add::new(&x, 1.0, &out)).unwrap();
        device.wait(device.submit(&good).unwrap()).unwrap();
        assert_eq!(read(&device, &out), [2.0; 8]);
        // Not waited for: the next to read is told, once.
        let _ = device.submit(&bad).unwrap();
        let mut bytes = [0; 32];
        assert!(device.read(&Slice::all(out.buffer()), &mut bytes).is_err());
        assert!(device.read(&Slice::all(out.buffer()), &mut bytes).is_ok());
    });
}

#[test]
fn threadgroups_of_the_devices_choice_have_just_the_threads_asked_for() {
    on_every_gpu(|gpu| {
        let device = gpu.open(true);
        let x = floats(&device, &[1.0; 320]);
        let some = part(&x, 0..301);
        let mut batch = Batch::new();
        batch.push(Add { free: true, ..Add::new(&some, 1.0, &some) }).unwrap();
        device.wait(device.submit(&batch).unwrap()).unwrap();
        assert_eq!(read(&device, &x), [[2.0; 301].as_slice(), &[1.0; 19]].concat());
    });
}

#[test]
fn simdgroups_that_are_not_there_cannot_be_used() {
    let full = open(true).traits().clone();
    let traits = GpuTraits { simd_width: 1, simd_reduce: false, ..full };
    for lacks in [false, true] {
        let traits = lacks.then(|| traits.clone());
        let soft = SoftOptions { checked: true, traits, ..Default::default() };
        let device = Metal::open_soft(&MetalOptions::default(), &soft).unwrap();
        let (x, out) = (floats(&device, &[1.0; 8]), floats(&device, &[0.0; 8]));
        let mut batch = Batch::new();
        batch.push(Add { kernel: "sum", ..Add::new(&x, 1.0, &out) }).unwrap();
        let told = device.wait(device.submit(&batch).unwrap());
        assert_eq!(told.is_err_and(|error| error.to_string().contains("lacks")), lacks);
    }
}

#[test]
fn what_cannot_be_compiled_or_launched_is_refused_by_name() {
    on_every_gpu(|gpu| {
        let device = gpu.open(false);
        let x = floats(&device, &[1.0; 8]);
        let broken = "kernel void add(device float *x [[buffer(0)]]) {\n    x[0] = nothing;\n}\n";
        let mut batch = Batch::new();
        batch.push(Add { text: broken, ..Add::new(&x, 1.0, &x) }).unwrap();
        let told = device.submit(&batch).unwrap_err().to_string();
        assert!(told.contains("add failed") && told.contains("add.metal:2"), "{told}");
        let mut batch = Batch::new();
        batch.push(Add { kernel: "absent", ..Add::new(&x, 1.0, &x) }).unwrap();
        let told = device.submit(&batch).unwrap_err().to_string();
        assert!(told.contains("absent") && told.contains("add.metal"), "{told}");
        let other = gpu.open(false);
        let stranger = floats(&other, &[1.0; 8]);
        let mut batch = Batch::new();
        batch.push(Add::new(&stranger, 1.0, &stranger)).unwrap();
        assert!(device.submit(&batch).unwrap_err().to_string().contains("another device"));
        assert!(device.read(&stranger.slice().unwrap(), &mut [0; 32]).is_err());
        assert_eq!(device.stats().submissions, 0);
    });
}

#[test]
fn too_much_memory_is_refused_and_what_was_held_is_given_back() {
    on_every_gpu(|gpu| {
        let options = MetalOptions { memory_limit: Some(1 << 20), ..Default::default() };
        let device = Metal::open_soft(&options, &gpu.soft()).unwrap();
        let held = device.alloc(900 << 10).unwrap();
        let told = device.alloc(900 << 10).unwrap_err().to_string();
        assert!(told.contains("921600 bytes were asked for") && told.contains("1048576"), "{told}");
        drop(held);
        assert!(device.alloc(900 << 10).is_ok());
    });
}

#[test]
fn a_trace_has_every_dispatch_and_its_share_of_the_bandwidth() {
    let path = std::env::temp_dir().join(format!("bessemer-metal-{}.trace", std::process::id()));
    let options = MetalOptions { trace: Some(path.clone()), ..Default::default() };
    let device = Metal::open_soft(&options, &SoftOptions::default()).unwrap();
    let x = floats(&device, &[1.0; 8]);
    let mut batch = Batch::new();
    batch.push(Add::new(&x, 1.0, &x)).unwrap();
    let mut op = Add::new(&x, 1.0, &x);
    op.in_two = true;
    batch.push(op).unwrap();
    device.wait(device.submit(&batch).unwrap()).unwrap();
    assert_eq!(read(&device, &x), [3.0; 8]);
    assert_eq!(device.counters().command_buffers, 3);
    drop((batch, x, device));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(text.matches("\"name\":\"add\"").count(), 3, "{text}");
    for (kernel, times) in [("add", 2), ("part", 1)] {
        let event = format!("\"kernels\":\"{kernel}\",\"bytes\":64");
        assert_eq!(text.matches(&event).count(), times, "{text}");
    }
    // The limit was measured: nobody has written down what this machine can.
    let shares: Vec<f64> = text
        .split("\"share of bandwidth\":")
        .skip(1)
        .map(|rest| rest.split('}').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(shares.len(), 3, "{text}");
    assert!(shares.iter().all(|&share| (0.0..1.5).contains(&share)), "{text}");
}

#[test]
fn simdgroups_can_be_used_where_there_are_some() {
    on_every_gpu(|gpu| {
        let device = gpu.open(true);
        let (x, out) = (floats(&device, &[1.0; 8]), floats(&device, &[0.0; 8]));
        let mut batch = Batch::new();
        batch.push(Add { kernel: "sum", ..Add::new(&x, 1.0, &out) }).unwrap();
        let done = device.submit(&batch).and_then(|ticket| device.wait(ticket));
        assert_eq!(done.is_ok(), gpu.has_simdgroups(), "{:?}", done.err());
    });
}

#[test]
fn a_missing_fence_is_noticed() {
    // Each submission overwrites what the one before it wrote: the last is what stays.
    let last = |seed: u64, unfenced: bool| {
        let soft = SoftOptions { seed: Some(seed), unfenced, ..Default::default() };
        let device = Metal::open_soft(&MetalOptions::default(), &soft).unwrap();
        let (zero, x) = (floats(&device, &[0.0; 8]), floats(&device, &[0.0; 8]));
        for number in 1..=8 {
            let mut batch = Batch::new();
            batch.push(Add::new(&zero, number as f32, &x)).unwrap();
            let _ = device.submit(&batch).unwrap();
        }
        read(&device, &x)[0]
    };
    let seeds = [1, 2, 3, 5];
    assert!(seeds.iter().all(|&seed| last(seed, false) == 8.0));
    assert!(seeds.iter().any(|&seed| last(seed, true) != 8.0), "nothing but the fence orders them");
}
