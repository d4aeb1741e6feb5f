//! The burn side of `cargo xtask bench webgpu`: answers each line `N`, a number, with the seconds
//! that the product of two N by N matrices of f32 took on the adapter, read back in part. What it
//! read is compared with the product of a row and a column: kernels that fail are no peers.

use burn_tensor::{Device, DeviceKind, Distribution, Tensor};
use std::{
    collections::HashMap,
    io::{self, BufRead},
    time::Instant,
};

/// Two matrices, and one element of their product.
struct Operands {
    a: Tensor<2>,
    b: Tensor<2>,
    first: f32,
}

impl Operands {
    fn new(n: usize, device: &Device) -> Operands {
        let random = || Tensor::<2>::random([n, n], Distribution::Uniform(-1.0, 1.0), device);
        let (a, b) = (random(), random());
        let [row, column] = [a.clone().slice([0..1, 0..n]), b.clone().slice([0..n, 0..1])]
            .map(|part| part.into_data().try_to_vec::<f32>().expect("it is of f32"));
        let first = row.iter().zip(&column).map(|(a, b)| a * b).sum();
        Operands { a, b, first }
    }
}

fn main() {
    let device = Device::wgpu(DeviceKind::Cpu);
    let mut operands: HashMap<usize, Operands> = HashMap::new();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(n) = line.trim().parse::<usize>() else {
            println!("error: `{line}` is not a number");
            continue;
        };
        let Operands { a, b, first } =
            operands.entry(n).or_insert_with(|| Operands::new(n, &device));
        let (a, b) = (a.clone(), b.clone());
        device.sync().expect("the adapter works");
        let start = Instant::now();
        let product = a.matmul(b);
        // One number read back: it is there when all of the product is.
        let read = product.slice([0..1, 0..1]).into_data().try_to_vec::<f32>().expect("it is of f32");
        let seconds = start.elapsed().as_secs_f64();
        match (read[0] - *first).abs() < 1e-3 {
            true => println!("{seconds}"),
            false => println!("error: burn multiplies {n} by {n} to {}, not {first}", read[0]),
        }
    }
}
