//! The figures of softmetal, each measured several times and the best kept:
//! `cargo run --release -p softmetal --example bench` (see bench/softmetal). A name measures one
//! kernel alone.

use softmetal::*;
use std::time::Instant;

const SOURCE: &str = include_str!("kernels.metal");

/// A kernel and the launch it is measured with.
struct Work {
    kernel: &'static str,
    /// Floats of each buffer.
    floats: usize,
    buffers: u32,
    n: Option<u32>,
    groups: Size,
    group: Size,
}

fn size(x: usize, y: usize) -> Size {
    Size::new(x as u64, y as u64, 1)
}

/// An elementwise kernel over 4 Mi floats.
fn elements(kernel: &'static str, buffers: u32) -> Work {
    let floats = 1 << 22;
    Work { kernel, floats, buffers, n: None, groups: size(floats / 256, 1), group: size(256, 1) }
}

/// A kernel over square matrices.
fn square(kernel: &'static str, buffers: u32, n: usize, groups: Size, group: Size) -> Work {
    Work { kernel, floats: n * n, buffers, n: Some(n as u32), groups, group }
}

struct Bench {
    device: Device,
    library: Library,
    only: Option<String>,
}

impl Bench {
    fn wants(&self, kernel: &str) -> bool {
        self.only.as_ref().is_none_or(|o| o == kernel)
    }

    /// Seconds of the fastest of some runs.
    fn seconds(&self, w: &Work, checked: bool, times: u32) -> Result<f64> {
        let d = &self.device;
        let options = PipelineOptions { checked: Some(checked) };
        let function = self.library.function(w.kernel)?;
        let pipeline = d.new_compute_pipeline_with_options(&function, &options)?;
        let buffers: Vec<Buffer> = (0..w.buffers)
            .map(|_| d.new_buffer(w.floats * 4, StorageMode::Shared))
            .collect::<Result<_>>()?;
        let mut best = f64::MAX;
        for _ in 0..times {
            let commands = d.new_command_queue().command_buffer();
            let mut e = commands.compute_encoder()?;
            e.set_pipeline(&pipeline);
            for (i, b) in buffers.iter().enumerate() {
                e.set_buffer(i as u32, b, 0)?;
            }
            if let Some(n) = w.n {
                e.set_value(w.buffers, &n)?;
            }
            e.dispatch_threadgroups(w.groups, w.group)?;
            e.end_encoding();
            commands.commit()?;
            commands.wait_until_completed()?;
            best = best.min(commands.gpu_end_time() - commands.gpu_start_time());
        }
        Ok(best)
    }

    fn checked(&self, w: &Work) -> Result<()> {
        if self.wants(w.kernel) {
            let fast = self.seconds(w, false, 5)?;
            let slow = self.seconds(w, true, 3)?;
            let (name, ratio) = (w.kernel, slow / fast);
            let (fast, slow) = (fast * 1e3, slow * 1e3);
            println!("checked {name}: {ratio:.1} times slower ({slow:.1} ms, {fast:.2} unchecked)");
        }
        Ok(())
    }
}

fn main() -> Result<()> {
    let device = Device::open()?;
    let options = CompileOptions { name: "kernels.metal".into(), ..CompileOptions::default() };
    // Into the cache first: what is timed is a warm library.
    let load = |d: &Device| d.new_library_with_source(SOURCE, &options);
    device.new_compute_pipeline(&load(&device)?.function("axpy")?)?;
    let start = Instant::now();
    let library = load(&Device::open()?)?;
    device.new_compute_pipeline(&library.function("axpy")?)?;
    println!("warm library and pipeline: {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    let bench = Bench { device, library, only: std::env::args().nth(1) };
    let axpy = elements("axpy", 2);
    if bench.wants("axpy") {
        let t = bench.seconds(&axpy, false, 5)?;
        // 16 fused multiply-adds, an addition, two loads and a store.
        let rate = axpy.floats as f64 * 20.0 / t / 1e9;
        println!("elementwise: {rate:.2} G thread-instructions/s");
    }
    if bench.wants("barriers") {
        let groups = size(64, 1);
        let w = Work { groups, ..elements("barriers", 1) };
        let t = bench.seconds(&w, false, 3)?;
        println!("barrier: {:.1} ns per thread", t * 1e9 / (64.0 * 256.0) / 100.0);
    }
    if bench.wants("gemm") {
        let w = square("gemm", 3, 1024, size(32, 32), size(32, 1));
        println!("simdgroup_matrix GEMM of 1024: {:.2} s", bench.seconds(&w, false, 2)?);
    }
    bench.checked(&axpy)?;
    bench.checked(&elements("add", 3))?;
    bench.checked(&square("transpose", 2, 1024, size(64, 64), size(16, 16)))?;
    bench.checked(&square("naive", 3, 256, size(16, 16), size(16, 16)))?;
    bench.checked(&square("tiled", 3, 256, size(16, 16), size(16, 16)))?;
    bench.checked(&square("matvec", 3, 1024, size(1024, 1), size(32, 1)))?;
    bench.checked(&square("gemm", 3, 256, size(8, 8), size(32, 1)))
}
