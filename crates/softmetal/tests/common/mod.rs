//! What the tests share: a device, and a short way to run one kernel.
#![allow(dead_code, missing_docs, unreachable_pub)]

use softmetal::*;

/// What most sources begin with.
pub const HEAD: &str = "#include <metal_stdlib>\nusing namespace metal;\n";

/// Runs a body that writes floats to `o[i]`.
pub fn floats(body: &str, n: usize) -> Vec<f32> {
    let source = format!(
        "{HEAD}kernel void k(device float *o [[buffer(0)]], uint i [[thread_position_in_grid]]) {{ {body} }}"
    );
    output(&source, "k", n, 32)
}

/// Runs a body once, writing sixteen floats.
pub fn one(body: &str) -> Vec<f32> {
    let source = format!(
        "{HEAD}kernel void k(device float *o [[buffer(0)]], uint i [[thread_position_in_grid]]) {{ if (i == 0) {{ {body} }} }}"
    );
    output(&source, "k", 16, 32)
}

/// What is bound at each index, in order.
pub enum Arg<'a> {
    Buffer(&'a Buffer),
    Bytes(Vec<u8>),
}

pub fn device() -> Device {
    Device::open().expect("softmetal needs clang: apt-get install clang-19")
}

pub fn checked() -> Device {
    Device::checked().expect("softmetal needs clang: apt-get install clang-19")
}

pub fn library(device: &Device, source: &str) -> Library {
    let options = CompileOptions { name: "test.metal".into(), ..CompileOptions::default() };
    device.new_library_with_source(source, &options).unwrap_or_else(|e| panic!("{e}"))
}

pub fn errors(source: &str) -> String {
    let options = CompileOptions { name: "test.metal".into(), ..CompileOptions::default() };
    match device().new_library_with_source(source, &options) {
        Ok(_) => panic!("it compiled"),
        Err(e) => e.to_string(),
    }
}

pub fn bytes<T: Copy>(values: &[T]) -> Vec<u8> {
    // SAFETY: plain numbers as bytes.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) }
        .to_vec()
}

pub fn shared<T: Copy>(device: &Device, values: &[T]) -> Buffer {
    device.new_buffer_with_slice(values, StorageMode::Shared).unwrap()
}

pub fn dispatch(
    device: &Device,
    pipeline: &ComputePipeline,
    args: &[Arg<'_>],
    tg: &[usize],
    grid: Size,
    group: Size,
) -> Result<Vec<Counters>> {
    let queue = device.new_command_queue();
    let commands = queue.command_buffer();
    let mut e = commands.compute_encoder()?;
    e.set_pipeline(pipeline);
    for (i, a) in args.iter().enumerate() {
        match a {
            Arg::Buffer(b) => e.set_buffer(i as u32, b, 0)?,
            Arg::Bytes(b) => e.set_bytes(i as u32, b)?,
        }
    }
    for (i, n) in tg.iter().enumerate() {
        e.set_threadgroup_memory_length(i as u32, *n)?;
    }
    e.dispatch_threads(grid, group)?;
    e.end_encoding();
    commands.commit()?;
    commands.wait_until_completed()?;
    Ok(commands.counters())
}

/// Compiles `source`, runs `kernel` over `n` threads in groups of `group`.
pub fn run(
    device: &Device,
    source: &str,
    kernel: &str,
    args: &[Arg<'_>],
    n: u64,
    group: u64,
) -> Result<Vec<Counters>> {
    let pipeline = device.new_compute_pipeline(&library(device, source).function(kernel)?)?;
    dispatch(device, &pipeline, args, &[], Size::new(n, 1, 1), Size::new(group, 1, 1))
}

/// Runs a kernel `void k(device T *out, ...)` whose only buffer is its output.
pub fn output<T: Copy + Default>(source: &str, kernel: &str, n: usize, group: u64) -> Vec<T> {
    let d = device();
    let out = shared(&d, &vec![T::default(); n]);
    run(&d, source, kernel, &[Arg::Buffer(&out)], n as u64, group)
        .unwrap_or_else(|e| panic!("{e}"));
    out.to_vec().unwrap()
}

/// The same numbers every time.
pub fn random(seed: u32, n: usize) -> Vec<f32> {
    let mut x = seed.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    (0..n)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            (x >> 8) as f32 / 8_388_608.0 - 1.0
        })
        .collect()
}

pub fn close(got: &[f32], want: &[f32], tolerance: f32) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let ok =
            (g - w).abs() <= tolerance * w.abs().max(1.0) || (g.is_nan() && w.is_nan()) || g == w;
        assert!(ok, "[{i}]: got {g}, want {w}");
    }
}
