//! The burn side of `cargo xtask bench webgpu`: answers each line `N`, a number, with the seconds
//! that the product of two N by N matrices of f32 took on the adapter, read back in part.

use burn_tensor::{Device, DeviceKind, Distribution, Tensor};
use std::{
    collections::HashMap,
    io::{self, BufRead},
    time::Instant,
};

fn main() {
    let device = Device::wgpu(DeviceKind::Cpu);
    let mut operands: HashMap<usize, [Tensor<2>; 2]> = HashMap::new();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(n) = line.trim().parse::<usize>() else {
            println!("error: `{line}` is not a number");
            continue;
        };
        let random = || Tensor::<2>::random([n, n], Distribution::Uniform(-1.0, 1.0), &device);
        let [a, b] = operands.entry(n).or_insert_with(|| [random(), random()]);
        let (a, b) = (a.clone(), b.clone());
        device.sync().expect("the adapter works");
        let start = Instant::now();
        let product = a.matmul(b);
        // One number read back: it is there when all of the product is.
        let _ = product.slice([0..1, 0..1]).into_data();
        println!("{}", start.elapsed().as_secs_f64());
    }
}
