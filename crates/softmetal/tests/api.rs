//! The device as Metal shapes it: buffers, blits, order, events, limits, reflection.
mod common;
use common::*;
use softmetal::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

const KERNELS: &str = "#include <metal_stdlib>\nusing namespace metal;\n\
kernel void fill(device uint *x [[buffer(0)]], constant uint &v [[buffer(1)]], uint i [[thread_position_in_grid]]) { x[i] = v; }\n\
kernel void add(device uint *x [[buffer(0)]], device const uint *y [[buffer(1)]], uint i [[thread_position_in_grid]]) { x[i] += y[i]; }\n\
kernel void groups(device uint *x [[buffer(0)]], uint3 g [[threadgroup_position_in_grid]], uint3 n [[threadgroups_per_grid]], uint t [[thread_index_in_threadgroup]]) { if (t == 0) x[(g.z * n.y + g.y) * n.x + g.x] = 1; }";

struct Bench {
    device: Device,
    queue: CommandQueue,
    fill: ComputePipeline,
    add: ComputePipeline,
    groups: ComputePipeline,
}

fn bench() -> Bench {
    let device = checked();
    let l = library(&device, KERNELS);
    let p = |name: &str| device.new_compute_pipeline(&l.function(name).unwrap()).unwrap();
    let (fill, add, groups) = (p("fill"), p("add"), p("groups"));
    Bench { queue: device.new_command_queue(), device, fill, add, groups }
}

const N: Size = Size { width: 100, height: 1, depth: 1 };
const GROUP: Size = Size { width: 32, height: 1, depth: 1 };

impl Bench {
    fn fill(&self, e: &mut ComputeEncoder, x: &Buffer, offset: usize, value: u32, n: u64) {
        e.set_pipeline(&self.fill);
        e.set_buffer(0, x, offset).unwrap();
        e.set_value(1, &value).unwrap();
        e.dispatch_threads(Size::new(n, 1, 1), GROUP).unwrap();
    }

    fn add(&self, e: &mut ComputeEncoder, x: &Buffer, y: &Buffer) {
        e.set_pipeline(&self.add);
        e.set_buffer(0, x, 0).unwrap();
        e.set_buffer(1, y, 0).unwrap();
        e.dispatch_threads(N, GROUP).unwrap();
    }
}

fn finish(c: &CommandBuffer) {
    c.commit().unwrap();
    c.wait_until_completed().unwrap_or_else(|e| panic!("{e}"));
}

fn why<T>(r: Result<T>) -> String {
    r.err().expect("it was taken").to_string()
}

#[test]
fn a_device_says_what_it_is() {
    let d = device();
    assert_eq!(d.name(), "softmetal");
    assert!(d.supports_family(Family::Apple7) && d.has_unified_memory());
    assert_eq!(d.max_threadgroup_memory_length(), 32768);
    assert_eq!(d.max_threads_per_threadgroup().width, 1024);
    let b = bench();
    assert_eq!(b.fill.thread_execution_width(), 32);
    assert_eq!(b.fill.max_total_threads_per_threadgroup(), 1024);
    assert!(b.fill.is_checked());
}

#[test]
fn blits_copy_and_fill_between_storage_modes() {
    let b = bench();
    let x = shared(&b.device, &(0..100u32).collect::<Vec<_>>());
    let private = b.device.new_buffer(400, StorageMode::Private).unwrap();
    let managed = b.device.new_buffer(400, StorageMode::Managed).unwrap();
    let c = b.queue.command_buffer();
    let mut e = c.blit_encoder().unwrap();
    e.copy(&x, 0, &private, 0, 400).unwrap();
    e.fill(&private, 4..12, 0xff).unwrap();
    e.end_encoding();
    let mut e = c.compute_encoder().unwrap();
    b.add(&mut e, &x, &private);
    e.end_encoding();
    let mut e = c.blit_encoder().unwrap();
    e.copy(&private, 8, &managed, 0, 392).unwrap();
    e.synchronize(&managed);
    e.end_encoding();
    finish(&c);
    let sum = x.to_vec::<u32>().unwrap();
    assert_eq!(sum[..4], [0, 0, 1, 6]);
    assert_eq!(managed.to_vec::<u32>().unwrap()[..3], [u32::MAX, 3, 4]);
    assert!(private.contents().is_null());
    assert!(why(private.to_vec::<u32>()).contains("private storage"));
    assert!(why(private.write(0, &[1])).contains("private storage"));
}

