//! For each checker: kernels it must catch, and near misses on which it must stay silent.
mod common;
use common::*;
use softmetal::*;

const ARGS: &str = "device float *x [[buffer(0)]], device float *y [[buffer(1)]], uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]";

/// Runs bodies over 128 threads in groups of 64, each on two buffers of 128 floats.
fn reports_of(bodies: &[&str], storage: StorageMode, seed: Option<u64>) -> Vec<Vec<Report>> {
    let options = DeviceOptions { checked: true, seed, ..DeviceOptions::default() };
    let d = Device::with_options(options).unwrap();
    let kernel = |(n, body): (usize, &&str)| format!("kernel void k{n}({ARGS}) {{ {body} }}\n");
    let kernels: String = bodies.iter().enumerate().map(kernel).collect();
    let l = library(&d, &format!("{HEAD}{kernels}"));
    let one = |n: usize| {
        let p = d.new_compute_pipeline(&l.function(&format!("k{n}")).unwrap()).unwrap();
        let x = d.new_buffer_with_slice(&[1f32; 128], StorageMode::Shared).unwrap();
        let y = d.new_buffer(512, storage).unwrap();
        let args = [Arg::Buffer(&x), Arg::Buffer(&y)];
        match dispatch(&d, &p, &args, &[], Size::new(128, 1, 1), Size::new(64, 1, 1)) {
            Ok(_) => Vec::new(),
            Err(Error::Checked(list)) => list,
            Err(e) => panic!("{e}"),
        }
    };
    (0..bodies.len()).map(one).collect()
}

fn reports(body: &str) -> Vec<Report> {
    reports_with(body, StorageMode::Shared, None)
}

fn reports_with(body: &str, storage: StorageMode, seed: Option<u64>) -> Vec<Report> {
    reports_of(&[body], storage, seed).remove(0)
}

fn caught(kind: ReportKind, bodies: &[&str]) {
    for (n, list) in reports_of(bodies, StorageMode::Shared, None).iter().enumerate() {
        let here = |r: &&Report| {
            r.kind == kind && r.side.line == 3 + n as u32 && r.side.file == "test.metal"
        };
        assert!(list.iter().find(here).is_some(), "{}\n{list:#?}", bodies[n]);
    }
}

fn silent(bodies: &[&str]) {
    for (n, list) in reports_of(bodies, StorageMode::Shared, None).iter().enumerate() {
        assert!(list.is_empty(), "{}\n{list:#?}", bodies[n]);
    }
}

#[test]
fn out_of_bounds() {
    caught(
        ReportKind::OutOfBounds,
        &[
            "y[i] = x[i + 1];",
            "y[i + 100] = 1;",
            "if (i == 3) y[-1] = x[0];",
            "threadgroup float s[64]; s[t] = 1; s[t + 8192 * 4] = 2; y[i] = s[t];",
            "((device float4 *)y)[i / 4 + 1] = 1;",
        ],
    );
    silent(&["y[i] = x[127 - i];", "if (i < 127) y[i] = x[i + 1];"]);
    silent(&[
        "if (i == 0) ((device uchar *)y)[511] = 1;",
        "if (i < 32) ((device float4 *)y)[i] = 1;",
    ]);
    let r = &reports("if (i == 70) y[200] = 1;")[0];
    assert_eq!((r.binding.as_str(), r.offset, r.size), ("buffer(1) 'y'", 800, 4));
    assert_eq!((r.side.group, r.side.thread, r.side.line), ([1, 0, 0], [6, 0, 0], 3));
}

