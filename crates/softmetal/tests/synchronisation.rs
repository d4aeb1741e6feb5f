//! Threadgroups that hand data to one another through atomics: silent when a fence or a barrier for
//! device memory orders it, reported when nothing does.
mod common;
use common::*;
use softmetal::*;

const ARGS: &str = "device float *part [[buffer(0)]], device float *out [[buffer(1)]], device atomic_uint *done [[buffer(2)]], uint t [[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]]";
const ADD: &str = "atomic_fetch_add_explicit(done, 1, memory_order_relaxed)";
const GROUPS: u64 = 8;

/// Runs each body over eight groups of 64 threads: reports, and what `out[0]` is.
fn run(bodies: &[String]) -> Vec<(Vec<Report>, f32)> {
    let d = Device::checked().unwrap();
    let kernel = |(n, body): (usize, &String)| format!("kernel void k{n}({ARGS}) {{ {body} }}\n");
    let kernels: String = bodies.iter().enumerate().map(kernel).collect();
    let l = library(&d, &format!("{HEAD}{kernels}"));
    let one = |n: usize| {
        let p = d.new_compute_pipeline(&l.function(&format!("k{n}")).unwrap()).unwrap();
        let part = d.new_buffer(64 * 8 * 4, StorageMode::Shared).unwrap();
        let out = d.new_buffer(256, StorageMode::Shared).unwrap();
        let done = d.new_buffer(64, StorageMode::Shared).unwrap();
        let args = [Arg::Buffer(&part), Arg::Buffer(&out), Arg::Buffer(&done)];
        let size = (Size::new(GROUPS * 64, 1, 1), Size::new(64, 1, 1));
        let reports = match dispatch(&d, &p, &args, &[], size.0, size.1) {
            Ok(_) => Vec::new(),
            Err(Error::Checked(list)) => list,
            Err(e) => panic!("{e}"),
        };
        (reports, out.to_vec::<f32>().unwrap()[0])
    };
    (0..bodies.len()).map(one).collect()
}

fn silent(bodies: &[String], sum: f32) {
    for ((reports, out), body) in run(bodies).iter().zip(bodies) {
        assert!(reports.is_empty(), "{body}\n{reports:#?}");
        assert_eq!(*out, sum, "{body}");
    }
}

fn caught(bodies: &[String]) {
    for ((reports, _), body) in run(bodies).iter().zip(bodies) {
        let race = |r: &Report| r.kind == ReportKind::RaceBetweenThreadgroups && r.other.is_some();
        assert!(reports.iter().any(race), "{body}\n{reports:#?}");
    }
}

const SUM: &str = "float s = 0; for (uint k = 0; k < groups; k++) s += part[k]; out[0] = s;";

#[test]
fn the_last_group_reads_what_all_have_written() {
    silent(
        &[
            // One thread of each group, with a fence.
            format!(
                "if (t == 0) {{ part[g] = g; atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device); if ({ADD} == groups - 1) {{ {SUM} }} }}"
            ),
            // A barrier for device memory, and a flag in threadgroup memory for the others.
            format!(
                "threadgroup bool last; if (t == 3) part[g] = g; threadgroup_barrier(mem_flags::mem_device); if (t == 0) last = {ADD} == groups - 1; threadgroup_barrier(mem_flags::mem_threadgroup); if (last && t == 7) {{ {SUM} }}"
            ),
            // An operation that orders by itself.
            format!(
                "if (t == 0) {{ part[g] = g; if (atomic_fetch_add_explicit(done, 1, memory_order_seq_cst) == groups - 1) {{ {SUM} }} }}"
            ),
            // The counter is set back by a plain store.
            format!(
                "if (t == 0) {{ part[g] = g; atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst); if ({ADD} == groups - 1) {{ {SUM} ((device uint *)done)[0] = 0; }} }}"
            ),
        ],
        28.0,
    );
}

#[test]
fn each_group_goes_on_from_the_one_before() {
    // A chained scan: what the first wrote reaches the third through the second.
    let wait = "while (atomic_load_explicit(done, memory_order_relaxed) < g) {} ";
    let fence =
        "atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);";
    silent(
        &[
            format!("if (t == 0) {{ {wait} {fence} out[0] += g; {fence} {ADD}; }}"),
            format!(
                "if (t == 0) {{ {wait} {fence} part[g] = g + (g > 1 ? part[g - 2] : 0); if (g == groups - 1) out[0] = part[g] + part[g - 1]; {fence} {ADD}; }}"
            ),
        ],
        28.0,
    );
}

#[test]
fn what_nothing_orders_is_still_a_race() {
    let fence =
        "atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);";
    caught(&[
        // No fence: the counter alone orders nothing.
        format!("if (t == 0) {{ part[g] = g; if ({ADD} == groups - 1) {{ {SUM} }} }}"),
        // The fence comes too late.
        format!(
            "if (t == 0) {{ part[g] = g; bool last = {ADD} == groups - 1; {fence} if (last) {{ {SUM} }} }}"
        ),
        // It comes before the write.
        format!("if (t == 0) {{ {fence} part[g] = g; if ({ADD} == groups - 1) {{ {SUM} }} }}"),
        // It is for another kind of memory.
        format!(
            "if (t == 0) {{ part[g] = g; atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_seq_cst); if ({ADD} == groups - 1) {{ {SUM} }} }}"
        ),
        // All add to the counter, and all write the same place.
        format!("if (t == 0) {{ {fence} {ADD}; out[0] = g; }}"),
        // Another thread wrote, with no barrier before the fence.
        format!(
            "if (t == 3) part[g] = g; if (t == 0) {{ {fence} if ({ADD} == groups - 1) {{ {SUM} }} }}"
        ),
        // A barrier that is not for device memory.
        format!(
            "threadgroup bool last; if (t == 3) part[g] = g; threadgroup_barrier(mem_flags::mem_threadgroup); if (t == 0) last = {ADD} == groups - 1; threadgroup_barrier(mem_flags::mem_threadgroup); if (last && t == 7) {{ {SUM} }}"
        ),
        // The reader looks at no atomic.
        format!(
            "if (t == 0 && g < groups - 1) {{ part[g] = g; {fence} {ADD}; }} if (t == 0 && g == groups - 1) {{ {SUM} }}"
        ),
    ]);
}
