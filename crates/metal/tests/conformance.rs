//! The whole list on the Metal device, through softmetal: every access checked, and again with the
//! threads in three other orders. Then what GPUs run that lack something.

#![cfg(target_os = "linux")]

use bessemer_conformance::judge;
use bessemer_core::{
    Device, Operation,
    gpu::{GpuTraits, Launch, Source},
};
use bessemer_cpu::Reference;
use bessemer_metal::{
    Metal, MetalOptions,
    hal::soft::{Optimization, Soft, SoftOptions},
};
use bessemer_ops::{case::Case, cases};
use std::{
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
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

/// The whole list. `METAL_OP=rms_norm` narrows it to one op while its kernel is being written.
fn all() -> Vec<Case> {
    let only = std::env::var("METAL_OP").ok();
    let wanted = |case: &Case| only.as_ref().is_none_or(|op| case.op == op);
    cases().into_iter().filter(wanted).collect()
}

#[test]
fn checked_in_four_orders() {
    let devices = [None, Some(1), Some(2), Some(3)].map(|seed| open(true, seed));
    run(&all(), &devices);
}

/// What kernels of a case differ by from one another, apart from types and sizes: the op, the file, the
/// function, and which names are defined; for kernels made from programs, their text.
type Variant = (&'static str, String, String, Vec<&'static str>);

fn variants(launches: &[Launch], op: &'static str) -> BTreeSet<Variant> {
    let variant = |Launch { kernel, .. }: &Launch| {
        let text = match &kernel.source {
            Source::File { name, .. } => (*name).to_owned(),
            Source::Made { text, .. } => text.to_string(),
        };
        let mut names: Vec<&str> = kernel.defines.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        (op, text, kernel.entry.to_string(), names)
    };
    launches.iter().map(variant).collect()
}

/// What a GPU runs: nothing where it is asked for doubles.
fn launches(op: &dyn Operation, gpu: &GpuTraits) -> Vec<Launch> {
    op.metal(gpu).unwrap_or_default().launches
}

/// Whether a lesser GPU runs anything else than a full one.
fn differ(lesser: &[Launch], full: &[Launch]) -> bool {
    let same = |a: &Launch, b: &Launch| {
        (&a.kernel, a.groups, a.threads) == (&b.kernel, b.groups, b.threads)
    };
    lesser.len() != full.len() || lesser.iter().zip(full).any(|(a, b)| !same(a, b))
}

/// One case for each kind of kernel that `gpu` runs in an op that `counts`. The types that kernels are
/// compiled for do not make a kind: the whole list runs them elsewhere.
fn one_of_each_kind(
    gpu: &GpuTraits,
    counts: impl Fn(&dyn Operation, &[Launch]) -> bool,
) -> Vec<Case> {
    let reference = Reference::new();
    let mut reached = BTreeSet::new();
    let mut brings = |case: &Case| {
        let op = case.make(&reference).unwrap();
        let launches = launches(&*op, gpu);
        let found = variants(&launches, case.op);
        let new = counts(&*op, &launches) && !found.is_subset(&reached);
        if new {
            reached.extend(found);
        }
        new
    };
    all().into_iter().filter(|case| brings(case)).collect()
}

/// The same kernels on GPUs that lack something, which the software then refuses to run.
fn without(lesser: impl Fn(&mut GpuTraits)) {
    let full = open(false, None).traits().clone();
    let mut traits = full.clone();
    lesser(&mut traits);
    let others = |op: &dyn Operation| launches(op, &full);
    let cases = one_of_each_kind(&traits, |op, launches| differ(launches, &others(op)));
    assert!(!cases.is_empty());
    let soft =
        SoftOptions { checked: true, seed: Some(4), traits: Some(traits), ..Default::default() };
    run(&cases, &[Metal::open_soft(&MetalOptions::default(), &soft).unwrap()]);
}

#[test]
fn without_simdgroups() {
    without(|gpu| {
        gpu.simd_width = 1;
        gpu.simd_reduce = false;
        gpu.simd_matrix = false;
    });
}

#[test]
fn without_matrices_of_simdgroups() {
    without(|gpu| gpu.simd_matrix = false);
}

#[test]
fn without_bfloat() {
    without(|gpu| gpu.bf16 = false);
}

#[test]
fn with_small_threadgroups() {
    without(|gpu| gpu.max_threads = 256);
}

/// What is fast is compiled otherwise than what is checked, and must give the same; and what only one level
/// of optimization gets wrong is undefined behaviour in the kernel, or a fault of the compiler. So every
/// kind of kernel is compiled at all levels. With `METAL_OP`, every kernel of that op is.
#[test]
fn unchecked_at_all_levels_of_optimization() {
    let devices = [Optimization::Usual, Optimization::Less, Optimization::More].map(|level| {
        let soft = SoftOptions { optimization: level, ..Default::default() };
        Metal::open_soft(&MetalOptions::default(), &soft).unwrap()
    });
    let traits = devices[0].traits().clone();
    let cases = match std::env::var_os("METAL_OP") {
        Some(_) => all(),
        None => one_of_each_kind(&traits, |_, _| true),
    };
    run(&cases, &devices);
}

#[test]
fn the_soft_device_says_that_it_is_one() {
    assert!(open(false, None).info().software);
}