#[test]
fn blits_stay_within_their_buffers() {
    let b = bench();
    let x = shared(&b.device, &[0u32; 4]);
    let c = b.queue.command_buffer();
    let mut e = c.blit_encoder().unwrap();
    assert!(why(e.copy(&x, 8, &x, 0, 9)).contains("not within the source's 16"));
    assert!(why(e.copy(&x, 0, &x, usize::MAX, 4)).contains("destination"));
    assert!(why(e.copy(&x, 0, &x, 4, 8)).contains("overlap"));
    assert!(why(e.fill(&x, 4..17, 0)).contains("not within"));
}

/// Pages of this process, for as long as it runs.
fn pages(count: usize) -> &'static mut [u32] {
    const PAGE: usize = 65536;
    let layout = std::alloc::Layout::from_size_align(count * PAGE, PAGE).unwrap();
    // SAFETY: the layout is not empty; nobody else has the memory.
    unsafe {
        let memory = std::alloc::alloc_zeroed(layout).cast::<u32>();
        std::slice::from_raw_parts_mut(memory, count * PAGE / 4)
    }
}

#[test]
fn memory_of_the_host_is_not_copied() {
    let b = bench();
    let memory = pages(1);
    let (at, length) = (memory.as_mut_ptr().cast::<u8>(), memory.len() * 4);
    // SAFETY: the pages stay; the command buffer is waited for.
    let x = unsafe { b.device.new_buffer_no_copy(at, length) }.unwrap();
    let c = b.queue.command_buffer();
    let mut e = c.compute_encoder().unwrap();
    b.fill(&mut e, &x, 40, 5, 90);
    e.end_encoding();
    finish(&c);
    assert_eq!(memory[9..11], [0, 5]);
    // SAFETY: all are refused, never used.
    let refused = |at: *mut u8, length| why(unsafe { b.device.new_buffer_no_copy(at, length) });
    assert!(refused(at.wrapping_add(16), length).contains("whole pages"));
    assert!(refused(at, 400).contains("400 bytes") && refused(at, 400).contains("multiples of"));
    assert!(refused(std::ptr::null_mut(), length).contains("not all within memory"));
    assert!(refused(at, 1 << 37).contains("not all within memory"));
}

#[test]
fn indirect_dispatches_read_their_size_when_they_run() {
    let b = bench();
    let sizes = shared(&b.device, &[9u32, 0, 0, 0]);
    let x = shared(&b.device, &[0u32; 24]);
    let c = b.queue.command_buffer();
    let mut e = c.compute_encoder().unwrap();
    b.fill(&mut e, &sizes, 4, 2, 3);
    e.set_pipeline(&b.groups);
    e.set_buffer(0, &x, 0).unwrap();
    e.dispatch_threadgroups_indirect(&sizes, 4, Size::new(40, 1, 1)).unwrap();
    assert!(why(e.dispatch_threadgroups_indirect(&sizes, 8, GROUP)).contains("three numbers"));
    assert!(why(e.dispatch_threadgroups_indirect(&sizes, 2, GROUP)).contains("multiple of 4"));
    e.end_encoding();
    finish(&c);
    assert_eq!(x.to_vec::<u32>().unwrap().iter().sum::<u32>(), 8);
}

