//! The same promise on GPUs: Metal in software, and WebGPU on the machine's software adapter.

#![cfg(target_os = "linux")]

mod common;

use bessemer_core::{DType, Device};
use bessemer_engine::EngineOptions;
use bessemer_llm::tiny::Tiny;
use bessemer_metal::{Metal, MetalOptions, hal::soft::SoftOptions};
use bessemer_webgpu::{WebGpu, WebGpuOptions};
use common::*;
use std::sync::Arc;

fn check(device: Arc<dyn Device>, cache: DType) {
    let llm = llm(Tiny { dtype: DType::Q4_0, ..Tiny::default() }, &device);
    let mut asks = asks(7, 5, 90);
    asks.iter_mut().for_each(|ask| ask.options.max_tokens = Some(6));
    check_mix(&llm, EngineOptions { cache, pages: Some(40), ..small() }, &asks);
}

#[test]
fn answers_are_those_alone_on_metal() {
    let soft = Metal::open_soft(&MetalOptions::default(), &SoftOptions::default()).unwrap();
    check(Arc::new(soft), DType::F16);
}

#[test]
fn answers_are_those_alone_on_webgpu() {
    check(Arc::new(WebGpu::open(WebGpuOptions::default()).unwrap()), DType::Q8_0);
}

#[test]
fn answers_are_those_alone_on_any_webgpu() {
    let portable = WebGpuOptions { portable: true, ..Default::default() };
    check(Arc::new(WebGpu::open(portable).unwrap()), DType::F16);
}
