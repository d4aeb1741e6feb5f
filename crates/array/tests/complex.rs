//! Complex arrays against the complex numbers of `num-complex`, in double precision.

mod common;

use bessemer_array::Array;
use bessemer_core::{Complex, DType, Device};
use std::sync::Arc;

type Single = Complex<f32>;
type Double = Complex<f64>;

fn devices() -> [Arc<dyn Device>; 2] {
    [common::reference(), common::cpu()]
}

/// Numbers of all sizes in all quadrants, on the axes too.
fn numbers() -> Vec<Single> {
    let sizes = [0.0f32, 1e-20, 0.3, 1.0, 2.5, 7.0];
    let parts = sizes.into_iter().flat_map(|x| [x, -x]);
    let numbers = parts.clone().flat_map(|re| parts.clone().map(move |im| Single::new(re, im)));
    numbers.filter(|z| *z != Single::new(0.0, 0.0)).collect()
}

fn wide(z: &Single) -> Double {
    Double::new(z.re.into(), z.im.into())
}

#[track_caller]
fn near(what: &str, found: &Array, z: &[Double], wanted: impl Fn(Double) -> Double) {
    for (found, z) in found.to_vec::<Single>().unwrap().iter().zip(z) {
        let (found, wanted) = (wide(found), wanted(*z));
        let error = (found - wanted).norm();
        assert!(error <= 1e-6 * wanted.norm() + 1e-30, "{what} of {z}: {found}, not {wanted}");
    }
}

#[test]
fn functions() {
    let numbers = numbers();
    let wide: Vec<Double> = numbers.iter().map(wide).collect();
    for device in devices() {
        let z = Array::new(&device, numbers.as_slice()).unwrap();
        assert_eq!(z.dtype(), DType::Complex64);
        near("exp", &z.exp(), &wide, |z| z.exp());
        near("sqrt", &z.sqrt(), &wide, |z| z.sqrt());
        near("sin", &z.sin(), &wide, |z| z.sin());
        near("cos", &z.cos(), &wide, |z| z.cos());
        near("tanh", &z.tanh(), &wide, |z| z.tanh());
        near("tan", &z.tan(), &wide, |z| z.tan());
        near("recip", &z.recip(), &wide, |z| z.inv());
        near("neg", &-&z, &wide, |z| -z);
        near("square", &z.square(), &wide, |z| z * z);
        near("conj", &z.conj(), &wide, |z| z.conj());
        near("sign", &z.sign(), &wide, |z| z / z.norm());
        near("pow", &z.pow(Complex::new(1.5f32, -0.5)), &wide, |z| z.powc(Double::new(1.5, -0.5)));
        for (found, z) in z.log().to_vec::<Single>().unwrap().iter().zip(&wide) {
            let wanted = z.ln();
            assert!((found.re as f64 - wanted.re).abs() < 1e-5 + 1e-6 * wanted.re.abs());
            assert!((found.im as f64 - wanted.im).abs() < 1e-6, "{z}: {found}");
        }
        for (found, z) in z.abs().to_vec::<f32>().unwrap().iter().zip(&wide) {
            assert!((f64::from(*found) - z.norm()).abs() <= 3e-7 * z.norm(), "{z}: {found}");
        }
    }
}

#[test]
fn arithmetic_broadcasts_and_fuses() {
    let numbers = numbers();
    let wide: Vec<Double> = numbers.iter().map(wide).collect();
    for device in devices() {
        let z = Array::new(&device, numbers.as_slice()).unwrap();
        let w = Array::new(&device, [Complex::new(0.5f32, -2.0)]).unwrap();
        let d = Double::new(0.5, -2.0);
        near("add", &(&z + &w), &wide, |z| z + d);
        near("sub", &(&w - &z), &wide, |z| d - z);
        near("mul", &(&z * &w), &wide, |z| z * d);
        near("div", &(&z / &w), &wide, |z| z / d);
        near("turned", &(&w / &z), &wide, |z| d / z);
        near("real beside", &(2 * &z + 1.5), &wide, |z| z * 2.0 + 1.5);
        let chain = (&z * &w + &z).exp() * Complex::new(0.0, 1.0);
        near("chain", &chain.slice([(..).into()]), &wide, |z| (z * d + z).exp() * Double::i());
        assert!(chain.explain().matches('#').count() <= 2, "{}", chain.explain());
        // Strided and turned views of memory.
        let every = z.reshape(&[-1, 10]).transpose();
        let again = (&every * 1).transpose().flatten();
        near("views", &again, &wide, |z| z);
        assert!(every.eq(&every).all(..).item::<bool>().unwrap());
        assert!(z.ne(0).all(..).item::<bool>().unwrap());
        let picked = Array::where_(&z.real().gt(0), &z, Complex::new(0.0f32, 0.0));
        near("where", &picked, &wide, |z| if z.re > 0.0 { z } else { Double::default() });
    }
}