#[test]
fn misaligned() {
    caught(
        ReportKind::Misaligned,
        &[
            "if (i == 0) y[0] = *(device float *)((device uchar *)x + 1);",
            "if (i == 0) *(device ulong *)(y + 1) = 1;",
            "if (i == 0) y[0] = *(device ushort *)((device uchar *)x + 3);",
            "if (i == 0) *(device float4 *)(y + 2) = 1;",
            "if (i == 0) *(device float4 *)(y + 1) = float4(x[0], 1, 2, 3);",
            "if (i == 0) { float4 v = *(device float4 *)(x + 2); y[0] = v.x + v.w; }",
            "if (i == 0) { float3 v = *(device const float3 *)(x + 1); y[0] = v.x; }",
            "if (i == 0) *(device float4 *)(y + 4) = *(device float4 *)(x + 3);",
            "threadgroup float s[64]; s[t] = x[i]; float2 v = *(threadgroup float2 *)(s + (t | 1)); y[i] = v.x;",
            "if (i == 0) y[0] = any(*(device int4 *)(x + 2) > int4(0));",
        ],
    );
    silent(&[
        "if (i == 0) y[0] = *(device float *)((device uchar *)x + 4);",
        "if (i == 0) *(device float4 *)(y + 4) = 1;",
        "if (i == 0) { packed_float3 p = *(device packed_float3 *)(x + 1); y[0] = p.x; }",
        "if (i == 0) { float4 v = *(device packed_float4 *)(x + 1); *(device packed_float4 *)(y + 3) = v; }",
        "if (i < 8) ((device float4 *)y)[i] = ((device float4 *)x)[i + 1];",
        "struct S { float2 a, b; }; if (i == 0) { S s = *(device S *)(x + 2); *(device S *)(y + 6) = s; }",
    ]);
}

#[test]
fn races_in_a_threadgroup() {
    caught(
        ReportKind::RaceInThreadgroup,
        &[
            "threadgroup float s[64]; s[t] = x[i]; y[i] = s[63 - t];",
            "threadgroup float s; if (t < 2) s = t; threadgroup_barrier(mem_flags::mem_threadgroup); y[i] = s;",
            "threadgroup float s[64]; s[t] = 1; threadgroup_barrier(mem_flags::mem_none); y[i] = s[63 - t];",
            "if (t < 2) y[g] = t;",
            "threadgroup float s[64]; s[t] = x[i]; threadgroup_barrier(mem_flags::mem_threadgroup); float v = s[(t + 1) % 64]; s[t] = v; threadgroup_barrier(mem_flags::mem_threadgroup); y[i] = s[t];",
        ],
    );
    silent(&[
        "threadgroup float s[64]; s[t] = x[i]; threadgroup_barrier(mem_flags::mem_threadgroup); y[i] = s[63 - t];",
        "threadgroup float s[64]; s[t] = x[i]; threadgroup_barrier(mem_flags::mem_threadgroup); float v = s[(t + 1) % 64]; threadgroup_barrier(mem_flags::mem_threadgroup); s[t] = v; y[i] = s[t];",
        "threadgroup float s[64]; s[t] = x[i]; simdgroup_barrier(mem_flags::mem_threadgroup); y[i] = s[t ^ 1];",
        "threadgroup atomic_uint n; if (t == 0) atomic_store_explicit(&n, 0, memory_order_relaxed); threadgroup_barrier(mem_flags::mem_threadgroup); atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);",
        "threadgroup uchar s[64]; s[t] = uchar(t); y[i] = s[t];",
        "threadgroup float s[64]; s[t] = x[i]; threadgroup_barrier(mem_flags::mem_threadgroup); float v = s[63 - t]; threadgroup_barrier(mem_flags::mem_none); s[t] = v; y[i] = s[t];",
    ]);
    let list = reports("threadgroup float s[64]; s[t] = x[i];\ny[i] = s[63 - t];");
    let r = list.iter().find(|r| r.kind == ReportKind::RaceInThreadgroup).unwrap();
    let other = r.other.as_ref().unwrap();
    assert_eq!([r.side.line.min(other.line), r.side.line.max(other.line)], [3, 4], "{r}");
}

#[test]
fn races_between_threadgroups() {
    caught(
        ReportKind::RaceBetweenThreadgroups,
        &[
            "y[t] = i;",
            "y[i] = 1; if (g == 1) x[0] = y[0];",
            "float v = x[0]; if (i == 100) x[0] = 2; y[i] = v;",
        ],
    );
    silent(&[
        // Neighbouring halves of a word belong to different threadgroups.
        "device half *h = (device half *)x; uint n = t * 2 + g; h[n] = h[n] + h[n];",
        "y[i] = x[0];",
        "y[127 - i] = x[i];",
        "atomic_fetch_add_explicit((device atomic_uint *)y, 1, memory_order_relaxed);",
    ]);
}

