//! How near linear layers come to the machine's limits, as ratios measured in one run.
//!
//! `cargo run --release -p bessemer-ops --example linear_bench [-- --python PYTHON] [--json]`
//!
//! One row: bytes of the weights per second over the bytes per second of merely reading them.
//! Many rows: the time of NumPy's f32 matmul of the same shape over ours, if `--python` names an
//! interpreter that has NumPy.

use bessemer_core::{
    Access, Batch, Buffer, Cost, DType, Device, Host, HostMemory, Operation, Result, Shape, View,
    cpu::CpuContext,
};
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_ops::Linear;
use bessemer_simd::{Arch, Kernel};
use std::{
    error::Error,
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Instant,
};

const THREADS: usize = 2;
/// More than any cache holds.
const STREAM: usize = 640 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let json = args.iter().any(|arg| arg == "--json");
    let wanted =
        |name: &str| !args.iter().any(|arg| arg == "--only") || args.iter().any(|arg| arg == name);
    let python = args.iter().position(|arg| arg == "--python").and_then(|i| args.get(i + 1));
    let cpu = Cpu::open(CpuOptions { threads: Some(THREADS), ..Default::default() })?;
    let mut lines = Vec::new();
    if wanted("one") {
        one_row(&cpu, &mut lines)?;
    }
    if args.iter().any(|arg| arg == "few") {
        let bytes = cpu.adopt(HostMemory::new(Arc::new(random_bytes(16 << 20))))?;
        for rows in [2, 512] {
            for dtype in DType::BLOCKS {
                let x = filled(&cpu, &[rows, 2048])?;
                let weight = View::new(&bytes, dtype, Shape::new(&[2048, 2048])?)?;
                let mut batch = Batch::new();
                batch.push(Linear {
                    x: x.clone(),
                    weight: weight.clone(),
                    bias: None,
                    out: filled(&cpu, &[rows, 2048])?,
                })?;
                let mut best = f64::MAX;
                for _ in 0..30 {
                    best = best.min(seconds(&cpu, &batch)?);
                }
                println!(
                    "{dtype} {rows} rows {:.3} ms {:.0} GOPS",
                    best * 1e3,
                    rows as f64 * 2.0 * 2048.0 * 2048.0 / best / 1e9
                );
            }
        }
    }
    if args.iter().any(|arg| arg == "cache") {
        let bytes = cpu.adopt(HostMemory::new(Arc::new(random_bytes(16 << 20))))?;
        for dtype in DType::BLOCKS {
            let x = filled(&cpu, &[1, 4096])?;
            let weight = View::new(&bytes, dtype, Shape::new(&[512, 4096])?)?;
            let mut batch = Batch::new();
            for _ in 0..100 {
                batch.push(Linear {
                    x: x.clone(),
                    weight: weight.clone(),
                    bias: None,
                    out: filled(&cpu, &[1, 512])?,
                })?;
            }
            let mut best = f64::MAX;
            for _ in 0..10 {
                best = best.min(seconds(&cpu, &batch)?);
            }
            println!("{dtype} cached {:.1} GB/s", 100.0 * weight.range().len() as f64 / best / 1e9);
        }
    }
    if let Some(python) = python.filter(|_| wanted("many")) {
        many_rows(&cpu, &mut Numpy::start(python)?, &mut lines)?;
    }
    for Line { what, dtype, ratio, detail } in lines {
        if json {
            println!(
                r#"{{"what":"{what}","dtype":"{dtype}","ratio":{ratio:.4},"detail":"{detail}"}}"#
            );
        } else {
            println!("{what:<32} {dtype:<5} {ratio:6.3}   {detail}");
        }
    }
    Ok(())
}

struct Line {
    what: String,
    dtype: DType,
    ratio: f64,
    detail: String,
}

/// One row of 4096 times 4096 × 4096 weights, as many matrices as fill the stream.
fn one_row(cpu: &Cpu, lines: &mut Vec<Line>) -> Result<(), Box<dyn Error>> {
    let size = 4096;
    let bytes = cpu.adopt(HostMemory::new(Arc::new(random_bytes(STREAM))))?;
    let x = filled(cpu, &[1, size])?;
    let kinds = [
        DType::Q4_0,
        DType::Q4_1,
        DType::Q5_0,
        DType::Q5_1,
        DType::Q8_0,
        DType::Q4_K,
        DType::Q5_K,
        DType::Q6_K,
    ];
    for dtype in kinds {
        let matrix = dtype.bytes_for(size * size).ok_or("whole blocks")?;
        let (mut batch, mut read) = (Batch::new(), Batch::new());
        for i in 0..STREAM / matrix {
            let shape = Shape::new(&[size, size])?;
            let weight = View::at(&bytes, dtype, shape, shape.strides(), i * matrix)?;
            let out = filled(cpu, &[1, size])?;
            batch.push(Linear { x: x.clone(), weight, bias: None, out })?;
            let shape = Shape::new(&[matrix])?;
            let source = View::at(&bytes, DType::U8, shape, shape.strides(), i * matrix)?;
            read.push(ReadAll(source))?;
        }
        let moved = (STREAM / matrix * matrix) as f64;
        let (mut ours, mut limit) = (f64::MAX, f64::MAX);
        for _ in 0..8 {
            limit = limit.min(seconds(cpu, &read)?);
            ours = ours.min(seconds(cpu, &batch)?);
        }
        lines.push(Line {
            what: "1 row, share of bandwidth".into(),
            dtype,
            ratio: limit / ours,
            detail: format!("{:.1} of {:.1} GB/s", moved / ours / 1e9, moved / limit / 1e9),
        });
    }
    Ok(())
}

