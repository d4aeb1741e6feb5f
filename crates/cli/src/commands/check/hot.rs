//! How fast the kernels are in which models spend their time, beside what their notes expect.

use crate::commands::bench::{
    measure::{Effort, time},
    products::{linear, matmul},
    work::{Work, add_rms_norm, attention},
};
use bessemer::{
    Cost,
    DType::{F16, Q4_1, Q4_K, Q6_K, Q8_0},
    Device,
};
use std::fmt::Write;

/// What bounds a kernel, from the notes in its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    /// Bytes that memory moves.
    Memory,
    /// Float arithmetic.
    Arithmetic,
}

struct Hot {
    work: Work,
    /// The folder of the notes.
    notes: &'static str,
    limit: Limit,
}

/// The GPUs that the notes speak of: gigabytes and gigaflops in a second.
const GPUS: [(&str, f64, f64); 3] =
    [("M1", 68.0, 2600.0), ("M2 Max", 400.0, 13600.0), ("M4", 120.0, 4300.0)];

/// Software emulation is slow and its times mean nothing: sizes just large enough to run the kernels.
fn all(software: bool) -> Vec<Hot> {
    let size = |full, small| if software { small } else { full };
    let hot = |work, notes, limit| Hot { work, notes, limit };
    let (wide, rows) = (size(4096, 256), size(512, 64));
    let mut all: Vec<Hot> = [Q4_1, Q4_K, Q6_K, Q8_0, F16]
        .map(|weight| hot(linear(weight, 1, wide), "linear", Limit::Memory))
        .into();
    all.push(hot(linear(Q4_K, rows, size(2048, 256)), "linear", Limit::Arithmetic));
    let tokens = size(2048, 128);
    all.extend([F16, Q8_0].map(|kv| hot(attention(kv, 1, tokens), "attention", Limit::Memory)));
    let (tiles, seen) = (size(256, 32), size(1024, 64));
    all.push(hot(attention(F16, tiles, seen), "attention", Limit::Arithmetic));
    all.push(hot(matmul(size(1024, 128)), "matmul", Limit::Arithmetic));
    all.push(hot(add_rms_norm([rows, wide]), "add_rms_norm", Limit::Memory));
    all
}

/// The section of the report.
pub(super) fn section(device: &Device) -> String {
    let software = device.info().software;
    let effort = if software { Effort::BRIEF } else { Effort::FULL };
    let mut text = String::from("## Hot kernels\n\n");
    text.push_str(match software {
        true => "This device is emulated in software: the times say nothing about a GPU.\n\n",
        false => "Operands are larger than the caches; the fastest run counts.\n\n",
    });
    text.push_str("| op | operands | time | GB/s | GFLOP/s | bound, from notes.md |");
    for (gpu, ..) in GPUS {
        // Writing to a string cannot fail.
        let _ = write!(text, " {gpu} at most |");
    }
    text.push_str("\n| --- | --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |\n");
    for Hot { work, notes, limit } in all(software) {
        let _ = write!(text, "| {} | {} ", work.op, work.name.replace('|', "\\|"));
        let _ = match time(&work, device, effort) {
            Ok((Cost { bytes, flops }, seconds)) => {
                let rate = |amount: u64| amount as f64 / seconds / 1e9;
                let microseconds = seconds * 1e6;
                write!(text, "| {microseconds:.1} µs | {:.1} | {:.1} ", rate(bytes), rate(flops))
            }
            Err(error) => {
                let why = error.to_string();
                write!(
                    text,
                    "| {} | | ",
                    why.lines().next().unwrap_or_default().replace('|', "\\|")
                )
            }
        };
        let of = match limit {
            Limit::Memory => "memory",
            Limit::Arithmetic => "arithmetic",
        };
        let _ = write!(text, "| {notes}: {of} |");
        for (_, bytes, flops) in GPUS {
            let _ = match limit {
                Limit::Memory => write!(text, " {bytes:.0} GB/s |"),
                Limit::Arithmetic => write!(text, " {flops:.0} GFLOP/s |"),
            };
        }
        text.push('\n');
        device.trim();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use bessemer::DeviceOptions;

    #[test]
    fn every_hot_kernel_runs_and_has_notes() {
        let device = Device::open_with("cpu", &DeviceOptions::default()).unwrap();
        for Hot { work, notes, .. } in all(true) {
            let (cost, seconds) = time(&work, &device, Effort::BRIEF).unwrap();
            assert!(cost.bytes > 0 && seconds > 0.0, "{}", work.name);
            let ops = concat!(env!("CARGO_MANIFEST_DIR"), "/../ops/src");
            let path = std::path::Path::new(ops).join(notes).join("notes.md");
            let text = std::fs::read_to_string(&path).unwrap();
            // The figures here are those of the notes.
            for (gpu, bytes, _) in GPUS {
                assert!(text.contains(gpu), "{notes}: {gpu}");
                assert!(text.contains(&bytes.to_string()) || notes == "add_rms_norm", "{notes}");
            }
        }
    }
}
