//! The figures of softmetal, each measured several times and the best kept:
//! `cargo run --release -p softmetal --example bench` (see bench/softmetal).

use softmetal::*;
use std::time::Instant;

const SOURCE: &str = r#"
#include <metal_stdlib>
using namespace metal;
kernel void axpy(device float *y [[buffer(0)]], device const float *x [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float v = x[i];
  for (int k = 0; k < 16; k++) v = v * 1.0001f + 0.5f;
  y[i] += v;
}
kernel void barriers(device float *y [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  for (int k = 0; k < 100; k++) threadgroup_barrier(mem_flags::mem_threadgroup);
  y[i] = 1;
}
kernel void gemm(device float *c [[buffer(0)]], device const float *a [[buffer(1)]], device const float *b [[buffer(2)]],
                 constant uint &n [[buffer(3)]], uint2 g [[threadgroup_position_in_grid]]) {
  simdgroup_float8x8 acc[4][4];
  for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) acc[i][j] = make_filled_simdgroup_matrix<float, 8>(0.0f);
  for (uint k = 0; k < n; k += 8) {
    simdgroup_float8x8 ma[4], mb[4];
    for (int i = 0; i < 4; i++) simdgroup_load(ma[i], a + (g.y * 32 + i * 8) * n + k, n);
    for (int j = 0; j < 4; j++) simdgroup_load(mb[j], b + k * n + g.x * 32 + j * 8, n);
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) simdgroup_multiply_accumulate(acc[i][j], ma[i], mb[j], acc[i][j]);
  }
  for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) simdgroup_store(acc[i][j], c + (g.y * 32 + i * 8) * n + g.x * 32 + j * 8, n);
}
"#;

fn seconds(
    p: &ComputePipeline,
    d: &Device,
    bound: &[&Buffer],
    n: Option<u32>,
    groups: Size,
    group: Size,
) -> Result<f64> {
    let mut best = f64::MAX;
    for _ in 0..3 {
        let commands = d.new_command_queue().command_buffer();
        let mut e = commands.compute_encoder()?;
        e.set_pipeline(p);
        for (i, b) in bound.iter().enumerate() {
            e.set_buffer(i as u32, b, 0)?;
        }
        if let Some(n) = n {
            e.set_value(bound.len() as u32, &n)?;
        }
        e.dispatch_threadgroups(groups, group)?;
        e.end_encoding();
        commands.commit()?;
        commands.wait_until_completed()?;
        best = best.min(commands.gpu_end_time() - commands.gpu_start_time());
    }
    Ok(best)
}

fn main() -> Result<()> {
    let d = Device::open()?;
    let options = CompileOptions { name: "bench.metal".into(), ..CompileOptions::default() };
    // Into the cache first: what is timed is a warm library.
    d.new_compute_pipeline(&d.new_library_with_source(SOURCE, &options)?.function("axpy")?)?;
    let start = Instant::now();
    let library = Device::open()?.new_library_with_source(SOURCE, &options)?;
    let pipeline = |name: &str, checked: bool| {
        d.new_compute_pipeline_with_options(
            &library.function(name)?,
            &PipelineOptions { checked: Some(checked) },
        )
    };
    let axpy = pipeline("axpy", false)?;
    println!("warm library and pipeline: {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    let n = 1usize << 22;
    let (x, y) =
        (d.new_buffer(n * 4, StorageMode::Shared)?, d.new_buffer(n * 4, StorageMode::Shared)?);
    let (groups, group) = (Size::new(n as u64 / 256, 1, 1), Size::new(256, 1, 1));
    let fast = seconds(&axpy, &d, &[&y, &x], None, groups, group)?;
    // 16 fused multiply-adds, an addition, two loads and a store.
    println!("elementwise: {:.2} G thread-instructions/s", n as f64 * 20.0 / fast / 1e9);
    let slow = seconds(&pipeline("axpy", true)?, &d, &[&y, &x], None, groups, group)?;
    println!("checked elementwise: {:.1} times slower", slow / fast);
    let threads = 64.0 * 256.0;
    let t = seconds(&pipeline("barriers", false)?, &d, &[&y], None, Size::new(64, 1, 1), group)?;
    println!("barrier: {:.1} ns per thread", t * 1e9 / threads / 100.0);
    let side = 1024usize;
    let m: Vec<Buffer> = (0..3)
        .map(|_| d.new_buffer(side * side * 4, StorageMode::Shared))
        .collect::<Result<_>>()?;
    let blocks = Size::new(side as u64 / 32, side as u64 / 32, 1);
    let bound = [&m[0], &m[1], &m[2]];
    let t = seconds(
        &pipeline("gemm", false)?,
        &d,
        &bound,
        Some(side as u32),
        blocks,
        Size::new(32, 1, 1),
    )?;
    println!("simdgroup_matrix GEMM of 1024: {t:.2} s");
    Ok(())
}
