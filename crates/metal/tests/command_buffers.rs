//! Command buffers on softmetal: how many a batch becomes, which are encoded ahead of time, and what is
//! left of one that cannot be encoded.

#![cfg(target_os = "linux")]

mod common;

use bessemer_core::{Batch, Device, View};
use bessemer_metal::{
    Metal, MetalOptions,
    hal::soft::{Failures, Soft, SoftOptions},
};
use common::{Add, floats, open, read};

/// Operations of which an M1 needs a tenth of a second for a few.
const MUCH: u64 = 40_000_000_000;

/// `count` ops that add 1 to `x` and say that they compute much, or nothing.
fn adding(x: &View, count: usize, flops: u64) -> Batch {
    let mut batch = Batch::new();
    for _ in 0..count {
        batch.push(Add { flops, ..Add::new(x, 1.0, x) }).unwrap();
    }
    batch
}

fn failing(failures: &Failures) -> Metal<Soft> {
    let soft = SoftOptions { checked: true, failures: failures.clone(), ..Default::default() };
    Metal::open_soft(&MetalOptions::default(), &soft).unwrap()
}

#[test]
fn what_takes_long_is_several_command_buffers_and_a_token_is_one() {
    let device = open(true);
    let x = floats(&device, &[0.0; 8]);
    device.wait(device.submit(&adding(&x, 40, 1)).unwrap()).unwrap();
    assert_eq!(device.counters().command_buffers, 1);
    device.wait(device.submit(&adding(&x, 40, MUCH)).unwrap()).unwrap();
    let counters = device.counters();
    // Each takes a thirtieth of a second on an M1.
    assert_eq!((counters.command_buffers, counters.dispatches), (1 + 14, 80));
    assert_eq!(device.stats().submissions, 2);
    assert_eq!(read(&device, &x), [80.0; 8]);
}

#[test]
fn the_next_command_buffer_can_be_encoded_ahead() {
    let device = open(true);
    let x = floats(&device, &[0.0; 8]);
    let (one, other) = (adding(&x, 3, 1), adding(&x, 1, 1));
    for round in 1..=5 {
        let ticket = device.submit(&one).unwrap();
        device.encode_ahead(&one);
        device.encode_ahead(&one);
        device.wait(ticket).unwrap();
        // What is written until then is what it reads.
        device.write(&x.slice().unwrap(), &[0; 32]).unwrap();
        assert_eq!(device.counters().ahead, round - 1);
    }
    device.wait(device.submit(&one).unwrap()).unwrap();
    assert_eq!((device.counters().ahead, read(&device, &x)), (5, vec![3.0; 8]));
    // Another submission takes its place: then it is encoded anew.
    device.encode_ahead(&one);
    let _ = device.submit(&other).unwrap();
    let _ = device.submit(&one).unwrap();
    assert_eq!((read(&device, &x), device.counters().ahead), (vec![7.0; 8], 5));
    // It keeps no memory: batches that are never submitted leave nothing behind.
    let before = device.stats().pool;
    let gone = floats(&device, &[0.0; 4096]);
    let batch = adding(&gone, 1, 1);
    device.encode_ahead(&batch);
    drop((batch, gone));
    assert_eq!(device.stats().pool.live_bytes, before.live_bytes);
    let _ = device.submit(&one).unwrap();
    assert_eq!(read(&device, &x), [10.0; 8]);
    // What is longer than one command buffer is not worth it, and still right.
    let long = adding(&x, 10, MUCH);
    device.encode_ahead(&long);
    let _ = device.submit(&long).unwrap();
    assert_eq!((read(&device, &x), device.counters().ahead), (vec![20.0; 8], 5));
}

#[test]
fn what_cannot_be_encoded_holds_nobody_up() {
    let failures = Failures::default();
    let device = failing(&failures);
    let x = floats(&device, &[0.0; 8]);
    let batch = adding(&x, 3, 1);
    for round in 1..=5 {
        // More often than submissions can wait for each other.
        failures.dispatch(2);
        let told = device.submit(&batch).unwrap_err().to_string();
        assert!(told.contains("metal: add failed") && told.contains("on purpose"), "{told}");
        failures.dispatch(1);
        device.encode_ahead(&batch);
        device.wait(device.submit(&batch).unwrap()).unwrap();
        assert_eq!(read(&device, &x), [3.0 * round as f32; 8]);
    }
    assert_eq!((device.counters().ahead, device.stats().submissions), (0, 5));
}

#[test]
fn what_cannot_be_encoded_ends_a_submission_of_several_command_buffers() {
    let failures = Failures::default();
    let device = failing(&failures);
    let x = floats(&device, &[0.0; 8]);
    let long = adding(&x, 12, MUCH);
    for round in 1..=5 {
        // In the second command buffer: the first runs, the others never do.
        failures.dispatch(5);
        let ticket = device.submit(&long).unwrap();
        let told = device.wait(ticket).unwrap_err().to_string();
        assert!(told.contains("add failed") && told.contains("on purpose"), "{told}");
        device.write(&x.slice().unwrap(), &[0; 32]).unwrap();
        if round == 1 {
            device.wait(device.submit(&long).unwrap()).unwrap();
            assert_eq!(read(&device, &x), [12.0; 8]);
        }
    }
}
