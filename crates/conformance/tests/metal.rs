//! The whole list on the Metal device, through softmetal: every access checked, and again with the
//! threads in three other orders.

#![cfg(target_os = "linux")]

use bessemer_conformance::{Selection, judge};
use bessemer_core::{Device, Error};
use bessemer_cpu::Reference;
use bessemer_metal::{
    Metal, MetalOptions,
    hal::soft::{Soft, SoftOptions},
};
use bessemer_ops::{case::Case, cases};
use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

/// Ops that have no kernel for Metal yet. What is here must be refused by name; all else must pass.
const WITHOUT_KERNEL: &[&str] = &["scatter"];

fn open(checked: bool, seed: Option<u64>) -> Metal<Soft> {
    let soft = SoftOptions { checked, seed, ..Default::default() };
    Metal::open_soft(&MetalOptions::default(), &soft).unwrap()
}

/// All cases on all devices. Two threads, since most of the time goes into compiling; the devices
/// of one case one after another, since the first compiles for all.
fn run(cases: &[Case], devices: &[Metal<Soft>]) {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let work = || {
        let reference = Reference::new();
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            for (number, device) in devices.iter().enumerate() {
                if let Err(failure) = judge(case, device, &reference) {
                    let failure = format!("{case:?} on device {number}: {failure}");
                    failures.lock().unwrap().push(failure);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let failures = failures.into_inner().unwrap();
    let total = cases.len() * devices.len();
    assert!(failures.is_empty(), "{} of {total} failed:\n{}", failures.len(), failures.join("\n"));
}

fn has_kernel(case: &Case) -> bool {
    !WITHOUT_KERNEL.contains(&case.op)
}

/// `METAL_OP=rms_norm` narrows the run to one op while its kernel is being written.
#[test]
fn checked_in_four_orders() {
    let devices = [None, Some(1), Some(2), Some(3)].map(|seed| open(true, seed));
    let only = std::env::var("METAL_OP").ok();
    let wanted = |case: &Case| only.as_ref().map_or(has_kernel(case), |op| case.op == op);
    let cases: Vec<Case> = cases().into_iter().filter(wanted).collect();
    run(&cases, &devices);
}

#[test]
fn quick_cases_at_full_speed() {
    let cases: Vec<Case> =
        Selection::quick().cases().unwrap().into_iter().filter(has_kernel).collect();
    run(&cases, &[open(false, None)]);
}

#[test]
fn what_has_no_kernel_is_refused_by_name() {
    let (device, reference) = (open(false, None), Reference::new());
    for case in cases().iter().filter(|case| !has_kernel(case)) {
        let op = case.make(&reference).unwrap();
        match op.metal(device.traits()) {
            Err(Error::NoKernel { op, .. }) => assert!(WITHOUT_KERNEL.contains(&op), "{op}"),
            other => panic!("{case:?} has a kernel, take it off the list: {other:?}"),
        }
    }
    assert!(device.info().software);
}
