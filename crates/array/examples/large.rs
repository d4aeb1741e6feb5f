//! How far off large sums are, and what arrays of more than 2^31 elements do:
//! `cargo run --release -p bessemer-array --example large`. Takes 3 GB of memory.

use bessemer_array::{Array, Result, s};
use bessemer_core::Device;
use bessemer_cpu::{Cpu, CpuOptions};
use std::{sync::Arc, time::Instant};

const COUNT: usize = 100_000_000;

fn main() -> Result<()> {
    let device: Arc<dyn Device> = Arc::new(Cpu::open(CpuOptions::default())?);
    println!("sums of {COUNT} f32");
    sum(&device, "even in 0..1", |noise| ((noise >> 40) as i64, -24))?;
    sum(&device, "both signs, 24 bits, sizes from 2^-14 to 2^10", |noise| {
        let size = (noise >> 40) as i64 | 1 << 23;
        (if noise & 1 == 0 { size } else { -size }, ((noise >> 8) % 24) as i32 - 37)
    })?;
    beyond_32_bits(&device)
}

/// Sums numbers that are `whole * 2^exponent`, which integers can sum exactly.
fn sum(device: &Arc<dyn Device>, what: &str, number: impl Fn(u64) -> (i64, i32)) -> Result<()> {
    /// What integers count: no number has smaller parts.
    const UNIT: i32 = -40;
    let (mut state, mut exact, mut magnitudes) = (1u64, 0i128, 0i128);
    let mut numbers = Vec::with_capacity(COUNT);
    for _ in 0..COUNT {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (whole, exponent) = number(state ^ state >> 29);
        let units = i128::from(whole) << (exponent - UNIT);
        exact += units;
        magnitudes += units.abs();
        numbers.push(whole as f32 * 2f32.powi(exponent));
    }
    let value = |units: i128| units as f64 * 2f64.powi(UNIT);
    let naive: f32 = numbers.iter().sum();
    let array = Array::from_vec(device, numbers, &[COUNT])?;
    let start = Instant::now();
    let found = f64::from(array.sum_all().item::<f32>()?);
    let time = start.elapsed();
    let (exact, magnitudes) = (value(exact), value(magnitudes));
    // Half a unit in the last place of an f32, and what double precision may lose.
    let half_unit = 2f64.powi(exact.abs().log2().floor() as i32 - 24);
    let bound = half_unit + COUNT as f64 * 2f64.powi(-53) * magnitudes;
    println!("  {what}: {found:e}, exactly {exact:e} ({time:.0?})");
    println!("    off by {:.3e}, bound {bound:.3e}", (found - exact).abs());
    println!("    one f32 after another is off by {:.3e}", (f64::from(naive) - exact).abs());
    assert!((found - exact).abs() <= bound, "beyond the bound");
    Ok(())
}

fn beyond_32_bits(device: &Arc<dyn Device>) -> Result<()> {
    let count = (1usize << 31) + 8;
    println!("u8 [{count}]");
    let mut bytes = vec![0u8; count];
    bytes[count - 3] = 5;
    let array = Array::from_vec(device, bytes, &[count])?;
    let argmax = array.argmax(..).item::<i64>()?;
    println!("  argmax {argmax}, sum {}", array.sum_all().item::<u64>()?);
    println!("  end {}", array.slice(s![-4..]));
    assert_eq!(argmax as usize, count - 3);
    let halves = array.reshape(&[2, -1]).max(1).to_vec::<u8>()?;
    assert_eq!(halves, [0, 5]);
    Ok(())
}
