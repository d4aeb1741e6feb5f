//! The device on softmetal: what is encoded, what is kept, what is told.

#![cfg(target_os = "linux")]

use bessemer_core::{
    Access, Batch, Cost, DType, Device, Element, Host, HostMemory, Operation, Result, Shape, Slice,
    View,
    cpu::CpuContext,
    gpu::{Binding, GpuTraits, Kernel, Launch, Launches, Params, Source},
};
use bessemer_metal::{
    Metal, MetalOptions,
    hal::soft::{Soft, SoftOptions},
};
use std::{ops::Range, sync::Arc};

const SOURCE: &str = "
#include <metal_stdlib>
using namespace metal;
kernel void add(device const float *x [[buffer(0)]], device float *out [[buffer(1)]],
                constant float &by [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    out[i] = x[i] + by;
}
kernel void stray(device const float *x [[buffer(0)]], device float *out [[buffer(1)]],
                  constant float &by [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    out[i + 100000] = x[i] + by;
}
kernel void part(device const float *x [[buffer(0)]], device float *kept [[buffer(1)]],
                 constant float &by [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    kept[i] = x[i] + by;
}
kernel void sum(device const float *x [[buffer(0)]], device float *out [[buffer(1)]],
                constant float &by [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    out[i] = simd_sum(x[i]) + by;
}
";

/// `out = x + by`, by a kernel of choice.
#[derive(Debug)]
struct Add {
    kernel: &'static str,
    x: View,
    by: f32,
    out: View,
    text: &'static str,
    in_two: bool,
    /// Whether the device chooses the threadgroups.
    free: bool,
}

impl Add {
    fn new(x: &View, by: f32, out: &View) -> Add {
        let (x, out) = (x.clone(), out.clone());
        Add { kernel: "add", x, by, out, text: SOURCE, in_two: false, free: false }
    }
}

impl Operation for Add {
    fn name(&self) -> &'static str {
        "add"
    }

    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x], &[&self.out]).in_place()
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), self.x.elements() as u64)
    }

    fn reference(&self, _: &mut Host<'_>) {}

    fn cpu(&self, _: &CpuContext<'_>) {}

    fn metal(&self, _: &GpuTraits) -> Result<Launches> {
        let launch = |entry: &'static str, bindings, by| Launch {
            kernel: Kernel::new(Source::File { name: "add.metal", text: self.text }, entry),
            bindings,
            params: Params::new().f32(by),
            groups: [self.x.elements() as u32, 1, 1],
            threads: if self.free { Launch::FREE } else { [1, 1, 1] },
        };
        let (read, write) = (Binding::Read(self.x.clone()), Binding::Write(self.out.clone()));
        if !self.in_two {
            return Ok(launch(self.kernel, vec![read, write], self.by).into());
        }
        let range = 0..4 * self.x.elements();
        let between = |write| Binding::Scratch { range: range.clone(), write };
        let launches = vec![
            launch("part", vec![read, between(true)], self.by),
            launch("add", vec![between(false), write], 0.0),
        ];
        Ok(Launches { launches, scratch: range.end })
    }
}

fn open(checked: bool) -> Metal<Soft> {
    let soft = SoftOptions { checked, ..Default::default() };
    Metal::open_soft(&MetalOptions::default(), &soft).unwrap()
}

fn floats(device: &dyn Device, values: &[f32]) -> View {
    let shape = Shape::new(&[values.len()]).unwrap();
    let view = View::new(&device.alloc(4 * values.len()).unwrap(), DType::F32, shape).unwrap();
    device.write(&view.slice().unwrap(), f32::as_bytes(values)).unwrap();
    view
}

fn read(device: &dyn Device, view: &View) -> Vec<f32> {
    let mut values = vec![0.0; view.elements()];
    device.read(&view.slice().unwrap(), f32::as_bytes_mut(&mut values)).unwrap();
    values
}

fn part(view: &View, range: Range<usize>) -> View {
    view.narrow(0, range).unwrap()
}

#[test]
fn barriers_stand_only_where_dispatches_meet() {
    let device = open(true);
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
}

#[test]
fn a_batch_submitted_again_takes_nothing_new() {
    let device = open(true);
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
}

#[test]
fn memory_outlives_its_handles_while_it_is_in_flight() {
    let device = open(true);
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
}

