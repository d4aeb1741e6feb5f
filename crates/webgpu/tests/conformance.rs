//! The whole list on the WebGPU device, with all that the adapter has and with as little as any
//! has. A machine without an adapter fails here: Debian's `mesa-vulkan-drivers` has one in software.
#![cfg(target_os = "linux")]

use bessemer_conformance::judge;
use bessemer_cpu::Reference;
use bessemer_ops::cases;
use bessemer_webgpu::{WebGpu, WebGpuOptions};

/// Every second case, from number `first` on: halves that run side by side. `WEBGPU_OP=rms_norm` narrows
/// them to one op while its kernel is being written.
fn check(portable: bool, first: usize) {
    let device = WebGpu::open(WebGpuOptions { portable, ..Default::default() }).unwrap();
    let reference = Reference::new();
    let only = std::env::var("WEBGPU_OP").ok();
    let failures: Vec<String> = cases()
        .iter()
        .filter(|case| only.as_ref().is_none_or(|op| case.op == op))
        .skip(first)
        .step_by(2)
        .filter_map(|case| Some(format!("{case:?}: {}", judge(case, &device, &reference).err()?)))
        .collect();
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn first_half() {
    check(false, 0);
}

#[test]
fn second_half() {
    check(false, 1);
}

#[test]
fn portable_first_half() {
    check(true, 0);
}

#[test]
fn portable_second_half() {
    check(true, 1);
}
