//! An op of a few kernels, and what tests do with it.

#![allow(dead_code)] // Each test file uses some of it.

use bessemer_core::{
    Access, Cost, DType, Device, Element, Host, Operation, Result, Shape, View,
    cpu::CpuContext,
    gpu::{Binding, GpuTraits, Kernel, Launch, Launches, Params, Source},
};
use bessemer_metal::{
    Metal, MetalOptions,
    hal::soft::{Profile, Soft, SoftOptions},
};
use std::ops::Range;

const SOURCE: &str = "
#include <metal_stdlib>
using namespace metal;
kernel void add(device const float *x [[buffer(0)]], device float *out [[buffer(1)]],
                constant float &by [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    out[i] = x[i] + by;
}
kernel void stray(device const float *x [[buffer(0)]], device float *out [[buffer(1)]],
                  constant float &by [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    out[i + 100000] = x[i] + by;
}
kernel void part(device const float *x [[buffer(0)]], device float *kept [[buffer(1)]],
                 constant float &by [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    kept[i] = x[i] + by;
}
kernel void sum(device const float *x [[buffer(0)]], device float *out [[buffer(1)]],
                constant float &by [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    out[i] = simd_sum(x[i]) + by;
}
";

/// `out = x + by`, by a kernel of choice.
#[derive(Debug)]
pub(crate) struct Add {
    pub(crate) kernel: &'static str,
    pub(crate) x: View,
    pub(crate) by: f32,
    pub(crate) out: View,
    pub(crate) text: &'static str,
    pub(crate) in_two: bool,
    /// Whether the device chooses the threadgroups.
    pub(crate) free: bool,
    /// What it says that it computes.
    pub(crate) flops: u64,
}

impl Add {
    pub(crate) fn new(x: &View, by: f32, out: &View) -> Add {
        let (x, out) = (x.clone(), out.clone());
        let flops = x.elements() as u64;
        Add { kernel: "add", x, by, out, text: SOURCE, in_two: false, free: false, flops }
    }
}

impl Operation for Add {
    fn name(&self) -> &'static str {
        "add"
    }

    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x], &[&self.out]).in_place()
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), self.flops)
    }

    fn reference(&self, _: &mut Host<'_>) {}

    fn cpu(&self, _: &CpuContext<'_>) {}

    fn metal(&self, _: &GpuTraits) -> Result<Launches> {
        let launch = |entry: &'static str, bindings, by| Launch {
            kernel: Kernel::new(Source::File { name: "add.metal", text: self.text }, entry),
            bindings,
            params: Params::new().f32(by),
            groups: [self.x.elements() as u32, 1, 1],
            threads: if self.free { Launch::FREE } else { [1, 1, 1] },
        };
        let (read, write) = (Binding::Read(self.x.clone()), Binding::Write(self.out.clone()));
        if !self.in_two {
            return Ok(launch(self.kernel, vec![read, write], self.by).into());
        }
        let range = 0..4 * self.x.elements();
        let between = |write| Binding::Scratch { range: range.clone(), write };
        let launches = vec![
            launch("part", vec![read, between(true)], self.by),
            launch("add", vec![between(false), write], 0.0),
        ];
        Ok(Launches { launches, scratch: range.end })
    }
}

pub(crate) fn open(checked: bool) -> Metal<Soft> {
    Gpu(None).open(checked)
}

/// A GPU in software: one that softmetal imitates, or the one that has everything.
#[derive(Clone, Copy)]
pub(crate) struct Gpu(Option<&'static Profile>);

impl Gpu {
    pub(crate) fn soft(self) -> SoftOptions {
        SoftOptions { profile: self.0, ..Default::default() }
    }

    pub(crate) fn open(self, checked: bool) -> Metal<Soft> {
        let soft = SoftOptions { checked, ..self.soft() };
        Metal::open_soft(&MetalOptions::default(), &soft).unwrap()
    }

    pub(crate) fn has_simdgroups(self) -> bool {
        self.0.is_none_or(|profile| profile.simd_reduce)
    }
}

/// The same test on each. What it prints is shown if it fails.
pub(crate) fn on_every_gpu(test: impl Fn(Gpu)) {
    for gpu in std::iter::once(None).chain(Profile::all().iter().map(Some)) {
        eprintln!("on {}", gpu.map_or("a GPU that has everything", |profile| profile.name));
        test(Gpu(gpu));
    }
}

pub(crate) fn floats(device: &dyn Device, values: &[f32]) -> View {
    let shape = Shape::new(&[values.len()]).unwrap();
    let view = View::new(&device.alloc(4 * values.len()).unwrap(), DType::F32, shape).unwrap();
    device.write(&view.slice().unwrap(), f32::as_bytes(values)).unwrap();
    view
}

pub(crate) fn read(device: &dyn Device, view: &View) -> Vec<f32> {
    let mut values = vec![0.0; view.elements()];
    device.read(&view.slice().unwrap(), f32::as_bytes_mut(&mut values)).unwrap();
    values
}

pub(crate) fn part(view: &View, range: Range<usize>) -> View {
    view.narrow(0, range).unwrap()
}
