//! Products of matrices, against sums of products.

mod common;

use bessemer_array::Array;
use bessemer_core::DType::{self, BF16, F16, F32, F64, I8, I16, I32, I64};
use common::{array, values};

/// Small whole numbers: all products are exact.
fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|i| ((i * 7 + 3) % 5) as f64 - 2.0).collect()
}

#[test]
fn matrices_vectors_and_batches() {
    for device in [common::reference(), common::cpu()] {
        let of = |dtype: DType, shape: &[usize]| {
            array(&device, dtype, shape, &numbers(shape.iter().product()))
        };
        let (a, b) = (of(F32, &[3, 4]), of(F32, &[4, 5]));
        let (x, y) = (values(&a), values(&b));
        let wanted: Vec<f64> =
            (0..15).map(|n| (0..4).map(|k| x[n / 5 * 4 + k] * y[k * 5 + n % 5]).sum()).collect();
        assert_eq!(values(&a.matmul(&b)), wanted);
        // Of lazy and of strided arrays.
        let lazy = (&a * 2.0).matmul(&(&b + 0.0)) * 0.5;
        assert_eq!(values(&lazy), wanted);
        let turned = b.transpose().matmul(&a.transpose()).transpose();
        assert_eq!(values(&turned), wanted);
        // Vectors are rows on the left and columns on the right.
        let v = of(F32, &[4]);
        assert_eq!(a.matmul(&v).dims(), [3]);
        assert_eq!(v.matmul(&b).dims(), [5]);
        let dot = v.dot(&v);
        assert_eq!(dot.rank(), 0);
        assert_eq!(values(&dot), [values(&v).iter().map(|x| x * x).sum()]);
        assert_eq!(values(&a.matmul(&v)), values(&(&a * &v).sum(1)));
        // Leading axes broadcast.
        let batch = of(F32, &[2, 1, 3, 4]).matmul(&of(F32, &[6, 4, 5]));
        assert_eq!(batch.dims(), [2, 6, 3, 5]);
        for dtype in [F16, BF16, I32, F64, I8, I16, I64] {
            let c = of(dtype, &[3, 4]).matmul(&of(dtype, &[4, 5]));
            assert_eq!(c.dtype(), dtype);
            assert_eq!(values(&c), wanted, "{dtype}");
        }
        let none = Array::zeros(&device, &[2, 0], F32).matmul(&Array::zeros(&device, &[0, 3], F32));
        assert_eq!(values(&none), [0.0; 6]);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let device = common::cpu();
    let of = |shape: &[usize]| Array::ones(&device, shape, F32);
    for (product, what) in [
        (of(&[2, 3]).matmul(&of(&[2, 3])), "matmul: a has 3 columns, but b has 2 rows"),
        (of(&[]).matmul(&of(&[2])), "rank 0"),
        (of(&[3]).dot(&of(&[4])), "dot: a has 3 columns"),
        (of(&[2, 3, 4]).matmul(&of(&[3, 4, 5])), "broadcast"),
    ] {
        let error = product.check().unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn shares_add_up() {
    for device in [common::reference(), common::cpu()] {
        let x = array(&device, F32, &[2, 3, 4], &numbers(24));
        for axis in [0, 1, -1] {
            let shares = (&x * 2.0).softmax(axis);
            let sums = values(&shares.sum(axis));
            assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-6), "{sums:?}");
            let logs = values(&(&x * 2.0).log_softmax(axis).exp());
            let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-6;
            assert!(values(&shares).iter().zip(&logs).all(near));
        }
        assert!(x.softmax(3).check().is_err());
    }
}