#[test]
fn uninitialized() {
    caught(
        ReportKind::Uninitialized,
        &[
            "threadgroup float s[64]; if (t < 32) s[t] = 1; threadgroup_barrier(mem_flags::mem_threadgroup); y[i] = s[t];",
            "threadgroup float s[2]; if (t == 0) s[0] = 1; threadgroup_barrier(mem_flags::mem_threadgroup); y[i] = s[0] + s[1];",
            "threadgroup float s[64]; if (g == 0) s[t] = 1; threadgroup_barrier(mem_flags::mem_threadgroup); y[i] = s[t];",
        ],
    );
    silent(&[
        "threadgroup float s[64]; s[t] = 1; y[i] = s[t];",
        "threadgroup float s[64]; if (t < 32) s[t] = 1; threadgroup_barrier(mem_flags::mem_threadgroup); y[i] = s[t % 32];",
        "y[i] = x[i] + y[i];",
    ]);
    let private = [
        "x[i] = y[i];",
        "y[i] = 1; if (g == 0) x[i] = y[i + 64];",
        "if (i % 2) y[i] = 1; x[i] = y[i];",
    ];
    for list in reports_of(&private, StorageMode::Private, None) {
        assert!(list.iter().any(|r| r.kind == ReportKind::Uninitialized), "{list:#?}");
    }
    let fine =
        ["y[i] = 1; x[i] = y[i];", "y[i] = x[i];", "if (i % 2) y[i] = 1; if (i % 2) x[i] = y[i];"];
    for list in reports_of(&fine, StorageMode::Private, None) {
        assert!(list.is_empty(), "{list:#?}");
    }
}

#[test]
fn divergence() {
    caught(
        ReportKind::Divergence,
        &[
            "if (t < 10) threadgroup_barrier(mem_flags::mem_threadgroup); y[i] = 1;",
            "if (t == 5) return; threadgroup_barrier(mem_flags::mem_threadgroup); y[i] = 1;",
            "for (uint k = 0; k < t; k++) threadgroup_barrier(mem_flags::mem_threadgroup);",
            "if (lane < 16) y[i] = simd_sum(x[i]); else y[i] = simd_max(x[i]);",
            "if (lane < 16) y[i] = simd_sum(x[i]); threadgroup_barrier(mem_flags::mem_threadgroup);",
            "if (lane == 31) return; y[i] = simd_shuffle(x[i], 31);",
        ],
    );
    silent(&[
        "if (g == 0) threadgroup_barrier(mem_flags::mem_threadgroup); y[i] = 1;",
        "if (t < 32) y[i] = simd_sum(x[i]); threadgroup_barrier(mem_flags::mem_threadgroup);",
        "if (lane >= 30) return; y[i] = simd_sum(x[i]);",
        "for (uint k = 0; k < g + 2; k++) { threadgroup_barrier(mem_flags::mem_threadgroup); y[i] = simd_shuffle_down(x[i], 1); }",
    ]);
}

#[derive(Clone, Copy)]
enum Between {
    Nothing,
    Barrier,
    BarrierFor(usize),
    NextEncoder,
}

