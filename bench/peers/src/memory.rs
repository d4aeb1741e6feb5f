//! The memory that a fused chain takes at its peak, over that of its inputs and its output.

use crate::{
    numbers::numbers,
    report::{Goal, Line},
};
use anyhow::{Context, Result, bail};
use bessemer::Device;
use bessemer_array::Array;
use std::{env, fs, process::Command};

/// The name of the row.
pub(crate) const WORK: &str = "peak memory of relu(a*b+c), 16M";

const LEN: usize = 16 << 20;

/// Measures in a process of its own, where nothing else has been allocated.
pub(crate) fn line() -> Result<Line> {
    let out = Command::new(env::current_exe()?).arg("--memory").output()?;
    let text = String::from_utf8_lossy(&out.stdout);
    if !out.status.success() {
        bail!("measuring memory: {}: {}", out.status, String::from_utf8_lossy(&out.stderr));
    }
    let ratio = text.trim().parse().with_context(|| format!("a ratio of memory: {text:?}"))?;
    Ok(Line::sized(WORK, "bytes of inputs and output", Goal::AtMost(1.1), ratio))
}

/// Peak resident memory of the chain, less that before there were inputs, over the bytes needed.
pub(crate) fn measure(device: &Device) -> Result<f64> {
    let before = resident("VmRSS")?;
    let input = |seed| Array::from_vec(device, numbers(seed, LEN), &[LEN]);
    let (a, b, c) = (input(1)?, input(2)?, input(3)?);
    // From here on the peak is that of the chain.
    fs::write("/proc/self/clear_refs", "5").context("resetting the peak of memory")?;
    let result = (&a * &b + &c).relu();
    result.eval()?;
    let peak = resident("VmHWM")?;
    Ok((peak - before) / (4 * LEN * size_of::<f32>()) as f64)
}

/// A line of what the system knows of this process's memory, in bytes.
fn resident(name: &str) -> Result<f64> {
    let status = fs::read_to_string("/proc/self/status").context("this is measured on Linux")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")).context("no size")?;
    Ok(kib.trim().parse::<f64>()? * 1024.0)
}
