//! Any layout of the operands of any case gives the same results: dimensions in another order in
//! memory, with gaps, backwards.

use bessemer_conformance::{Failure, judge_varied};
use bessemer_core::Error;
use bessemer_cpu::{Cpu, CpuOptions, Reference};
use bessemer_ops::{
    case::{Case, Variation},
    cases,
};
use proptest::prelude::*;
use std::{collections::BTreeMap, sync::LazyLock};

/// The cases that are small enough to be run many times.
static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let reference = Reference::new();
    let small = |case: &Case| {
        let bytes = |op: std::sync::Arc<dyn bessemer_core::Operation>| op.cost().bytes;
        case.make(&reference).is_ok_and(|op| bytes(op) < 64 << 10)
    };
    cases().into_iter().filter(small).collect()
});

static CPU: LazyLock<Cpu> =
    LazyLock::new(|| Cpu::open(CpuOptions { threads: Some(2), ..Default::default() }).unwrap());

/// Whether the case ran: an op may ask for gapless operands, but only in its check.
fn holds(case: &Case, seed: u64) -> Result<bool, String> {
    match judge_varied(case, &Variation::layout(seed), &*CPU, &Reference::new()) {
        Ok(_) => Ok(true),
        Err(Failure::Refused(Error::Rule { .. } | Error::View(_))) => Ok(false),
        Err(failure) => Err(format!("{case:?} with layout {seed}: {failure}")),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        max_shrink_iters: 50,
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn results_do_not_depend_on_it(case in 0..CASES.len(), seed: u64) {
        if let Err(failure) = holds(&CASES[case], seed) {
            return Err(TestCaseError::fail(failure));
        }
    }
}

/// The rule of an op must not be so narrow that the property above is empty.
#[test]
fn every_op_takes_operands_with_gaps() {
    let mut taken: BTreeMap<&str, bool> = BTreeMap::new();
    for case in CASES.iter() {
        let op_taken = taken.entry(case.op).or_default();
        for seed in 0..3 {
            if !*op_taken {
                *op_taken = holds(case, seed).unwrap();
            }
        }
    }
    let never: Vec<_> = taken.iter().filter(|(_, taken)| !**taken).map(|(op, _)| op).collect();
    assert!(never.is_empty(), "ops that refuse every layout but the plain one: {never:?}");
}