#[test]
fn infinities() {
    for device in devices() {
        let inf = f32::INFINITY;
        let z =
            Array::new(&device, [Complex::new(inf, f32::NAN), Complex::new(3e38, 3e38)]).unwrap();
        let sizes = z.abs().to_vec::<f32>().unwrap();
        assert!(sizes[0] == inf && sizes[1] == inf, "{sizes:?}");
        let far =
            Array::new(&device, [Complex::new(100.0f32, 1.0), Complex::new(-inf, 1.0)]).unwrap();
        let tanh = far.tanh().to_vec::<Single>().unwrap();
        assert_eq!((tanh[0].re, tanh[1].re), (1.0, -1.0));
        let exp = far.exp().to_vec::<Single>().unwrap();
        assert_eq!(exp[1], Complex::new(0.0, 0.0));
        let large = Array::new(&device, Complex::new(1e30f32, -1e30)).unwrap();
        let one = (&large / &large).item::<Single>().unwrap();
        assert_eq!(one, Complex::new(1.0, 0.0));
    }
}

#[test]
fn reductions_and_products() {
    let numbers: Vec<Single> =
        (0..35).map(|i| Single::new(0.9 - 0.01 * i as f32, 0.02 * i as f32)).collect();
    let wide: Vec<Double> = numbers.iter().map(wide).collect();
    for device in devices() {
        let z = Array::from_slice(&device, &numbers, &[5, 7]).unwrap();
        let total = |fold: fn(Double, Double) -> Double, first: Double| {
            wide.iter().fold(first, |a, b| fold(a, *b))
        };
        let sum = total(|a, b| a + b, Double::default());
        near("sum", &z.sum_all(), &[sum], |sum| sum);
        near("mean", &z.mean_all(), &[sum / 35.0], |mean| mean);
        let product = total(|a, b| a * b, Double::new(1.0, 0.0));
        near("prod", &z.prod_all(), &[product], |product| product);
        let rows: Vec<Double> = wide.chunks(7).map(|row| row.iter().product()).collect();
        near("prod of rows", &z.prod_keepdim(1), &rows, |row| row);
        assert_eq!(z.prod_keepdim(1).dims(), [5, 1]);
        let none = Array::zeros(&device, &[0, 2], DType::Complex64).prod(0);
        assert_eq!(none.to_vec::<Single>().unwrap(), [Complex::new(1.0, 0.0); 2]);
        let square = z.matmul(&z.transpose());
        let wanted: Vec<Double> = (0..25)
            .map(|i| (0..7).map(|k| wide[i / 5 * 7 + k] * wide[i % 5 * 7 + k]).sum())
            .collect();
        near("matmul", &square.flatten(), &wanted, |z| z);
        assert!(z.any(..).item::<bool>().unwrap());
        assert!(z.max_all().check().is_err());
        let joined = Array::concat(&[&z, &z.conj()], 0).unwrap();
        assert_eq!(joined.imag().sum_all().item::<f32>().unwrap(), 0.0);
        let index = Array::new(&device, [4, 0]).unwrap();
        let rows = z.take(&index, 0).real().slice([(..).into(), 0.into()]);
        assert_eq!(rows.to_vec::<f32>().unwrap(), [numbers[28].re, numbers[0].re]);
    }
}
