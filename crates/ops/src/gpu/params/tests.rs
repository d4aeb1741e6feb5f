//! Kernels and launches that disagree, and that those of this crate agree.

use super::{Members, declared};
use crate::gpu::tests::{traits, without_matrices};
use bessemer_core::gpu::{GpuTraits, Kernel, Source};
use bessemer_cpu::Reference;
use std::{cell::Cell, collections::BTreeSet};

thread_local! {
    /// How many launches of this thread were compared with their kernels.
    pub(super) static CHECKS: Cell<usize> = const { Cell::new(0) };
}

const TEXT: &str = "
#define HELPER(x) \\
  struct Params { x };
template <int VIEWS> struct Rows {
  uint rank;
  int strides[VIEWS][8];
};
struct Layer {
  uint outputs;
#ifdef BIAS
  int bias_step; // only where there is one
#endif
};
struct Params {
  uint leads[1 + BUFFERS * LAYERS];
  uint width, height;
  float epsilon;
  Rows<2> rows;
  Layer layers[LAYERS];
};
#if LAYERS > 1
kernel void many(device float *x [[buffer(0)]], constant Params &p [[buffer(LAYERS + 1)]]) {}
#elif defined(ODD)
kernel void odd(constant Odd &p [[buffer(0)]]) {}
#else
kernel void one(constant Params &p [[buffer(1)]], uint i [[thread_position_in_grid]]) {}
#endif
struct SumParams { uint parts; };
kernel void sum(constant SumParams &p [[buffer(1)]]) {}
";

fn kernel(entry: &'static str, layers: &'static str) -> Kernel {
    Kernel::new(Source::File { name: "test.metal", text: TEXT }, entry)
        .define("BUFFERS", "2")
        .define("LAYERS", layers)
}

/// What the kernel `one` takes, with one layer.
fn right() -> Vec<fn(Members) -> Members> {
    vec![
        |m| m.uints("leads", [0; 3].into_iter()),
        |m| m.uint("width", 1),
        |m| m.uint("height", 2),
        |m| m.float("epsilon", 0.5),
        |m| m.uint("rows.rank", 1),
        |m| m.ints("rows.strides", [0; 16].into_iter()),
        |m| m.uint("layers[0].outputs", 4),
    ]
}

fn wrong(steps: &[fn(Members) -> Members], kernel: &Kernel, buffers: usize) -> String {
    let members = steps.iter().fold(Members::default(), |members, step| step(members));
    members.check(kernel, buffers).expect_err("they differ")
}

#[test]
fn a_launch_that_agrees_is_taken() {
    let all = || right().iter().fold(Members::default(), |members, step| step(members));
    let params = all().finish(&kernel("one", "1"), 1);
    assert_eq!(params.words()[3..7], [1, 2, 0.5f32.to_bits(), 1]);
    assert_eq!(params.words().len(), 3 + 2 + 1 + 17 + 1);
    all().int("layers[0].bias_step", 3).finish(&kernel("one", "1").define("BIAS", ""), 1);
    Members::default().uint("parts", 3).finish(&kernel("sum", "1"), 1);
}

#[test]
fn a_wrong_name_is_refused() {
    let mut steps = right();
    steps[1] = |m| m.uint("wide", 1);
    let why = wrong(&steps, &kernel("one", "1"), 1);
    assert_eq!(why, "the launch fills in `uint wide`, which it does not declare");
}

#[test]
fn a_wrong_type_or_length_is_refused() {
    let mut steps = right();
    steps[1] = |m| m.int("width", 1);
    let why = wrong(&steps, &kernel("one", "1"), 1);
    assert_eq!(why, "it declares `uint width`, the launch fills in `int width`");
    let mut steps = right();
    steps[5] = |m| m.ints("rows.strides", [0; 8].into_iter());
    let why = wrong(&steps, &kernel("one", "1"), 1);
    let both = "`int rows.strides[16]`, the launch fills in `int rows.strides[8]`";
    assert_eq!(why, format!("it declares {both}"));
}

