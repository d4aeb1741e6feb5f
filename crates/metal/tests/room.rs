//! Room to work in is not written where kernels can do without.

#![cfg(target_os = "linux")]

use bessemer_core::{Batch, DType, Device, Element, Operation, Shape, View};
use bessemer_metal::{Metal, MetalOptions, hal::soft::SoftOptions};
use bessemer_ops::{Activation, GatedLinears, Linear};

const FILLER: f32 = 7.0;

fn filled(device: &dyn Device, dims: &[usize], value: f32) -> View {
    let shape = Shape::new(dims).unwrap();
    let values = vec![value; shape.elements()];
    let view = View::new(&device.alloc(4 * values.len()).unwrap(), DType::F32, shape).unwrap();
    device.write(&view.slice().unwrap(), f32::as_bytes(&values)).unwrap();
    view
}

fn all_are(device: &dyn Device, view: &View, value: f32) {
    let mut values = vec![0.0; view.elements()];
    device.read(&view.slice().unwrap(), f32::as_bytes_mut(&mut values)).unwrap();
    assert!(values.iter().all(|&x| (x - value).abs() <= 1e-5 * value.abs()), "{values:?}");
}

#[test]
fn the_results_of_gated_layers_stay_in_registers() {
    let soft = SoftOptions { checked: true, ..Default::default() };
    let device = Metal::open_soft(&MetalOptions::default(), &soft).unwrap();
    for rows in [1, 20] {
        let x = filled(&device, &[rows, 32], 1.0);
        let layer = |weight: f32| Linear {
            x: x.clone(),
            weight: filled(&device, &[37, 32], weight),
            bias: None,
            out: filled(&device, &[rows, 37], FILLER),
        };
        let (gate, up) = (layer(0.125), layer(0.25));
        let out = filled(&device, &[rows, 37], FILLER);
        let op = GatedLinears { gate, up, activation: Activation::Silu, out: out.clone() };
        let (access, cost) = (op.access(), op.cost());
        assert_eq!((access.writes.len(), access.results().len()), (3, 1));
        assert_eq!(cost.bytes, 4 * (rows * 32 + 2 * 37 * 32 + rows * 37) as u64);
        let mut batch = Batch::new();
        batch.push(op.clone()).unwrap();
        device.wait(device.submit(&batch).unwrap()).unwrap();
        // A gate of 4 and 8 to pass through it.
        all_are(&device, &out, 4.0 / (1.0 + (-4.0f32).exp()) * 8.0);
        all_are(&device, &op.gate.out, FILLER);
        all_are(&device, &op.up.out, FILLER);
    }
}
