//! Programs by handles: every device gives the same bytes.

#![cfg(target_os = "linux")]

use bessemer::{
    Executor,
    core::Device,
    program::{LaunchConfig, Program},
};
use bessemer_cpu::{Cpu, Reference};
use bessemer_metal::{Metal, MetalOptions, hal::soft::SoftOptions};
use std::sync::Arc;

/// The elements of each block turned around, through threadgroup memory; where they are above a limit
/// they are counted, and where below doubled. In two dimensions, so that every index is used.
const TURNED: &str = "program turned(in buffer x: f32, out buffer y: f32, inout buffer above: u32, uniform limit: f32) {
    shared part: f32[64]
    %t = linear
    %columns = grid.x
    %row = group.y
    %group = mul %row, %columns
    %column = group.x
    %group = add %group, %column
    %first = mul %group, 64u
    %i = add %first, %t
    %x = load x[%i]
    store part[%t], %x
    barrier
    %other = sub 63u, %t
    %x = load part[%other]
    %high = gt %x, limit
    if %high {
        %old = atomic_add above[0u], 1u
    } else {
        %x = add %x, %x
    }
    store y[%i], %x
}";

fn devices() -> [Arc<dyn Device>; 3] {
    let soft = SoftOptions { checked: true, ..Default::default() };
    [
        Arc::new(Reference::new()),
        Arc::new(Cpu::open(Default::default()).unwrap()),
        Arc::new(Metal::open_soft(&MetalOptions::default(), &soft).unwrap()),
    ]
}

#[test]
fn every_device_gives_the_same_bytes() {
    let program = Program::parse("turned.bp", TURNED).unwrap();
    let launch = LaunchConfig { grid: [3, 2, 1], block: [16, 4, 1] };
    let values: Vec<f32> = (0..6 * 64).map(|i| (i * 37 % 101) as f32 - 50.5).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let results = devices().map(|device| {
        let mut executor = Executor::new(Arc::clone(&device));
        let [x, y] = [(); 2].map(|()| executor.allocate(bytes.len()).unwrap());
        let above = executor.allocate(4).unwrap();
        executor.copy_in(x, &bytes).unwrap();
        // Twice: the count goes on, and the rest comes out the same.
        for _ in 0..2 {
            let arguments = [x.into(), y.into(), above.into(), 0f32.into()];
            executor.execute(&program, launch, &arguments).unwrap();
        }
        let (mut turned, mut count) = (vec![0; bytes.len()], [0; 4]);
        executor.copy_out(y, &mut turned).unwrap();
        executor.copy_out(above, &mut count).unwrap();
        for handle in [x, y, above] {
            executor.free(handle).unwrap();
        }
        assert_eq!(device.stats().pool.live_bytes, 0, "{device:?}: all was given back");
        (turned, u32::from_le_bytes(count))
    });
    let wanted = |i: usize| {
        let x = values[i / 64 * 64 + 63 - i % 64];
        if x > 0.0 { x } else { x + x }
    };
    let turned: Vec<u8> = (0..values.len()).flat_map(|i| wanted(i).to_le_bytes()).collect();
    let above = 2 * values.iter().filter(|&&x| x > 0.0).count() as u32;
    for result in results {
        assert_eq!(result, (turned.clone(), above));
    }
}
