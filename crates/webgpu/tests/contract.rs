//! What every device promises, on whatever adapter there is: bytes in and out at any place, limits,
//! and a device that is lost.

use bessemer_core::{
    Access, Batch, Cost, DType, Device, Error, Host, HostMemory, Operation, Result, Shape, Slice,
    View,
    cpu::CpuContext,
    gpu::{Binding, GpuTraits, Kernel, Launch, Launches, Params, Source},
};
use bessemer_ops::Copy;
use bessemer_webgpu::{WebGpu, WebGpuOptions, adapters};
use std::sync::{Arc, LazyLock};

static GPU: LazyLock<WebGpu> = LazyLock::new(|| WebGpu::open(WebGpuOptions::default()).unwrap());

fn copy(device: &WebGpu, count: usize) -> (Batch, View, View) {
    let shape = Shape::new(&[count]).unwrap();
    let view = || View::new(&device.alloc(4 * count).unwrap(), DType::F32, shape).unwrap();
    let (x, out) = (view(), view());
    let mut batch = Batch::new();
    batch.push(Copy { x: x.clone(), out: out.clone() }).unwrap();
    (batch, x, out)
}

#[test]
fn bytes_go_to_any_place_and_nowhere_else() {
    let buffer = GPU.alloc(75).unwrap();
    let mut wanted = [7u8; 75];
    GPU.write(&Slice::all(&buffer), &wanted).unwrap();
    for (start, len) in
        [(0, 1), (1, 2), (3, 1), (5, 3), (9, 11), (20, 16), (41, 30), (74, 1), (33, 0)]
    {
        let bytes: Vec<u8> = (0..len).map(|i| (start * 3 + i) as u8).collect();
        GPU.write(&Slice::new(&buffer, start..start + len).unwrap(), &bytes).unwrap();
        wanted[start..start + len].copy_from_slice(&bytes);
        let mut found = [0; 75];
        GPU.read(&Slice::all(&buffer), &mut found).unwrap();
        assert_eq!(found, wanted, "{len} bytes at {start}");
        let mut part = vec![0; len];
        GPU.read(&Slice::new(&buffer, start..start + len).unwrap(), &mut part).unwrap();
        assert_eq!(part, bytes);
    }
}

#[test]
fn a_batch_that_is_submitted_again_takes_nothing_from_the_pool() {
    let gpu = WebGpu::open(WebGpuOptions::default()).unwrap();
    let (batch, x, out) = copy(&gpu, 1000);
    gpu.write(&x.slice().unwrap(), &[1; 4000]).unwrap();
    gpu.wait(gpu.submit(&batch).unwrap()).unwrap();
    let before = gpu.stats();
    for _ in 0..3 {
        gpu.wait(gpu.submit(&batch).unwrap()).unwrap();
    }
    let after = gpu.stats();
    assert_eq!(after.pool, before.pool);
    assert_eq!(after.submissions, before.submissions + 3);
    assert_eq!(after.dispatches, before.dispatches + 3);
    let mut found = [0; 4000];
    gpu.read(&out.slice().unwrap(), &mut found).unwrap();
    assert_eq!(found, [1; 4000]);
}

#[test]
fn memory_may_be_used_again_while_the_gpu_works() {
    let (batch, x, out) = copy(&GPU, 4096);
    for round in 0..20u8 {
        GPU.write(&x.slice().unwrap(), &[round; 16384]).unwrap();
        let ticket = GPU.submit(&batch).unwrap();
        // Dropped at once: the next round may get the same memory.
        drop(copy(&GPU, 4096));
        GPU.wait(ticket).unwrap();
        let mut found = [0; 16384];
        GPU.read(&out.slice().unwrap(), &mut found).unwrap();
        assert_eq!(found, [round; 16384]);
    }
}