#[test]
fn memory_of_the_host_is_used_in_place() {
    let device = open(true);
    let values: Vec<f32> = (0..5000).map(|i| i as f32).collect();
    let bytes: Arc<Vec<u8>> = Arc::new(f32::as_bytes(&values).to_vec());
    struct Bytes(Arc<Vec<u8>>);
    impl AsRef<[u8]> for Bytes {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }
    let all = HostMemory::new(Arc::new(Bytes(bytes)));
    let aligned = all.bytes().as_ptr().addr().next_multiple_of(16) - all.bytes().as_ptr().addr();
    for (start, in_place) in [(aligned, true), (aligned + 4, false)] {
        let host = all.slice(start..start + 4000).unwrap();
        let wanted = host.bytes().to_vec();
        let buffer = device.adopt(host).unwrap();
        assert_eq!(device.stats().adopted_bytes, if in_place { 4000 } else { 0 });
        assert!(device.write(&Slice::all(&buffer), &[0; 4000]).is_err(), "it is read-only");
        let x = View::new(&buffer, DType::F32, Shape::new(&[1000]).unwrap()).unwrap();
        let out = floats(&device, &[0.0; 1000]);
        let mut batch = Batch::new();
        batch.push(Add::new(&x, 0.0, &out)).unwrap();
        device.wait(device.submit(&batch).unwrap()).unwrap();
        assert_eq!(f32::as_bytes(&read(&device, &out)), wanted);
        drop((batch, x, buffer));
        assert_eq!(device.stats().adopted_bytes, 0);
    }
}

#[test]
fn memory_of_a_gpu_is_filled_once() {
    let soft = SoftOptions { checked: true, own_memory: true, ..Default::default() };
    let device = Metal::open_soft(&MetalOptions::default(), &soft).unwrap();
    let bytes: Vec<u8> = f32::as_bytes(&[1.0, 2.0, 3.0, 4.0]).to_vec();
    let weights = device.adopt(HostMemory::new(Arc::new(bytes.clone()))).unwrap();
    assert_eq!(device.stats().adopted_bytes, 0, "nothing is used in place");
    let x = View::new(&weights, DType::F32, Shape::new(&[4]).unwrap()).unwrap();
    let out = floats(&device, &[0.0; 4]);
    let mut batch = Batch::new();
    batch.push(Add::new(&x, 1.0, &out)).unwrap();
    device.wait(device.submit(&batch).unwrap()).unwrap();
    assert_eq!(read(&device, &out), [2.0, 3.0, 4.0, 5.0]);
    let mut back = [0; 8];
    device.read(&Slice::new(&weights, 4..12).unwrap(), &mut back).unwrap();
    assert_eq!(back, bytes[4..12]);
}

#[test]
fn pipelines_are_made_in_the_background() {
    let device = open(false);
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
}

#[test]
fn a_failed_submission_names_its_op_and_poisons_nothing() {
    let device = open(true);
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
}

#[test]
fn threadgroups_of_the_devices_choice_have_just_the_threads_asked_for() {
    let device = open(true);
    let x = floats(&device, &[1.0; 320]);
    let some = part(&x, 0..301);
    let mut batch = Batch::new();
    batch.push(Add { free: true, ..Add::new(&some, 1.0, &some) }).unwrap();
    device.wait(device.submit(&batch).unwrap()).unwrap();
    assert_eq!(read(&device, &x), [[2.0; 301].as_slice(), &[1.0; 19]].concat());
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
    let device = open(false);
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
    let other = open(false);
    let stranger = floats(&other, &[1.0; 8]);
    let mut batch = Batch::new();
    batch.push(Add::new(&stranger, 1.0, &stranger)).unwrap();
    assert!(device.submit(&batch).unwrap_err().to_string().contains("another device"));
    assert!(device.read(&stranger.slice().unwrap(), &mut [0; 32]).is_err());
    assert_eq!(device.stats().submissions, 0);
}

#[test]
fn too_much_memory_is_refused_and_what_was_held_is_given_back() {
    let options = MetalOptions { memory_limit: Some(1 << 20), ..Default::default() };
    let device = Metal::open_soft(&options, &SoftOptions::default()).unwrap();
    let held = device.alloc(900 << 10).unwrap();
    let told = device.alloc(900 << 10).unwrap_err().to_string();
    assert!(told.contains("921600 bytes asked for") && told.contains("1048576"), "{told}");
    drop(held);
    assert!(device.alloc(900 << 10).is_ok());
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
