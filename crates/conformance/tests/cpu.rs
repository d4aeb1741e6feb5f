//! The whole list on the CPU device, with every instruction set this machine has.

use bessemer_conformance::{contract, judge};
use bessemer_cpu::{Cpu, CpuOptions, Reference};
use bessemer_ops::cases;
use bessemer_simd::Isa;

fn check(isa: Isa, threads: usize) {
    hold(CpuOptions { isa: Some(isa), threads: Some(threads), ..Default::default() });
}

fn hold(options: CpuOptions) {
    let cpu = Cpu::open(options).unwrap();
    let reference = Reference::new();
    let failures: Vec<String> = cases()
        .iter()
        .filter_map(|case| Some(format!("{case:?}: {}", judge(case, &cpu, &reference).err()?)))
        .collect();
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn portable() {
    check(Isa::Portable, 2);
}

#[test]
fn widest() {
    check(Isa::widest(), 2);
}

#[test]
fn one_thread() {
    check(Isa::widest(), 1);
}

#[test]
fn precise() {
    hold(CpuOptions { threads: Some(2), precise: true, ..Default::default() });
}

#[test]
fn between() {
    for isa in Isa::here().filter(|&isa| isa != Isa::Portable && isa != Isa::widest()) {
        check(isa, 3);
    }
}

#[test]
fn they_keep_the_contract_of_devices() {
    let cpu = || Cpu::open(CpuOptions::default()).unwrap();
    assert_eq!(contract(&cpu(), &cpu()), Ok(()));
    assert_eq!(contract(&Reference::new(), &Reference::new()), Ok(()));
}