#[test]
fn adopted_memory_is_read_only_and_counted_while_it_lives() {
    let gpu = WebGpu::open(WebGpuOptions::default()).unwrap();
    let host = HostMemory::new(Arc::new(vec![9u8; 101]));
    let buffer = gpu.adopt(host).unwrap();
    assert_eq!(gpu.stats().adopted_bytes, 101);
    let mut found = [0; 101];
    gpu.read(&Slice::all(&buffer), &mut found).unwrap();
    assert_eq!(found, [9; 101]);
    assert!(matches!(gpu.write(&Slice::all(&buffer), &found), Err(Error::Output { .. })));
    drop(buffer);
    assert_eq!(gpu.stats().adopted_bytes, 0);
}

#[test]
fn more_than_there_may_be_is_an_error() {
    let limited = WebGpuOptions { memory_limit: Some(1 << 20), ..Default::default() };
    let gpu = WebGpu::open(limited).unwrap();
    assert!(matches!(gpu.alloc(2 << 20), Err(Error::OutOfMemory { .. })));
    let host = HostMemory::new(Arc::new(vec![0u8; 2 << 20]));
    assert!(matches!(gpu.adopt(host), Err(Error::OutOfMemory { .. })));
    // More than the adapter has.
    let limit = GPU.info().memory_limit;
    assert!(limit < 1 << 50, "it says how much it has: {limit}");
    let error = GPU.alloc(limit + 1).unwrap_err().to_string();
    assert!(error.contains(&GPU.info().name), "{error}");
    // More than any adapter's buffers hold.
    let boundless = WebGpuOptions { memory_limit: Some(1 << 60), ..Default::default() };
    let gpu = WebGpu::open(boundless).unwrap();
    let error = gpu.alloc(1 << 50).unwrap_err().to_string();
    assert!(error.contains("the adapter's buffers") && error.contains(&gpu.info().name), "{error}");
    assert!(GPU.alloc(1000).is_ok() && gpu.alloc(1000).is_ok());
}

#[test]
fn it_keeps_the_contract_of_devices() {
    let other = WebGpu::open(WebGpuOptions::default()).unwrap();
    assert_eq!(bessemer_conformance::contract(&*GPU, &other), Ok(()));
}

#[test]
fn a_device_that_is_lost_says_so_and_another_can_be_opened() {
    let gpu = WebGpu::open(WebGpuOptions::default()).unwrap();
    let (batch, x, _) = copy(&gpu, 64);
    gpu.wait(gpu.submit(&batch).unwrap()).unwrap();
    gpu.close();
    let slice = x.slice().unwrap();
    let errors = [
        gpu.submit(&batch).map(|_| ()).unwrap_err(),
        gpu.alloc(100).map(|_| ()).unwrap_err(),
        gpu.write(&slice, &[0; 256]).unwrap_err(),
        gpu.read(&slice, &mut [0; 256]).unwrap_err(),
    ];
    for error in errors {
        let text = error.to_string();
        assert!(text.contains("lost") && text.contains(&gpu.info().name), "{text}");
    }
    let again = WebGpu::open(WebGpuOptions::default()).unwrap();
    let (batch, ..) = copy(&again, 64);
    again.wait(again.submit(&batch).unwrap()).unwrap();
}

/// An op whose kernel no driver takes.
#[derive(Debug)]
struct Refused(View);

