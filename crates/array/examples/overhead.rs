//! How long one evaluation takes beyond its arithmetic: `(&a + &b).eval()` on arrays of 1, of
//! 10 K and of 1 M elements, and a chain into a sum. Run with `--release`.

use bessemer_array::Array;
use bessemer_core::{DType, Device};
use bessemer_cpu::{Cpu, CpuOptions};
use std::{error::Error, sync::Arc, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let options = CpuOptions { threads: Some(2), ..Default::default() };
    let device: Arc<dyn Device> = Arc::new(Cpu::open(options)?);
    for n in [1, 10_000, 1_000_000] {
        let [a, b, c] =
            [1, 2, 3].map(|seed| Array::random_uniform(&device, &[n], -1.0..1.0, DType::F32, seed));
        let rounds = if n > 100_000 { 200 } else { 20_000 };
        time(&format!("(&a + &b).eval() on {n}"), rounds, || (&a + &b).eval())?;
        time(&format!("make and drop &a + &b on {n}"), rounds, || {
            drop(&a + &b);
            Ok(())
        })?;
        let chain = || (&a * &b + &c).relu().sum(&[], false).eval();
        time(&format!("relu(a * b + c).sum() on {n}"), rounds, chain)?;
    }
    Ok(())
}

fn time(
    what: &str,
    rounds: u32,
    mut work: impl FnMut() -> bessemer_array::Result<()>,
) -> Result<(), Box<dyn Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..rounds {
            work()?;
        }
        best = best.min(start.elapsed().as_secs_f64() / f64::from(rounds));
    }
    println!("{:>12.0} ns  {what}", best * 1e9);
    Ok(())
}
