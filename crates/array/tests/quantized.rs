//! Weights in block formats, made of arrays and made arrays again.

mod common;

use bessemer_array::{Array, Quantized};
use bessemer_core::DType::{self, F16, F32, I32, Q4_0, Q4_K, Q8_0};
use common::{array, values};

fn waves(count: usize) -> Vec<f64> {
    (0..count).map(|i| f64::from((i as f32 * 0.37).sin())).collect()
}

#[test]
fn every_format_there_and_back() {
    for device in [common::reference(), common::cpu()] {
        for dtype in DType::BLOCKS {
            let numbers = waves(3 * 512);
            let x = array(&device, F32, &[3, 512], &numbers);
            let small = x.quantize(dtype).unwrap();
            assert_eq!((small.dtype(), &**small.shape()), (dtype, &[3, 512][..]));
            let back = small.dequantize();
            assert_eq!(back.dtype(), F32);
            let worst = values(&back).into_iter().zip(&numbers).map(|(a, b)| (a - b).abs());
            // 4 bits over a range of 2: steps of 1/7, about half of one off at most; 3 bits, of 1/3.
            let most = if dtype == DType::Q3_K { 0.25 } else { 0.1 };
            assert!(worst.fold(0.0, f64::max) < most, "{dtype}");
            // What is lazy, strided, of another dtype.
            let lazy = (x.slice(bessemer_array::s![..;2]) * 2.0).astype(F16);
            let small = lazy.quantize(dtype).unwrap();
            let found = values(&(small.dequantize() * 0.5));
            let wanted = [&numbers[..512], &numbers[1024..]].concat();
            assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < most), "{dtype}");
        }
        let whole = array(&device, I32, &[32], &vec![5.0; 32]).quantize(Q8_0).unwrap();
        assert!(values(&whole.dequantize()).iter().all(|x| (x - 5.0).abs() < 0.01));
        let none = Array::zeros(&device, &[0, 32], F32).quantize(Q4_0).unwrap();
        assert!(values(&none.dequantize()).is_empty());
    }
}

#[test]
fn linear_layers_take_them_as_they_are() {
    for device in [common::reference(), common::cpu()] {
        let weight = array(&device, F32, &[20, 256], &waves(20 * 256)).quantize(Q4_K).unwrap();
        let x = array(&device, F32, &[2, 3, 256], &waves(2 * 3 * 256));
        let wanted = x.matmul(&weight.dequantize().transpose());
        let found = (&x * 1.0).linear(&weight);
        assert_eq!(found.dims(), [2, 3, 20]);
        let off = values(&(&found - &wanted)).into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let size = values(&wanted).into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        assert!(off < 0.02 * size, "{off} of {size}");
        assert!(x.linear(&weight).explain().contains("linear (f32 [2, 3, 256] of memory)"));
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let (device, other) = (common::reference(), common::cpu());
    let x = Array::ones(&device, &[2, 40], F32);
    let text = x.quantize(Q4_0).unwrap_err().to_string();
    assert!(
        text.contains("quantize: rows have 40 elements, but must be a multiple of 32")
            && text.contains("[2, 40]"),
        "{text}"
    );
    assert!(x.quantize(F16).is_err());
    assert!(Array::ones(&device, &[], F32).quantize(Q4_0).is_err());
    assert!((&x + &Array::ones(&device, &[3], F32)).quantize(Q4_0).is_err());
    let weight = Array::ones(&device, &[5, 64], F32).quantize(Q8_0).unwrap();
    let text = x.linear(&weight).check().unwrap_err().to_string();
    assert!(text.contains("weight: q8_0 [5, 64]"), "{text}");
    assert!(Array::ones(&other, &[2, 64], F32).linear(&weight).check().is_err());
    let deep = Array::ones(&device, &[2, 5, 64], F32).quantize(Q8_0).unwrap();
    assert!(Array::ones(&device, &[64], F32).linear(&deep).check().is_err());
    assert!(Quantized::from_view(&device, &x.view().unwrap()).is_err());
    assert!(Quantized::from_view(&other, weight.view()).is_err());
    assert!(Quantized::from_view(&device, weight.view()).is_ok());
}
