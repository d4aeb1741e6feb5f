//! The same logits on Metal, in software and checked with the threads in several orders, and on WebGPU.

#![cfg(target_os = "linux")]

use crate::{MODELS, far, model, session, texts};
use bessemer_core::Device;
use bessemer_metal::{Metal, MetalOptions, hal::soft::SoftOptions};
use bessemer_webgpu::{WebGpu, WebGpuOptions};
use std::sync::Arc;

/// Tokens of each text: as one prompt, in chunks and one by one.
const TOKENS: usize = 12;

/// The logits after each of a text's tokens, one by one, after the same as one prompt, and after chunks
/// of it.
fn logits(name: &str, device: &Arc<dyn Device>) -> Vec<Vec<f32>> {
    let model = model(name, device);
    let text = &texts(name)[1];
    let tokens = &text.tokens[..TOKENS];
    let mut all = Vec::new();
    let mut one_by_one = session(&model, 1);
    for (&token, wanted) in tokens.iter().zip(&text.logits) {
        let found = one_by_one.extend(&[token]).unwrap().to_vec();
        let far = far(&found, wanted);
        assert!(far <= 1e-4, "{name} on {}: {far}", device.info().name);
        all.push(found);
    }
    for chunk in [7, 64] {
        let found = session(&model, chunk).extend(tokens).unwrap().to_vec();
        let far = far(&found, &text.logits[TOKENS - 1]);
        assert!(far <= 1e-4, "{name}, chunks of {chunk} on {}: {far}", device.info().name);
        all.push(found);
    }
    all
}

fn metal(seed: Option<u64>) -> Arc<dyn Device> {
    let soft = SoftOptions { checked: true, seed, ..Default::default() };
    Arc::new(Metal::open_soft(&MetalOptions::default(), &soft).unwrap())
}

#[test]
fn metal_and_webgpu_give_the_logits_of_the_package() {
    let open = |portable| WebGpu::open(WebGpuOptions { portable, ..Default::default() }).unwrap();
    let webgpu: [Arc<dyn Device>; 2] = [false, true].map(|portable| Arc::new(open(portable)) as _);
    let metal = [None, Some(1), Some(2)].map(metal);
    for name in MODELS {
        let first = logits(name, &metal[0]);
        for device in metal[1..].iter().chain(&webgpu) {
            let found = logits(name, device);
            for (a, b) in first.iter().zip(&found) {
                let far = far(a, b);
                assert!(far <= 1e-4, "{name}, Metal and {}: {far}", device.info().name);
            }
        }
    }
}