#[test]
fn empty_and_huge_grids_are_refused() {
    let b = bench();
    let x = shared(&b.device, &[0u32; 4]);
    let c = b.queue.command_buffer();
    let mut e = c.compute_encoder().unwrap();
    e.set_pipeline(&b.groups);
    e.set_buffer(0, &x, 0).unwrap();
    assert!(why(e.dispatch_threads(Size::new(0, 5, 1), GROUP)).contains("0 x 5 x 1 is empty"));
    assert!(why(e.dispatch_threadgroups(Size::new(1, 1, 0), GROUP)).contains("is empty"));
    e.dispatch_threads(Size::new(1 << 40, 1, 1), GROUP).unwrap();
    e.end_encoding();
    c.commit().unwrap();
    assert!(why(c.wait_until_completed()).contains("too large"));
}

/// An encoder that goes without being ended takes its command buffer with it.
#[test]
fn encoders_are_ended() {
    let b = bench();
    let c = b.queue.command_buffer();
    drop(c.compute_encoder().unwrap());
    assert!(why(c.commit()).contains("compute encoder was dropped before it was ended"));
    let c = b.queue.command_buffer();
    drop(c.blit_encoder().unwrap());
    assert!(why(c.commit()).contains("blit encoder was dropped"));
    let c = b.queue.command_buffer();
    let e = c.compute_encoder().unwrap();
    assert!(why(c.commit()).contains("has not been ended"));
    assert!(why(c.blit_encoder().map(drop)).contains("another encoder"));
    e.end_encoding();
    c.commit().unwrap();
}

/// Without a fence, a command buffer may run before one that was committed earlier.
#[test]
fn only_fences_and_events_order_command_buffers_of_untracked_memory() {
    let run = |seed: u64, fenced: bool| {
        let options = DeviceOptions { untracked: true, seed: Some(seed), ..Default::default() };
        let d = Device::with_options(options).unwrap();
        let (x, fence) = (shared(&d, &[0u8; 8]), d.new_fence());
        let queue = d.new_command_queue();
        let all: Vec<CommandBuffer> = (0..8u8)
            .map(|n| {
                let c = queue.command_buffer();
                let mut e = c.blit_encoder().unwrap();
                if fenced && n > 0 {
                    e.wait_for_fence(&fence).unwrap();
                }
                e.fill(&x, 0..8, n).unwrap();
                e.update_fence(&fence).unwrap();
                e.end_encoding();
                c
            })
            .collect();
        all.iter().for_each(|c| c.commit().unwrap());
        all.iter().for_each(|c| c.wait_until_completed().unwrap());
        x.to_vec::<u8>().unwrap()[0]
    };
    assert!((1..9).all(|seed| run(seed, true) == 7));
    assert!((1..9).any(|seed| run(seed, false) != 7));
}

#[test]
fn handlers_statuses_and_times() {
    let b = bench();
    let x = shared(&b.device, &[0u32; 100]);
    let c = b.queue.command_buffer();
    assert_eq!(c.status(), Status::NotEnqueued);
    assert!(why(c.wait_until_completed()).contains("not been committed"));
    let (tell, told) = mpsc::channel();
    let calls = Arc::new(AtomicUsize::new(0));
    for _ in 0..2 {
        let (tell, calls) = (tell.clone(), calls.clone());
        c.add_completed_handler(move |c| {
            calls.fetch_add(1, Ordering::SeqCst);
            tell.send(c.status()).unwrap();
        })
        .unwrap();
    }
    let mut e = c.compute_encoder().unwrap();
    assert!(why(c.blit_encoder()).contains("not been ended"));
    assert!(why(c.commit()).contains("not been ended"));
    b.fill(&mut e, &x, 0, 1, 100);
    e.end_encoding();
    finish(&c);
    assert_eq!(told.recv_timeout(Duration::from_secs(10)), Ok(Status::Completed));
    assert_eq!(told.recv_timeout(Duration::from_secs(10)), Ok(Status::Completed));
    assert_eq!((c.status(), calls.load(Ordering::SeqCst)), (Status::Completed, 2));
    assert!(c.gpu_end_time() >= c.gpu_start_time() && c.gpu_start_time() > 0.0);
    assert!(c.error().is_none());
    assert!(why(c.commit()).contains("once"));
    assert!(why(c.compute_encoder()).contains("has been committed"));
    assert!(why(c.add_completed_handler(|_| ())).contains("before"));
}