#[test]
fn a_missing_member_is_refused() {
    for (place, name) in [(1, "`uint width`"), (6, "`uint layers[0].outputs`")] {
        let mut steps = right();
        steps.remove(place);
        let why = wrong(&steps, &kernel("one", "1"), 1);
        assert_eq!(why, format!("it declares {name}, which the launch does not fill in"));
    }
}

#[test]
fn a_member_too_many_is_refused() {
    let mut steps = right();
    steps.push(|m| m.int("layers[0].bias_step", 1));
    let why = wrong(&steps, &kernel("one", "1"), 1);
    assert_eq!(why, "the launch fills in `int layers[0].bias_step`, which it does not declare");
    let mut steps = right();
    steps.push(steps[6]);
    let why = wrong(&steps, &kernel("one", "1"), 1);
    assert_eq!(why, "the launch fills in `uint layers[0].outputs` twice");
}

#[test]
fn another_order_is_refused() {
    let mut steps = right();
    steps.swap(1, 2);
    let why = wrong(&steps, &kernel("one", "1"), 1);
    assert_eq!(why, "the launch fills in `uint height` in the place of `uint width`");
}

#[test]
fn numbers_come_after_the_last_buffer() {
    let why = wrong(&right(), &kernel("one", "1"), 2);
    assert_eq!(why, "its numbers are buffer 1, the launch binds 2 buffers");
}

#[test]
#[should_panic(expected = "test.metal: kernel `sum`: it declares `uint parts`, which the launch")]
fn what_differs_names_the_kernel() {
    Members::default().finish(&kernel("sum", "1"), 1);
}

#[test]
fn conditions_choose_what_is_declared() {
    let many = declared::of(&kernel("many", "3")).unwrap();
    let last: Vec<String> = many.fields[6..].iter().map(ToString::to_string).collect();
    assert_eq!((many.buffer, many.fields[0].to_string().as_str()), (4, "`uint leads[7]`"));
    assert_eq!(
        last,
        ["`uint layers[0].outputs`", "`uint layers[1].outputs`", "`uint layers[2].outputs`"]
    );
    assert!(declared::of(&kernel("many", "1")).is_err());
    let why = declared::of(&kernel("odd", "1").define("ODD", "1")).err();
    assert_eq!(why.as_deref(), Some("`Odd` is not declared"));
}

/// All kinds of GPUs that kernels are chosen by.
fn gpus() -> Vec<GpuTraits> {
    let mut gpus = vec![traits(true), without_matrices(), traits(false)];
    let with = |change: fn(&mut GpuTraits)| {
        let mut gpu = traits(true);
        change(&mut gpu);
        gpu
    };
    gpus.push(with(|gpu| gpu.cores = 80));
    gpus.push(with(|gpu| (gpu.cores, gpu.max_threads) = (1, 256)));
    gpus
}

#[test]
fn launches_of_all_cases_fill_in_what_their_kernels_declare() {
    let device = Reference::new();
    let (mut launched, mut written) = (BTreeSet::new(), BTreeSet::new());
    for case in crate::cases() {
        let op = case.make(&device).unwrap();
        for gpu in gpus() {
            let before = CHECKS.get();
            let Ok(all) = op.metal(&gpu) else { continue };
            // None has its numbers from elsewhere.
            assert_eq!(CHECKS.get() - before, all.launches.len(), "{op:?}");
            for Kernel { source, entry, .. } in all.launches.into_iter().map(|one| one.kernel) {
                launched.insert(entry.into_owned());
                let starts = ["\nkernel void ", "]] void "].map(|start| source.text().split(start));
                let names = starts.into_iter().flat_map(|parts| parts.skip(1));
                written.extend(names.filter_map(|rest| Some(rest.split_once('(')?.0.to_owned())));
            }
        }
    }
    // The cases leave out no kernel that lies beside one of theirs.
    assert_eq!(launched, written);
}
