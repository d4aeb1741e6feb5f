//! Metal (in software), WebGPU and the CPU give the same numbers, op by op, to within 1e-4 of the
//! largest of them. Each is held to the reference by its own tests; here they are held to each other.
#![cfg(all(feature = "metal", feature = "webgpu", target_os = "linux"))]

use bessemer::{
    DType, Device,
    conformance::{Values, results},
    core::Device as Core,
    ops::{case::Case, cases},
};
use bessemer_metal::{Metal, MetalOptions, hal::soft::SoftOptions};
use bessemer_webgpu::{WebGpu, WebGpuOptions};
use std::collections::{BTreeSet, HashMap};

/// How far numbers may be apart, as a share of the largest.
const APART: f64 = 1e-4;

/// The most cases of an op, spread over its list: kernels are compiled one by one.
const CASES: usize = 6;

/// Cases of floats of 32 bits, and of the integers that go with them. Of blocks and of smaller floats
/// each device makes something of its own: the bounds of their cases say how far that may be.
fn chosen(device: &dyn Core) -> Vec<Case> {
    let whole = [DType::F32, DType::I32, DType::U32, DType::U8, DType::Bool];
    let fits = |case: &Case| {
        let access = case.make(device).unwrap().access();
        access.views().all(|view| whole.contains(&view.dtype()))
            && access.writes.iter().any(|view| view.dtype() == DType::F32)
    };
    let mut all = cases();
    all.retain(fits);
    let (mut totals, mut seen) = (HashMap::new(), HashMap::new());
    all.iter().for_each(|case| *totals.entry(case.op).or_insert(0usize) += 1);
    all.retain(|case| {
        let number = seen.entry(case.op).or_insert(0usize);
        *number += 1;
        case.quick || (*number - 1).is_multiple_of(totals[case.op].div_ceil(CASES))
    });
    all
}

#[test]
fn op_by_op() {
    let cpu = Device::open("cpu").unwrap();
    // Checked, as in Metal's own tests: what those have compiled is there already.
    let soft = SoftOptions { checked: true, ..Default::default() };
    let metal = Metal::open_soft(&MetalOptions::default(), &soft).unwrap();
    let web = WebGpu::open(WebGpuOptions::default()).unwrap();
    let devices: [(&str, &dyn Core); 3] = [("cpu", &**cpu), ("metal", &metal), ("webgpu", &web)];
    let (mut compared, mut ops, mut failures) = (0, BTreeSet::new(), Vec::new());
    for case in chosen(devices[0].1) {
        let found = devices.map(|(name, device)| -> Vec<Values> {
            let all = results(&case, device);
            let all = all.unwrap_or_else(|error| panic!("{case:?} on {name}: {error}"));
            all.into_iter().filter(|output| output.dtype == DType::F32).collect()
        });
        compared += 1;
        ops.insert(case.op);
        for (one, other) in [(0, 1), (0, 2), (1, 2)] {
            for (a, b) in found[one].iter().zip(&found[other]) {
                if let Some(apart) = apart(&a.values, &b.values) {
                    let (one, other) = (devices[one].0, devices[other].0);
                    failures.push(format!("{case:?}: {one} and {other}: {apart}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} pairs differ:\n{}", failures.len(), failures.join("\n"));
    assert!(compared > 40 && ops.len() > 15, "{compared} cases of {ops:?}");
}

/// How two results differ, if they do.
fn apart(a: &[f64], b: &[f64]) -> Option<String> {
    let finite = a.iter().chain(b).filter(|x| x.is_finite());
    let largest = finite.fold(1.0f64, |most, x| most.max(x.abs()));
    a.iter().zip(b).enumerate().find_map(|(i, (a, b))| {
        let same = a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= APART * largest;
        (!same).then(|| format!("element {i} is {a} and {b}, where the largest is {largest}"))
    })
}