#[test]
fn events_order_two_queues_and_the_host() {
    let b = bench();
    let (x, y) = (shared(&b.device, &[1u32; 100]), shared(&b.device, &[0u32; 100]));
    let event = b.device.new_shared_event();
    let second = b.device.new_command_queue();
    let late = second.command_buffer();
    late.encode_wait_for_event(&event, 2).unwrap();
    let mut e = late.compute_encoder().unwrap();
    b.add(&mut e, &x, &y);
    e.end_encoding();
    late.encode_signal_event(&event, 3).unwrap();
    late.commit().unwrap();
    assert_eq!(late.status(), Status::Committed);
    let early = b.queue.command_buffer();
    early.encode_wait_for_event(&event, 1).unwrap();
    let mut e = early.compute_encoder().unwrap();
    b.fill(&mut e, &y, 0, 41, 100);
    e.end_encoding();
    early.encode_signal_event(&event, 2).unwrap();
    early.commit().unwrap();
    assert!(!event.wait_until_signaled_value(3, Duration::from_millis(10)));
    event.set_signaled_value(1);
    assert!(event.wait_until_signaled_value(3, Duration::from_secs(30)));
    late.wait_until_completed().unwrap();
    assert_eq!(x.to_vec::<u32>().unwrap(), [42; 100]);
    assert_eq!(event.signaled_value(), 3);
}

#[test]
fn fences_order_encoders() {
    let b = bench();
    let (x, y) = (shared(&b.device, &[1u32; 100]), shared(&b.device, &[0u32; 100]));
    let fence = b.device.new_fence();
    let c = b.queue.command_buffer();
    let mut e = c.compute_encoder().unwrap();
    b.fill(&mut e, &y, 0, 9, 100);
    e.update_fence(&fence).unwrap();
    e.end_encoding();
    let mut e = c.blit_encoder().unwrap();
    e.wait_for_fence(&fence).unwrap();
    e.copy(&y, 0, &x, 0, 400).unwrap();
    e.end_encoding();
    finish(&c);
    assert_eq!(x.to_vec::<u32>().unwrap(), [9; 100]);
}

#[test]
fn a_wait_that_nobody_ends_is_an_error() {
    let options =
        DeviceOptions { time_limit: Duration::from_millis(50), ..DeviceOptions::default() };
    let d = Device::with_options(options).unwrap();
    let c = d.new_command_queue().command_buffer();
    c.encode_wait_for_event(&d.new_shared_event(), 1).unwrap();
    c.commit().unwrap();
    assert!(why(c.wait_until_completed()).contains("did not reach 1"));
    // A fence that nobody has updated holds nobody up.
    let c = d.new_command_queue().command_buffer();
    let mut e = c.blit_encoder().unwrap();
    e.wait_for_fence(&d.new_fence()).unwrap();
    e.end_encoding();
    finish(&c);
}

