//! `models/spark`, a trained RWKV-7, tells the same story on every device.

#![cfg(target_os = "linux")]

use crate::cpu;
use bessemer_core::Device;
use bessemer_llm::{GenerateOptions, Llm, SessionOptions, sampling::Sampling};
use bessemer_metal::{Metal, MetalOptions, hal::soft::SoftOptions};
use bessemer_webgpu::{WebGpu, WebGpuOptions};
use std::sync::Arc;

const SPARK: &[u8] = include_bytes!("../../../../models/spark/spark.gguf");

fn story(device: &Arc<dyn Device>) -> String {
    let llm = Llm::from_static(SPARK, device).unwrap();
    let sampling = Sampling::greedy();
    let options = GenerateOptions { sampling, max_tokens: Some(32), ..Default::default() };
    let mut session = llm.session(SessionOptions::default()).unwrap();
    llm.generate(&mut session, "Once upon a time", &options).unwrap().finish().unwrap().text
}

#[test]
fn a_story_is_the_same_on_every_device() {
    // Otherwise it rounds activations to 8 bits, which GPUs do not.
    let expected = story(&cpu(true));
    assert!(expected.contains('.') && expected.split_whitespace().count() > 16, "{expected}");
    let metal = Metal::open_soft(&MetalOptions::default(), &SoftOptions::default()).unwrap();
    assert_eq!(story(&(Arc::new(metal) as Arc<dyn Device>)), expected);
    let webgpu = WebGpu::open(WebGpuOptions::default()).unwrap();
    assert_eq!(story(&(Arc::new(webgpu) as Arc<dyn Device>)), expected);
}
