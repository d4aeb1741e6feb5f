//! Arrays shared by threads.

mod common;

use bessemer_array::Array;
use bessemer_core::DType;

#[test]
fn several_threads_evaluate_one_graph() {
    let device = common::cpu();
    for round in 0..20 {
        let x = Array::random_uniform(&device, &[500], 0.0..1.0, DType::F32, round);
        let shared = (&x * 2.0).exp();
        let total = shared.sum_all();
        let sums: Vec<f32> = std::thread::scope(|scope| {
            let work = |i: usize| {
                let (shared, total) = (&shared, &total);
                scope.spawn(move || match i % 3 {
                    0 => total.item::<f32>().unwrap(),
                    1 => shared.sum_all().item::<f32>().unwrap(),
                    _ => {
                        shared.explain();
                        (shared + 0.0).sum_all().item::<f32>().unwrap()
                    }
                })
            };
            let threads: Vec<_> = (0..6).map(work).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(sums.iter().all(|sum| (sum - sums[0]).abs() <= 1e-5 * sums[0]), "{sums:?}");
    }
}
