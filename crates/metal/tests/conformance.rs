//! The whole list on the Metal device, through softmetal: every access checked, and again with the
//! threads in three other orders.

#![cfg(target_os = "linux")]

use bessemer_conformance::{Selection, judge};
use bessemer_core::Device;
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

/// `METAL_OP=rms_norm` narrows the run to one op while its kernel is being written.
#[test]
fn checked_in_four_orders() {
    let devices = [None, Some(1), Some(2), Some(3)].map(|seed| open(true, seed));
    let only = std::env::var("METAL_OP").ok();
    let wanted = |case: &Case| only.as_ref().is_none_or(|op| case.op == op);
    let cases: Vec<Case> = cases().into_iter().filter(wanted).collect();
    run(&cases, &devices);
}

#[test]
fn quick_cases_at_full_speed() {
    run(&Selection::quick().cases().unwrap(), &[open(false, None)]);
}

#[test]
fn the_soft_device_says_that_it_is_one() {
    assert!(open(false, None).info().software);
}