/// Two dispatches of one concurrent encoder: (kernel, the buffers it is given, byte offset).
fn concurrent(
    first: (&str, [usize; 2], usize),
    between: Between,
    second: (&str, [usize; 2], usize),
) -> Option<Report> {
    let d = checked();
    let source = format!(
        "{HEAD}kernel void put(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) {{ a[i] = i; }}\nkernel void copy(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], uint i [[thread_position_in_grid]]) {{ b[i] = a[i]; }}\nkernel void count(device atomic_uint *a [[buffer(0)]]) {{ atomic_fetch_add_explicit(a, 1, memory_order_relaxed); }}"
    );
    let l = library(&d, &source);
    let buffers: Vec<Buffer> = (0..3).map(|_| shared(&d, &[0f32; 64])).collect();
    let commands = d.new_command_queue().command_buffer();
    let begin = || commands.compute_encoder_with_type(DispatchType::Concurrent).unwrap();
    let mut e = begin();
    let one = |e: &mut ComputeEncoder, (name, bound, offset): (&str, [usize; 2], usize)| {
        e.set_pipeline(&d.new_compute_pipeline(&l.function(name).unwrap()).unwrap());
        e.set_buffer(0, &buffers[bound[0]], offset).unwrap();
        e.set_buffer(1, &buffers[bound[1]], offset).unwrap();
        e.dispatch_threads(Size::new(32, 1, 1), Size::new(16, 1, 1)).unwrap();
    };
    one(&mut e, first);
    match between {
        Between::Nothing => {}
        Between::Barrier => e.memory_barrier().unwrap(),
        Between::BarrierFor(n) => e.memory_barrier_with_resources(&[&buffers[n]]).unwrap(),
        Between::NextEncoder => {
            e.end_encoding();
            e = begin();
        }
    }
    one(&mut e, second);
    e.end_encoding();
    commands.commit().unwrap();
    match commands.wait_until_completed() {
        Ok(()) => None,
        Err(Error::Checked(list)) => {
            assert_eq!(list[0].kind, ReportKind::MissingBarrier, "{}", list[0]);
            Some(list[0].clone())
        }
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn barriers_between_concurrent_dispatches() {
    use Between::*;
    let put = ("put", [0, 2], 0);
    let copy = ("copy", [0, 1], 0);
    // A read, a write and a write of what was read, after it with nothing between.
    let r = concurrent(put, Nothing, copy).expect("a read of what is written");
    let other = r.other.clone().unwrap();
    assert_eq!((r.side.line, other.line, other.file.as_str()), (4, 3, "test.metal"), "{r}");
    assert!(r.to_string().contains("kernel 'put' was dispatched before"), "{r}");
    assert_eq!((r.binding.as_str(), r.offset), ("buffer(0) 'a'", 0));
    assert!(concurrent(put, Nothing, put).is_some(), "a second write");
    assert!(concurrent(copy, Nothing, put).is_some(), "a write of what is read");
    assert!(concurrent(put, BarrierFor(1), copy).is_some(), "a barrier for another buffer");
    assert!(concurrent(put, Barrier, copy).is_none());
    assert!(concurrent(put, BarrierFor(0), copy).is_none());
    assert!(concurrent(put, NextEncoder, copy).is_none());
    assert!(concurrent(put, Nothing, ("copy", [2, 1], 0)).is_none(), "other buffers");
    assert!(concurrent(put, Nothing, ("put", [0, 2], 128)).is_none(), "other halves");
    assert!(concurrent(copy, Nothing, ("copy", [0, 2], 0)).is_none(), "both read");
    let count = ("count", [0, 2], 0);
    assert!(concurrent(count, Nothing, count).is_none(), "both atomic");
}

/// A command buffer that waits for an event while `meddle` happens.
fn in_flight(retained: bool, meddle: impl FnOnce(&mut Option<Buffer>)) -> Option<ReportKind> {
    let d = checked();
    let l = library(
        &d,
        "kernel void k(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[i] += 1; }",
    );
    let p = d.new_compute_pipeline(&l.function("k").unwrap()).unwrap();
    let mut a = Some(shared(&d, &[0f32; 64]));
    let queue = d.new_command_queue();
    let event = d.new_shared_event();
    let commands = if retained {
        queue.command_buffer()
    } else {
        queue.command_buffer_with_unretained_references()
    };
    commands.encode_wait_for_event(&event, 1).unwrap();
    let mut e = commands.compute_encoder().unwrap();
    e.set_pipeline(&p);
    e.set_buffer(0, a.as_ref().unwrap(), 0).unwrap();
    e.dispatch_threads(Size::new(64, 1, 1), Size::new(32, 1, 1)).unwrap();
    e.end_encoding();
    commands.commit().unwrap();
    meddle(&mut a);
    event.set_signaled_value(1);
    match commands.wait_until_completed() {
        Ok(()) => None,
        Err(Error::Checked(list)) => Some(list[0].kind),
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn buffers_in_flight() {
    let touch = |a: &mut Option<Buffer>| a.as_ref().unwrap().write(8, &[1, 2, 3, 4]).unwrap();
    assert_eq!(in_flight(true, touch), Some(ReportKind::RewrittenInFlight));
    assert_eq!(in_flight(false, touch), Some(ReportKind::RewrittenInFlight));
    // SAFETY: in range.
    let poke = |a: &mut Option<Buffer>| unsafe { *a.as_ref().unwrap().contents() = 9 };
    assert_eq!(in_flight(true, poke), Some(ReportKind::RewrittenInFlight));
    assert_eq!(in_flight(false, |a| *a = None), Some(ReportKind::FreedInFlight));
    assert_eq!(in_flight(true, |a| *a = None), None, "a retained buffer stays");
    assert_eq!(
        in_flight(true, |a| drop(a.as_ref().unwrap().to_vec::<f32>())),
        None,
        "reading is fine"
    );
    assert_eq!(in_flight(false, |_| ()), None);
}

/// What a command buffer that does not keep its buffers says when one was freed before it ran.
fn freed(encode: impl FnOnce(&CommandBuffer, &Buffer, &Buffer), free: bool) -> Option<Report> {
    let d = checked();
    let (a, b) = (shared(&d, &[1u32; 16]), shared(&d, &[0u32; 16]));
    let commands = d.new_command_queue().command_buffer_with_unretained_references();
    let event = d.new_shared_event();
    commands.encode_wait_for_event(&event, 1).unwrap();
    encode(&commands, &a, &b);
    commands.commit().unwrap();
    let kept = (!free).then(|| a.clone());
    drop(a);
    event.set_signaled_value(1);
    let outcome = commands.wait_until_completed();
    drop(kept);
    match outcome {
        Ok(()) => None,
        Err(Error::Checked(mut list)) => Some(list.remove(0)),
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn buffers_freed_in_flight() {
    let copy = |c: &CommandBuffer, a: &Buffer, b: &Buffer| {
        let mut e = c.blit_encoder().unwrap();
        e.copy(a, 0, b, 0, 64).unwrap();
        e.end_encoding();
    };
    let fill = |c: &CommandBuffer, a: &Buffer, _: &Buffer| {
        let mut e = c.blit_encoder().unwrap();
        e.fill(a, 0..16, 3).unwrap();
        e.end_encoding();
    };
    let indirect = |c: &CommandBuffer, a: &Buffer, b: &Buffer| {
        let l = library(&checked(), "kernel void k(device uint *o [[buffer(0)]]) { o[0] = 1; }");
        let mut e = c.compute_encoder().unwrap();
        e.set_pipeline(&checked().new_compute_pipeline(&l.function("k").unwrap()).unwrap());
        e.set_buffer(0, b, 0).unwrap();
        e.dispatch_threadgroups_indirect(a, 0, Size::new(1, 1, 1)).unwrap();
        e.end_encoding();
    };
    for (n, report) in
        [freed(copy, true), freed(fill, true), freed(indirect, true)].into_iter().enumerate()
    {
        assert_eq!(report.unwrap().kind, ReportKind::FreedInFlight, "{n}");
    }
    assert!(freed(copy, false).is_none() && freed(fill, false).is_none());
    assert!(freed(indirect, false).is_none());
}

#[test]
fn the_shuffler_changes_the_order_and_not_the_answer() {
    let body = "threadgroup float s[64]; s[t] = x[i] + t; threadgroup_barrier(mem_flags::mem_threadgroup); y[i] = s[63 - t] + simd_sum(x[i]);";
    for seed in 0..5 {
        assert!(reports_with(body, StorageMode::Shared, Some(seed)).is_empty());
        // Found whatever the order: the checker looks at who is ordered, not at who came first.
        let racy = reports_with(
            "threadgroup float s[64]; s[t] = x[i]; y[i] = s[63 - t];",
            StorageMode::Shared,
            Some(seed),
        );
        assert!(
            racy.iter().any(|r| matches!(
                r.kind,
                ReportKind::RaceInThreadgroup | ReportKind::Uninitialized
            ))
        );
    }
    let last = |seed| {
        let d = Device::with_options(DeviceOptions { seed, ..DeviceOptions::default() }).unwrap();
        let out = shared(&d, &[0u32]);
        let source = format!(
            "{HEAD}kernel void k(device atomic_uint *o [[buffer(0)]], uint i [[thread_position_in_grid]]) {{ atomic_store_explicit(o, i, memory_order_relaxed); threadgroup_barrier(mem_flags::mem_none); }}"
        );
        run(&d, &source, "k", &[Arg::Buffer(&out)], 64, 64).unwrap();
        out.to_vec::<u32>().unwrap()[0]
    };
    let orders: std::collections::HashSet<u32> = (0..8).map(|s| last(Some(s))).collect();
    assert!(orders.len() > 2, "{orders:?}");
    assert_eq!(last(Some(3)), last(Some(3)));
}

const FEW: &str = "device float *y [[buffer(0)]], constant int &n [[buffer(1)]], uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]]";

/// A kernel's body, and what must be said of it: a kind and some words, or nothing.
type Saying<'a> = (&'a str, Option<(ReportKind, &'a str)>);

/// Runs each body over 64 threads in one group, with 64 floats of 0.5 and the number 8.
fn says(before: &str, cases: &[Saying<'_>]) {
    let d = checked();
    let kernel =
        |(k, (body, _)): (usize, &Saying<'_>)| format!("kernel void k{k}({FEW}) {{ {body} }}\n");
    let kernels: String = cases.iter().enumerate().map(kernel).collect();
    let l = library(&d, &format!("{HEAD}{before}\n{kernels}"));
    for (k, (body, wanted)) in cases.iter().enumerate() {
        let p = d.new_compute_pipeline(&l.function(&format!("k{k}")).unwrap()).unwrap();
        let y = shared(&d, &[0.5f32; 64]);
        let args = [Arg::Buffer(&y), Arg::Bytes(bytes(&[8i32]))];
        let list = match dispatch(&d, &p, &args, &[], Size::new(64, 1, 1), Size::new(64, 1, 1)) {
            Ok(_) => Vec::new(),
            Err(Error::Checked(list)) => list,
            Err(e) => panic!("{e}"),
        };
        let text: Vec<String> = list.iter().map(Report::to_string).collect();
        match wanted {
            None => assert!(list.is_empty(), "{body}\n{text:#?}"),
            Some((kind, words)) => {
                let here = |r: &Report| r.kind == *kind && r.to_string().contains(words);
                assert!(list.iter().any(here), "{body}\n{text:#?}");
            }
        }
        let twice = text.iter().any(|t| text.iter().filter(|u| *u == t).count() > 1);
        assert!(!twice, "{text:#?}");
        for r in &list {
            let same = |o: &Side| (o.group, o.thread) == (r.side.group, r.side.thread);
            assert!(!r.other.as_ref().is_some_and(same), "{r}");
        }
    }
}

#[test]
fn a_barrier_of_a_simdgroup_orders_nothing_for_the_others() {
    const HERE: &str = "#define SIMD simdgroup_barrier(mem_flags::mem_threadgroup);\n#define ALL threadgroup_barrier(mem_flags::mem_threadgroup);";
    let race = Some((ReportKind::RaceInThreadgroup, "data race"));
    says(
        HERE,
        &[
            ("threadgroup float s[64]; s[t] = y[i]; SIMD y[i] = s[63 - t];", race),
            // The last to read is of the writer's own simdgroup; one of the other has read before.
            (
                "threadgroup float s[64]; s[t] = y[i]; ALL float v = s[63 - t]; SIMD v += s[t ^ 1]; SIMD s[t] = v;",
                race,
            ),
            (
                "threadgroup float s[64]; s[t] = y[i]; ALL float v = s[0]; for (int k = 0; k < 3; k++) { SIMD v += s[0]; } if (t == 0) s[0] = v; y[i] = v;",
                race,
            ),
            (
                "threadgroup float s[64]; s[t] = y[i]; SIMD float v = s[t ^ 1]; SIMD s[t] = v; y[i] = v;",
                None,
            ),
            (
                "threadgroup float s[64]; s[t] = y[i]; ALL float v = s[63 - t]; SIMD v += s[t ^ 1]; ALL s[t] = v; y[i] = v;",
                None,
            ),
        ],
    );
}

#[test]
fn parts_of_words_are_themselves() {
    const ALL: &str = "#define ALL threadgroup_barrier(mem_flags::mem_threadgroup);";
    says(
        ALL,
        &[
            // Everyone reads a byte between those that they own.
            (
                "device uchar *s = (device uchar *)y; uchar own = s[t * 2]; uchar all = s[1]; s[t * 2] = own + all;",
                None,
            ),
            (
                "device half *s = (device half *)y; uint j = t / 2 * 2; if (t % 2) return; half h = s[j] + s[(j + 1) % 64] + s[(j + 63) % 64]; s[j] = h;",
                None,
            ),
            (
                "threadgroup uchar s[64]; s[t] = t; ALL uchar v = s[t]; if (t % 2) v += s[(t + 1) % 64]; ALL s[t] = v; y[i] = v;",
                None,
            ),
            (
                "threadgroup uchar s[64]; s[t] = t; ALL uchar v = s[t] + s[t ^ 1]; s[t] = v; y[i] = v;",
                Some((ReportKind::RaceInThreadgroup, "1 bytes")),
            ),
            (
                "threadgroup ushort s[64]; if (t % 2) s[t] = t; ALL y[i] = s[t];",
                Some((ReportKind::Uninitialized, "2 bytes")),
            ),
        ],
    );
}

#[test]
fn what_runs_over_an_end_is_named() {
    const GET: &str = "static float get(thread const float *p, int k) { return p[k]; }\nconstant float table[5] = {1, 2, 3, 4, 5};\nstatic float of(constant float *p, int k) { return p[k]; }\n#define FILL float a[8]; for (int k = 0; k < 8; k++) a[k] = y[i] + k;\n#define TWO threadgroup float s[64]; threadgroup float r[64]; s[t] = 1; r[t] = 2; threadgroup_barrier(mem_flags::mem_threadgroup); threadgroup float *p = s;";
    let out = |words| Some((ReportKind::OutOfBounds, words));
    says(
        GET,
        &[
            ("FILL y[i] = a[n];", out("index 8 of 'float[8]'")),
            ("FILL y[i] = a[n - 1];", None),
            ("FILL y[i] = get(a, n);", out("offset 32 of thread array 'a' (it has 32 bytes)")),
            ("FILL y[i] = get(a, n - 9);", out("offset -4 of thread array 'a'")),
            ("FILL y[i] = get(a, n - 1) + get(a + 4, n - 12);", None),
            ("y[i] = table[n];", out("index 8 of 'const float[5]'")),
            ("y[i] = of(table, n - 3);", out("offset 20 of constant 'table' (it has 20 bytes)")),
            ("y[i] = of(table, n - 4) + table[n - 8];", None),
            (
                "TWO y[i] = p[t + 1] + r[t];",
                out("offset 256 of threadgroup memory (the array there has 256 bytes)"),
            ),
            ("TWO y[i] = p[63 - t] + r[t];", None),
            // Far away from the buffer that the same line has accessed before.
            (
                "for (uint k = 0; k < 2; k++) y[i + k * 100000000] = 1;",
                out("offset 400000000 of buffer(0) 'y'"),
            ),
        ],
    );
}

#[test]
fn what_is_not_there_is_not_used() {
    const ADD: &str = "#define ADD atomic_fetch_add_explicit(&c, 1u, memory_order_relaxed)";
    let convert = |words| Some((ReportKind::Conversion, words));
    says(
        ADD,
        &[
            (
                "threadgroup atomic_uint c; ADD; y[i] = 1;",
                Some((ReportKind::Uninitialized, "atomic update")),
            ),
            (
                "threadgroup atomic_uint c; if (t == 0) atomic_store_explicit(&c, 0u, memory_order_relaxed); threadgroup_barrier(mem_flags::mem_threadgroup); ADD; y[i] = 1;",
                None,
            ),
            (
                "y[i] = simd_shuffle(y[i], ushort(t % 32 + n));",
                Some((ReportKind::Divergence, "beyond the 32")),
            ),
            (
                "y[i] = simd_shuffle(y[i], ushort((t + n) % 32)) + simd_shuffle_down(y[i], ushort(n));",
                None,
            ),
            ("y[i] = int(y[i] / 0.0f * 0.0f);", convert("NaN as 'int'")),
            ("y[i] = uint(-y[i] * 8.0f);", convert("-4 as 'uint'")),
            ("y[i] = (int3(float3(y[i] * 1e20f))).x;", convert("'int'")),
            ("y[i] = int(y[i] * 1e9f) + uchar(y[i] * 510.0f) + uint(-0.7f * y[i]);", None),
        ],
    );
    let source = format!("{HEAD}kernel void k({FEW}) {{\n float v;\n y[i] = v;\n}}");
    let options = CompileOptions { name: "test.metal".into(), ..CompileOptions::default() };
    let told = checked().new_library_with_source(&source, &options).err().unwrap().to_string();
    assert!(told.contains("test.metal:5") && told.contains("'v' is uninitialized"), "{told}");
    assert!(device().new_library_with_source(&source, &options).is_ok());
}

/// Unchecked, threadgroup memory holds anything, and who has returned is not waited for.
#[test]
fn unchecked_kernels_run_as_on_a_gpu() {
    let d = device();
    let y = shared(&d, &[1f32; 64]);
    let body = "threadgroup float s[64]; if (n == 8) y[i] = s[t]; if (t >= 32) return; threadgroup_barrier(mem_flags::mem_threadgroup); y[i] = 2;";
    let source = format!("{HEAD}kernel void k({FEW}) {{ {body} }}");
    let n = || Arg::Bytes(bytes(&[8i32]));
    run(&d, &source, "k", &[Arg::Buffer(&y), n()], 64, 64).unwrap();
    let got = y.to_vec::<f32>().unwrap();
    assert!(got[..32].iter().all(|v| *v == 2.0) && got[32..].iter().all(|v| v.is_nan()), "{got:?}");
}
