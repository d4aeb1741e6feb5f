//! The whole list on the WebGPU device, with all that the adapter has and with as little as any
//! has. A machine without an adapter fails here: Debian's `mesa-vulkan-drivers` has one in software.

use bessemer_conformance::judge;
use bessemer_cpu::Reference;
use bessemer_ops::cases;
use bessemer_webgpu::{WebGpu, WebGpuOptions};

/// Ops that have no kernels yet.
const MISSING: &[&str] = &[];

/// Every `parts`th case, from number `part` on.
fn check(portable: bool, part: usize, parts: usize) {
    let device = WebGpu::open(WebGpuOptions { portable, ..Default::default() }).unwrap();
    let reference = Reference::new();
    let wanted = std::env::var("BESSEMER_OP").ok();
    let mut failures = Vec::new();
    for case in cases().iter().skip(part).step_by(parts) {
        if MISSING.contains(&case.op)
            || wanted.as_ref().is_some_and(|op| !op.split(',').any(|op| op == case.op))
        {
            continue;
        }
        let start = std::time::Instant::now();
        if let Err(failure) = judge(case, &device, &reference) {
            failures.push(format!("{case:?}: {failure}"));
        }
        if wanted.is_some() {
            println!("{:>8.1?} {case:?}", start.elapsed());
        }
    }
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn first_half() {
    check(false, 0, 2);
}

#[test]
fn second_half() {
    check(false, 1, 2);
}

#[test]
fn portable_first_half() {
    check(true, 0, 2);
}

#[test]
fn portable_second_half() {
    check(true, 1, 2);
}
