//! Weights on softmetal: in place, copied, and longer than the longest buffer.

#![cfg(target_os = "linux")]

mod common;

use bessemer_core::{Batch, Buffer, DType, Device, Element, HostMemory, Shape, Slice, View};
use bessemer_metal::{
    Metal, MetalOptions,
    hal::soft::{Soft, SoftOptions},
};
use common::{Add, floats, open, part, read};
use memmap2::Mmap;
use std::{io::Write, ops::Range, sync::Arc};

/// A mapped file of floats, each of which is its number.
fn mapped(count: usize) -> HostMemory {
    let values: Vec<f32> = (0..count).map(|i| i as f32).collect();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(f32::as_bytes(&values)).unwrap();
    // SAFETY: the file has no name, so nobody changes it.
    let map = unsafe { Mmap::map(&file) }.unwrap();
    HostMemory::mapped(Arc::new(map), file)
}

/// The same on the heap.
fn heaped(count: usize) -> HostMemory {
    HostMemory::new(Arc::new(mapped(count).bytes().to_vec()))
}

/// A device whose buffers have at most so many bytes.
fn with_buffers_of(bytes: usize) -> Metal<Soft> {
    let soft = SoftOptions { checked: true, max_buffer_length: Some(bytes), ..Default::default() };
    Metal::open_soft(&MetalOptions::default(), &soft).unwrap()
}

/// Floats of a buffer.
fn numbers(buffer: &Buffer, range: Range<usize>) -> View {
    let all = View::new(buffer, DType::F32, Shape::new(&[buffer.bytes() / 4]).unwrap()).unwrap();
    part(&all, range)
}

/// Runs a kernel over floats of a buffer, each of which is its number.
fn kernels_read(device: &dyn Device, buffer: &Buffer, range: Range<usize>) {
    let x = numbers(buffer, range.clone());
    let out = floats(device, &vec![0.0; range.len()]);
    let mut batch = Batch::new();
    batch.push(Add::new(&x, 1.0, &out)).unwrap();
    device.wait(device.submit(&batch).unwrap()).unwrap();
    let wanted: Vec<f32> = range.map(|i| i as f32 + 1.0).collect();
    assert!(read(device, &out) == wanted);
}

#[test]
fn mapped_files_are_used_in_place_and_the_heap_is_copied() {
    let device = open(true);
    // Whole, from within a page, and from where no vector may start.
    for (memory, range, in_place) in [
        (mapped(5000), 0..5000, true),
        (mapped(5000), 1004..5000, true),
        (mapped(5000), 1001..5000, false),
        (heaped(5000), 0..5000, false),
        (heaped(5000), 1004..5000, false),
    ] {
        let host = memory.slice(4 * range.start..4 * range.end).unwrap();
        let bytes = host.bytes().len();
        let wanted = host.bytes().to_vec();
        let buffer = device.adopt(host).unwrap();
        assert_eq!(device.stats().adopted_bytes, if in_place { bytes } else { 0 });
        let mut found = vec![0; bytes];
        device.read(&Slice::all(&buffer), &mut found).unwrap();
        assert_eq!(found, wanted);
        let x = numbers(&buffer, 0..1000);
        let out = floats(&device, &[0.0; 1000]);
        let mut batch = Batch::new();
        batch.push(Add::new(&x, 0.0, &out)).unwrap();
        device.wait(device.submit(&batch).unwrap()).unwrap();
        assert_eq!(f32::as_bytes(&read(&device, &out)), &wanted[..4000]);
        drop((batch, x, buffer));
        assert_eq!(device.stats().adopted_bytes, 0);
    }
}

#[test]
fn weights_longer_than_a_buffer_lie_in_several() {
    // Pages of 4 KB, 1,024 floats: a buffer has three, and the file seven and a half.
    const PAGE: usize = 1024;
    let all = 7 * PAGE + 500;
    for (memory, in_place) in [(mapped(all), true), (heaped(all), false)] {
        let device = with_buffers_of(3 * 4 * PAGE);
        let buffer = device.adopt(memory).unwrap();
        assert_eq!(device.stats().adopted_bytes, if in_place { 4 * all } else { 0 });
        // Within a buffer, across the first border, again, across the second, and at the very end.
        for range in [
            10..2000,
            3 * PAGE - 5..3 * PAGE + 5,
            3 * PAGE - 5..3 * PAGE + 5,
            2 * PAGE..5 * PAGE,
            5 * PAGE + 1..7 * PAGE + 1,
            7 * PAGE..all,
        ] {
            kernels_read(&device, &buffer, range);
        }
        let mut found = vec![0.0f32; all];
        device.read(&Slice::all(&buffer), f32::as_bytes_mut(&mut found)).unwrap();
        assert!(found.iter().enumerate().all(|(i, &x)| x == i as f32));
        // A kernel cannot have more at once than a buffer can.
        let out = floats(&device, &vec![0.0; 3 * PAGE]);
        let mut batch = Batch::new();
        batch.push(Add::new(&numbers(&buffer, 0..3 * PAGE + 1), 0.0, &out)).unwrap();
        let told = device.submit(&batch).unwrap_err().to_string();
        assert!(told.contains("12292 bytes") && told.contains("12288 at most: quantise"), "{told}");
        drop((batch, buffer));
        assert_eq!(device.stats().adopted_bytes, 0);
    }
}

#[test]
fn a_file_longer_than_64_megabytes_is_used_where_buffers_have_no_more() {
    const MOST: usize = 64 << 20;
    let memory = mapped(MOST / 4 * 5 / 2);
    let device = with_buffers_of(MOST);
    let buffer = device.adopt(memory).unwrap();
    assert_eq!(device.stats().adopted_bytes, MOST / 2 * 5);
    for border in [MOST / 4, MOST / 2] {
        kernels_read(&device, &buffer, border - 100..border + 100);
    }
}

#[test]
fn a_buffer_longer_than_the_longest_is_refused_with_both_lengths() {
    let device = with_buffers_of(1 << 20);
    assert!(device.alloc(1 << 20).is_ok());
    let told = device.alloc((1 << 20) + 1).unwrap_err().to_string();
    assert!(told.contains("1048576 at most") && told.contains("shorter context"), "{told}");
}

#[test]
fn memory_of_a_gpu_is_filled_once() {
    let soft = SoftOptions { checked: true, own_memory: true, ..Default::default() };
    let device = Metal::open_soft(&MetalOptions::default(), &soft).unwrap();
    let bytes: Vec<u8> = f32::as_bytes(&[1.0, 2.0, 3.0, 4.0]).to_vec();
    let weights = device.adopt(HostMemory::new(Arc::new(bytes.clone()))).unwrap();
    assert_eq!(device.stats().adopted_bytes, 0, "nothing is used in place");
    let x = View::new(&weights, DType::F32, Shape::new(&[4]).unwrap()).unwrap();
    let out = floats(&device, &[0.0; 4]);
    let mut batch = Batch::new();
    batch.push(Add::new(&x, 1.0, &out)).unwrap();
    device.wait(device.submit(&batch).unwrap()).unwrap();
    assert_eq!(read(&device, &out), [2.0, 3.0, 4.0, 5.0]);
    let mut back = [0; 8];
    device.read(&Slice::new(&weights, 4..12).unwrap(), &mut back).unwrap();
    assert_eq!(back, bytes[4..12]);
}