/// 512 rows (and a few) of 2048 times 2048 × 2048 weights.
fn many_rows(cpu: &Cpu, numpy: &mut Numpy, lines: &mut Vec<Line>) -> Result<(), Box<dyn Error>> {
    let size = 2048;
    let bytes = cpu.adopt(HostMemory::new(Arc::new(random_bytes(size * size * 4))))?;
    for rows in [512, 8, 4, 2] {
        let x = filled(cpu, &[rows, size])?;
        let out = filled(cpu, &[rows, size])?;
        let kinds = [
            DType::Q4_0,
            DType::Q4_1,
            DType::Q5_0,
            DType::Q5_1,
            DType::Q8_0,
            DType::Q4_K,
            DType::Q5_K,
            DType::Q6_K,
        ];
        for dtype in kinds {
            let weight = View::new(&bytes, dtype, Shape::new(&[size, size])?)?;
            let mut batch = Batch::new();
            batch.push(Linear { x: x.clone(), weight, bias: None, out: out.clone() })?;
            let (mut ours, mut theirs) = (f64::MAX, f64::MAX);
            for _ in 0..5 {
                theirs = theirs.min(numpy.matmul(rows, size, size)?);
                for _ in 0..3 {
                    ours = ours.min(seconds(cpu, &batch)?);
                }
            }
            let flops = 2.0 * (rows * size * size) as f64 / 1e9;
            lines.push(Line {
                what: format!("{rows} rows, times NumPy f32"),
                dtype,
                ratio: theirs / ours,
                detail: format!("{:.0} against {:.0} Gflop/s", flops / ours, flops / theirs),
            });
        }
    }
    Ok(())
}

fn seconds(cpu: &Cpu, batch: &Batch) -> Result<f64> {
    let start = Instant::now();
    let ticket = cpu.submit(batch)?;
    cpu.wait(ticket)?;
    Ok(start.elapsed().as_secs_f64())
}

/// Random bytes that are small finite numbers as halves, wherever a format has its scales.
fn random_bytes(len: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut words = Vec::with_capacity(len);
    while words.len() < len {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        words.extend_from_slice(&((state >> 11) & 0x3737_3737_3737_3737).to_le_bytes());
    }
    words
}

fn filled(cpu: &Cpu, dims: &[usize]) -> Result<View> {
    let shape = Shape::new(dims)?;
    let buffer: Buffer = cpu.alloc(shape.elements() * 4)?;
    let view = View::new(&buffer, DType::F32, shape)?;
    let values: Vec<f32> =
        (0..shape.elements()).map(|i| ((i * 37 % 101) as f32 - 50.0) / 50.0).collect();
    cpu.write(&view.slice()?, bessemer_core::Element::as_bytes(&values))?;
    Ok(view)
}

/// Reads every byte: what no op on them can beat.
#[derive(Debug)]
struct ReadAll(View);

impl Operation for ReadAll {
    fn name(&self) -> &'static str {
        "read_all"
    }

    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn access(&self) -> Access {
        Access::new(&[&self.0], &[])
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 0)
    }

    fn reference(&self, _: &mut Host<'_>) {}

    fn cpu(&self, cpu: &CpuContext<'_>) {
        let (words, _) = cpu.bytes(&self.0).as_chunks::<8>();
        let isa = cpu.isa();
        cpu.split(words.len(), 1 << 15, |range| {
            std::hint::black_box(isa.run(Sum(&words[range])));
        });
    }
}

struct Sum<'a>(&'a [[u8; 8]]);

impl Kernel for Sum<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<A: Arch>(self) -> u64 {
        let mut sums = [0u64; 64];
        let (chunks, _) = self.0.as_chunks::<64>();
        for chunk in chunks {
            for (sum, word) in sums.iter_mut().zip(chunk) {
                *sum = sum.wrapping_add(u64::from_le_bytes(*word));
            }
        }
        sums.iter().fold(0, |a, &b| a.wrapping_add(b))
    }
}

/// NumPy in a process of its own, waiting for what to multiply.
struct Numpy {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Numpy {
    fn start(python: &str) -> Result<Numpy, Box<dyn Error>> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/peer_numpy.py");
        let mut child = Command::new(python)
            .arg(script)
            .env("OPENBLAS_NUM_THREADS", THREADS.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut answers = BufReader::new(child.stdout.take().ok_or("its answers")?);
        answers.read_line(&mut String::new())?;
        Ok(Numpy { child, answers })
    }

    fn matmul(&mut self, m: usize, k: usize, n: usize) -> Result<f64, Box<dyn Error>> {
        writeln!(self.child.stdin.as_mut().ok_or("its questions")?, "{m} {k} {n}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        // Its threads spin for a while before they sleep, and would share the cores with ours.
        std::thread::sleep(std::time::Duration::from_millis(200));
        Ok(line.trim().parse()?)
    }
}

impl Drop for Numpy {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