impl Operation for Refused {
    fn name(&self) -> &'static str {
        "refused"
    }

    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn access(&self) -> Access {
        Access::new(&[], &[&self.0])
    }

    fn cost(&self) -> Cost {
        Cost::default()
    }

    fn reference(&self, _: &mut Host<'_>) {}

    fn cpu(&self, _: &CpuContext<'_>) {}

    fn webgpu(&self, _: &GpuTraits) -> Result<Launches> {
        let text = "@compute @workgroup_size(1) fn main() { let x: f32 = 1u; }";
        let launch = Launch {
            kernel: Kernel::new(Source::File { name: "refused.wgsl", text }, "main"),
            bindings: vec![Binding::Write(self.0.clone())],
            params: Params::new(),
            groups: [1; 3],
            threads: [1; 3],
        };
        Ok(launch.into())
    }
}

#[test]
fn a_kernel_that_is_refused_is_told_with_its_op_and_the_device_goes_on() {
    let gpu = WebGpu::open(WebGpuOptions::default()).unwrap();
    let (good, _, out) = copy(&gpu, 8);
    let mut bad = Batch::new();
    bad.push(Refused(out)).unwrap();
    for _ in 0..2 {
        let error = gpu.submit(&bad).unwrap_err().to_string();
        for words in [&gpu.info().name, "refused failed", "refused.wgsl"] {
            assert!(error.contains(words), "{error}");
        }
        assert!(!error.contains('\n'), "{error}");
    }
    gpu.wait(gpu.submit(&good).unwrap()).unwrap();
}

#[test]
fn a_timeline_has_every_op_by_either_clock() {
    for portable in [false, true] {
        let name = format!("bessemer-webgpu-{}-{portable}.trace", std::process::id());
        let path = std::env::temp_dir().join(name);
        let trace = Some(path.clone());
        let gpu = WebGpu::open(WebGpuOptions { trace, portable, ..Default::default() }).unwrap();
        let (batch, ..) = copy(&gpu, 1000);
        for _ in 0..3 {
            gpu.wait(gpu.submit(&batch).unwrap()).unwrap();
        }
        assert_eq!(gpu.stats().dispatches, 3);
        drop(gpu);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(text.matches("\"name\":\"copy\"").count(), 3, "{text}");
        assert_eq!(text.matches("\"bytes\":8000,").count(), 3, "{text}");
        assert_eq!(text.matches("share of bandwidth").count(), 3, "{text}");
    }
}

#[test]
fn what_is_read_again_is_what_was_written_last() {
    let gpu = WebGpu::open(WebGpuOptions::default()).unwrap();
    let (batch, x, out) = copy(&gpu, 64);
    let (other, y, _) = copy(&gpu, 64);
    let place = Slice::new(out.buffer(), 5..131).unwrap();
    let read = |wanted: u8| {
        let mut found = [0; 126];
        gpu.read(&place, &mut found).unwrap();
        assert_eq!(found, [wanted; 126]);
    };
    let fill = |view: &View, value| gpu.write(&view.slice().unwrap(), &[value; 256]).unwrap();
    for round in 0..8 {
        fill(&x, round);
        let ticket = gpu.submit(&batch).unwrap();
        // What is submitted since does not change it, nor does what only reads it.
        fill(&y, 100);
        let _later = gpu.submit(&other).unwrap();
        gpu.wait(ticket).unwrap();
        read(round);
        read(round);
        // A batch that nobody reads after, and a write from the host.
        fill(&x, 50 + round);
        let _unread = gpu.submit(&batch).unwrap();
        fill(&x, 60 + round);
        let _ticket = gpu.submit(&batch).unwrap();
        read(60 + round);
        let _ticket = gpu.submit(&batch).unwrap();
        fill(&out, 70 + round);
        read(70 + round);
    }
}

#[test]
fn much_goes_in_and_out_in_pieces() {
    // More than a ring of uploads, and no whole number of pieces.
    let bytes: Vec<u8> =
        (0..(35 << 20) + 7).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let buffer = GPU.adopt(HostMemory::new(Arc::new(bytes.clone()))).unwrap();
    let mut found = vec![0; bytes.len()];
    GPU.read(&Slice::all(&buffer), &mut found).unwrap();
    assert!(found == bytes);
    let part = 1_000_003..18_000_001;
    let mut found = vec![0; part.len()];
    GPU.read(&Slice::new(&buffer, part.clone()).unwrap(), &mut found).unwrap();
    assert!(found == bytes[part]);
}

#[test]
fn adapters_are_chosen_by_a_part_of_their_name() {
    let all = adapters(Default::default());
    let first = all.first().expect("an adapter, at least Mesa's in software");
    let part = first.name.to_uppercase()[..4].to_owned();
    let options = WebGpuOptions { adapter: Some(part), ..Default::default() };
    assert_eq!(WebGpu::open(options).unwrap().info().name, first.name);
    let unknown = WebGpuOptions { adapter: Some("Voodoo".into()), ..Default::default() };
    let error = WebGpu::open(unknown).unwrap_err().to_string();
    assert!(error.contains("Voodoo") && error.contains(&first.name), "{error}");
}
