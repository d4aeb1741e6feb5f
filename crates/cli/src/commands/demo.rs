//! `bessemer demo`: arrays, what becomes of them, and how fast.

use crate::{
    args::Global,
    fault::Fault,
    text::{self, BOLD, DIM},
    values::whole,
};
use anyhow::Result;
use bessemer::{Array, DType, Device};
use clap::Args;
use std::{io::Write, time::Instant};

/// Show lazy arrays, the fused kernels they become, and their speed
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Demo {
    /// Number of elements of the large arrays
    #[arg(long, value_name = "N", default_value_t = 1 << 24, value_parser = whole)]
    elements: usize,
}

const EXAMPLES: &str = "\
Examples:
  bessemer demo
  bessemer demo --elements 1000000 --threads 1
  bessemer demo --device reference --elements 10000";

/// Repetitions of each measurement; the fastest counts.
const ROUNDS: usize = 5;

impl Demo {
    pub(crate) fn run(self, global: &Global, out: &mut dyn Write) -> Result<(), Fault> {
        let device = global.open()?;
        let info = device.info();
        writeln!(
            out,
            "{BOLD}{}{BOLD:#}  {} ({}, {})\n",
            info.kind,
            info.name,
            info.features.join(" "),
            text::count(info.threads, "thread")
        )?;
        small(&device, out)?;
        fused(&device, self.elements, out)?;
        Ok(())
    }
}

/// Small arrays, printed as NumPy prints them.
fn small(device: &Device, out: &mut dyn Write) -> Result<()> {
    let a = Array::linspace(device, 0.0, 1.0, 12).reshape(&[3, 4]);
    let scores = (&a * 4.0).sin() + Array::arange(device, 0, 4, 1);
    let chances = scores.softmax(-1);
    writeln!(out, "{DIM}a = linspace(0, 1, 12).reshape([3, 4]){DIM:#}\n{a:.3}\n")?;
    writeln!(out, "{DIM}((a * 4).sin() + arange(4)).softmax(-1){DIM:#}\n{chances:.3}\n")?;
    Ok(())
}

/// A chain of maps into a reduction is one pass over memory; step by step it is four.
fn fused(device: &Device, elements: usize, out: &mut dyn Write) -> Result<()> {
    let random = |seed| Array::random_uniform(device, &[elements], -1.0..1.0, DType::F32, seed);
    let (a, b, c) = (random(1), random(2), random(3));
    Array::eval_all(&[&a, &b, &c])?;
    let ask = || (&a * &b + &c).relu().sum_all();
    writeln!(out, "{DIM}(a * b + c).relu().sum(), {elements} elements each, is fused into{DIM:#}")?;
    writeln!(out, "{}", ask().explain())?;

    let mut result = 0.0;
    let one_pass = best(|| {
        result = ask().item::<f32>()?;
        Ok(())
    })?;
    let mut step_result = 0.0;
    let step_by_step = best(|| {
        let product = &a * &b;
        product.eval()?;
        let sum = product + &c;
        sum.eval()?;
        let positive = sum.relu();
        positive.eval()?;
        step_result = positive.sum_all().item::<f32>()?;
        Ok(())
    })?;
    let bytes = 3.0 * 4.0 * elements as f64;
    writeln!(out, "= {result}")?;
    let tell = |out: &mut dyn Write, name: &str, seconds: f64, more: &str| {
        let speed = bytes / seconds / 1e9;
        writeln!(out, "{name:<14} {:>10}  {speed:6.1} GB/s of input{more}", text::seconds(seconds))
    };
    tell(out, "fused", one_pass, &format!("  {BOLD}{:.1}×{BOLD:#}", step_by_step / one_pass))?;
    tell(out, "step by step", step_by_step, "")?;
    let off = (f64::from(result) - f64::from(step_result)).abs();
    anyhow::ensure!(
        off <= 1e-6 * f64::from(step_result).abs().max(1.0),
        "demo: fused, the result is {result}, and step by step {step_result}; please report this"
    );
    Ok(())
}

/// The best time of several, in seconds.
fn best(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best.max(1e-9))
}
