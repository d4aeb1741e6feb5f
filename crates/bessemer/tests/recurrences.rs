//! Tokens in one op and the same tokens in several give the same bits, on every device: a prompt may
//! be processed in pieces of any length.
#![cfg(all(feature = "metal", feature = "webgpu", target_os = "linux"))]

use bessemer::{
    DType, Isa,
    core::{Batch, Device, Operation, Result, View},
    ops::{ShortConv, TimeMix7, TokenShift, Wkv4, Wkv6, Wkv7},
};
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_metal::{Metal, MetalOptions, hal::soft::SoftOptions};
use bessemer_webgpu::{WebGpu, WebGpuOptions};
use std::{ops::Range, sync::Arc};

const SEQUENCES: usize = 2;
const TOKENS: usize = 7;
/// How many tokens each of several ops has.
const PIECES: [usize; 4] = [1, 1, 3, 2];

/// Numbers from -`size` to `size`, others for each seed.
fn numbers(device: &dyn Device, dims: &[usize], seed: usize, middle: f32, size: f32) -> View {
    let count: usize = dims.iter().product();
    let number = |i: usize| middle + size * ((i * (2 * seed + 1) + seed) as f32 * 0.37).sin();
    View::from_slice(device, &(0..count).map(number).collect::<Vec<_>>(), dims).unwrap()
}

/// Runs all tokens at once and in pieces, on states that start the same. `make` makes the op of some
/// tokens.
fn holds(
    device: &dyn Device,
    state: impl Fn() -> View,
    (out, axis): (&[usize], usize),
    make: impl Fn(Range<usize>, View, View) -> Result<Arc<dyn Operation>>,
) {
    let run = |pieces: &[usize]| {
        let (state, out) = (state(), View::alloc(device, DType::F32, out).unwrap());
        let (mut batch, mut first) = (Batch::new(), 0);
        for piece in pieces {
            let tokens = first..first + piece;
            let out = out.narrow(axis, tokens.clone()).unwrap();
            batch.push_shared(make(tokens, state.clone(), out).unwrap()).unwrap();
            first += piece;
        }
        device.wait(device.submit(&batch).unwrap()).unwrap();
        let bits = |view: &View| -> Vec<u32> {
            view.to_vec::<f32>(device).unwrap().iter().map(|x| x.to_bits()).collect()
        };
        (bits(&out), bits(&state))
    };
    let (whole, pieces) = (run(&[TOKENS]), run(&PIECES));
    assert!(whole == pieces, "{:?}", device.info());
    assert!(whole.0.iter().any(|&bits| bits != whole.0[0]), "{:?}", device.info());
}

/// Short convolutions, and the heads of RWKV 7 as models run them.
fn fused(device: &dyn Device) {
    let dims = [SEQUENCES, TOKENS, 33];
    let x = numbers(device, &dims, 1, 0.0, 2.0);
    let weight = numbers(device, &[33, 3], 2, 0.0, 1.0);
    let state = || numbers(device, &[SEQUENCES, 2, 33], 3, 0.0, 1.0);
    holds(device, state, (&dims, 1), |tokens, state, out| {
        let (x, weight) = (x.narrow(1, tokens)?, weight.clone());
        Ok(Arc::new(ShortConv { x, weight, state, out }))
    });
    let (heads, size) = (2, 64);
    let dims = [SEQUENCES, TOKENS, heads, size];
    let x = numbers(device, &[7, SEQUENCES, TOKENS, heads, size], 4, 0.0, 1.0);
    let weights = numbers(device, &[5, heads, size], 5, 0.5, 0.5);
    let first = numbers(device, &dims, 6, 0.0, 1.0);
    let state = || numbers(device, &[SEQUENCES, heads, size, size], 7, 0.0, 0.1);
    holds(device, state, (&dims, 1), |tokens, state, out| {
        let (x, first) = (x.narrow(2, tokens.clone())?, first.narrow(1, tokens)?);
        let (weights, norm) = (weights.clone(), Some(64e-5));
        Ok(Arc::new(TimeMix7 { x, weights, first, is_first: false, norm, gate: true, state, out }))
    });
}

fn channels(device: &dyn Device) {
    let dims = [SEQUENCES, TOKENS, 33];
    let [x, k, v] = [1, 2, 3].map(|seed| numbers(device, &dims, seed, 0.0, 2.0));
    let mu = numbers(device, &[3, 1, 1, 33], 4, 0.5, 0.5);
    let state = || numbers(device, &[SEQUENCES, 33], 5, 0.0, 1.0);
    holds(device, state, (&[3, SEQUENCES, TOKENS, 33], 2), |tokens, state, out| {
        let (x, mu) = (x.narrow(1, tokens)?, mu.clone());
        Ok(Arc::new(TokenShift { x, state, mu, update: true, out }))
    });
    let (w, u) = (numbers(device, &[33], 6, -1.0, 0.9), numbers(device, &[33], 7, 0.0, 1.0));
    let state = || numbers(device, &[SEQUENCES, 3, 33], 8, 1.0, 0.5);
    holds(device, state, (&dims, 1), |tokens, state, out| {
        let (k, v) = (k.narrow(1, tokens.clone())?, v.narrow(1, tokens)?);
        Ok(Arc::new(Wkv4 { k, v, w: w.clone(), u: u.clone(), state, out }))
    });
}

fn heads(device: &dyn Device, size: usize) {
    let dims = [SEQUENCES, TOKENS, 2, size];
    let [r, k, v] = [1, 2, 3].map(|seed| numbers(device, &dims, seed, 0.0, 1.0));
    let [a, b] = [4, 5].map(|seed| numbers(device, &dims, seed, 0.0, 0.1));
    let decay = numbers(device, &dims, 6, 0.5, 0.5);
    let u = numbers(device, &[2, size], 7, 0.0, 1.0);
    let state = || numbers(device, &[SEQUENCES, 2, size, size], 8, 0.0, 1.0);
    holds(device, state, (&dims, 1), |tokens, state, out| {
        let part = |view: &View| view.narrow(1, tokens.clone());
        let (r, k, v, decay, u) = (part(&r)?, part(&k)?, part(&v)?, part(&decay)?, u.clone());
        Ok(Arc::new(Wkv6 { r, k, v, decay, u, state, out }))
    });
    holds(device, state, (&dims, 1), |tokens, state, out| {
        let part = |view: &View| view.narrow(1, tokens.clone());
        let (r, decay, k, v) = (part(&r)?, part(&decay)?, part(&k)?, part(&v)?);
        Ok(Arc::new(Wkv7 { r, decay, k, v, a: part(&a)?, b: part(&b)?, state, out }))
    });
}

fn all(device: &dyn Device) {
    channels(device);
    fused(device);
    // The size that kernels are made for, and one for which there is general code.
    heads(device, 64);
    heads(device, 13);
}

#[test]
fn on_the_cpu() {
    for isa in Isa::here() {
        for threads in [1, 5] {
            let options =
                CpuOptions { isa: Some(isa), threads: Some(threads), ..Default::default() };
            all(&Cpu::open(options).unwrap());
        }
    }
}

#[test]
fn on_metal() {
    let soft = SoftOptions { checked: true, ..Default::default() };
    all(&Metal::open_soft(&MetalOptions::default(), &soft).unwrap());
}

#[test]
fn on_webgpu() {
    all(&WebGpu::open(WebGpuOptions::default()).unwrap());
}
