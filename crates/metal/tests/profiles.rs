//! The device on each GPU that softmetal can imitate: the quick cases, with what that GPU lacks
//! refused, and memory up to its limits.

#![cfg(target_os = "linux")]

use bessemer_conformance::{Selection, judge};
use bessemer_core::Device;
use bessemer_cpu::Reference;
use bessemer_metal::{
    Metal, MetalOptions,
    hal::soft::{Profile, Soft, SoftOptions},
};
use bessemer_ops::case::Case;

fn open(profile: &'static Profile, checked: bool) -> Metal<Soft> {
    let soft = SoftOptions { checked, profile: Some(profile), ..Default::default() };
    Metal::open_soft(&MetalOptions::default(), &soft).unwrap()
}

#[test]
fn quick_cases_on_every_gpu() {
    let cases = Selection::quick().cases().unwrap();
    for profile in Profile::all() {
        // Checked where kernels differ from those of a full GPU, which are checked elsewhere.
        let device = open(profile, !profile.simd_matrix);
        let half = |some: &[Case]| {
            let reference = Reference::new();
            for case in some {
                let judged = judge(case, &device, &reference);
                assert!(judged.is_ok(), "{case:?} on {}: {:?}", profile.name, judged.err());
            }
        };
        // Two threads, since most of the time goes into compiling.
        let (first, second) = cases.split_at(cases.len() / 2);
        std::thread::scope(|scope| {
            scope.spawn(|| half(first));
            half(second);
        });
    }
}

#[test]
fn each_says_what_it_is() {
    for profile in Profile::all() {
        let device = open(profile, false);
        let (info, traits) = (device.info(), device.traits());
        assert!(info.name.contains(profile.name), "{}", info.name);
        assert_eq!(traits.bf16, profile.bfloat);
        assert_eq!(
            (traits.simd_reduce, traits.simd_matrix),
            (profile.simd_reduce, profile.simd_matrix)
        );
        let told = device.alloc(profile.max_buffer_length + 1).unwrap_err().to_string();
        assert!(told.contains("bytes"), "{told}");
    }
}