#[test]
fn bindings_are_held_to_metals_rules() {
    let b = bench();
    let x = shared(&b.device, &[0u32; 8]);
    let c = b.queue.command_buffer();
    let mut e = c.compute_encoder().unwrap();
    assert!(why(e.dispatch_threads(N, GROUP)).contains("no pipeline"));
    e.set_pipeline(&b.add);
    assert!(why(e.set_buffer(31, &x, 0)).contains("there are 31"));
    assert!(why(e.set_buffer(0, &x, 32)).contains("not within"));
    assert!(why(e.set_bytes(0, &[])).contains("1 to 4096"));
    assert!(why(e.set_bytes(0, &[0; 4097])).contains("1 to 4096"));
    e.set_buffer(0, &x, 0).unwrap();
    assert!(why(e.dispatch_threads(N, GROUP)).contains("nothing is bound to buffer(1) 'y'"));
    e.set_buffer(1, &x, 30).unwrap();
    assert!(
        why(e.dispatch_threads(N, GROUP)).contains("2 bytes, and one 'device const uint *' has 4")
    );
    e.set_buffer(1, &x, 2).unwrap();
    assert!(why(e.dispatch_threads(N, GROUP)).contains("alignment"));
    e.set_buffer(1, &x, 0).unwrap();
    assert!(why(e.dispatch_threads(N, Size::new(33, 32, 1))).contains("1 to 1024 threads"));
    assert!(why(e.dispatch_threads(N, Size::new(0, 1, 1))).contains("1 to 1024 threads"));
    assert!(why(e.set_threadgroup_memory_length(0, 24)).contains("multiple of 16"));
    assert!(why(e.set_threadgroup_memory_length(0, 32784)).contains("32768"));
    assert!(why(b.device.new_buffer(0, StorageMode::Shared)).contains("from 1"));
}

#[test]
fn arguments_are_reflected() {
    let source = "#include <metal_stdlib>\nusing namespace metal;\nstruct P { float3 a; half b; };\n\
        kernel void k(constant P &p [[buffer(3)]], device const float4 *x [[buffer(1)]], device half *y [[buffer(0)]], threadgroup float2 *s [[threadgroup(1)]], uint3 g [[thread_position_in_grid]]) { threadgroup float own[5]; own[0] = 1; s[0] = own[0]; y[g.x] = p.b + half(x[0].x); }\n\
        kernel void m(device float *x, device int *y) { x[0] = y[0]; }";
    let d = device();
    let l = library(&d, source);
    let p = d.new_compute_pipeline(&l.function("k").unwrap()).unwrap();
    let seen: Vec<_> = p
        .arguments()
        .iter()
        .map(|a| (a.name.as_str(), a.kind.clone(), a.data_size, a.data_alignment))
        .collect();
    use ArgumentKind::*;
    let buffer = |index, device, writable| Buffer { index, device, writable };
    assert_eq!(
        seen,
        [
            ("p", buffer(3, false, false), 32, 16),
            ("x", buffer(1, true, false), 16, 16),
            ("y", buffer(0, true, true), 2, 2),
            ("s", Threadgroup { index: 1 }, 8, 8),
            ("g", Builtin("thread_position_in_grid".into()), 0, 0),
        ]
    );
    assert_eq!(p.static_threadgroup_memory_length(), 32);
    let indices: Vec<_> =
        l.function("m").unwrap().arguments().iter().map(|a| a.kind.clone()).collect();
    assert_eq!(indices, [buffer(0, true, true), buffer(1, true, true)]);
    assert!(why(l.function("K")).contains("there is 'k'"));
}

#[test]
fn memory_beyond_the_limit_is_refused_until_some_is_given_back() {
    let memory = Memory::limited(10_000);
    let options = DeviceOptions { memory: memory.clone(), ..DeviceOptions::default() };
    let d = Device::with_options(options).unwrap();
    let held = d.new_buffer(6_000, StorageMode::Shared).unwrap();
    let told = d.new_buffer(5_000, StorageMode::Private).unwrap_err().to_string();
    assert!(told.contains("5000 bytes") && told.contains("6000 of 10000"), "{told}");
    assert_eq!(d.current_allocated_size(), 6_000);
    drop(held);
    drop(d.new_buffer(10_000, StorageMode::Shared).unwrap());
    memory.limit(9_999);
    assert!(d.new_buffer(10_000, StorageMode::Shared).is_err());
    assert_eq!(memory.used(), 0);
}
