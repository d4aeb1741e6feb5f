//! Slices, shapes and orders, against Python and against a model that walks over indices.

mod common;

use bessemer_array::{Array, Index, s};
use bessemer_core::{DType, Shape};
use common::values;

#[test]
fn slices_as_python_cuts_them() {
    let device = common::reference();
    let a = Array::arange(&device, 0, 5, 1);
    for line in include_str!("fixtures/slices.txt").lines() {
        let (given, wanted) = line.split_once('|').unwrap();
        let given: Vec<Option<isize>> = given.split_whitespace().map(|x| x.parse().ok()).collect();
        let [start, end, Some(step)] = given[..] else {
            panic!("{line}");
        };
        let wanted: Vec<f64> = wanted.split_whitespace().map(|x| x.parse().unwrap()).collect();
        let found = a.slice([Index::Range { start, end, step }]);
        assert_eq!(values(&found), wanted, "{line}");
    }
}

#[test]
fn shapes_broadcast_as_numpys() {
    let device = common::reference();
    for line in include_str!("fixtures/broadcast.txt").lines() {
        let shapes: Vec<_> = line.split('|').map(str::trim).collect();
        let dims = |text: &str| -> Vec<usize> {
            text.split_whitespace().map(|x| x.parse().unwrap()).collect()
        };
        let a = Array::ones(&device, &dims(shapes[0]), DType::F32);
        let b = Array::ones(&device, &dims(shapes[1]), DType::F32);
        let sum = &a + &b;
        if shapes[2] == "error" {
            assert!(sum.check().is_err(), "{line}");
        } else {
            assert_eq!(sum.dims(), dims(shapes[2]), "{line}");
        }
    }
}

type Look = fn(&Array) -> Array;

#[test]
fn of_known_and_of_lazy_arrays_alike() {
    for device in [common::reference(), common::cpu()] {
        let known = Array::arange(&device, 0, 24, 1).reshape(&[2, 3, 4]);
        let lazy = &known + 0;
        let views: &[(&str, Look)] = &[
            ("slice", |a| a.slice(s![1, ..; -1, 1..; 2])),
            ("index", |a| a.slice(s![.., -1])),
            ("new axis", |a| a.slice(s![..., NewAxis, 3])),
            ("empty", |a| a.slice(s![.., 2..1])),
            ("transpose", |a| a.transpose()),
            ("permute", |a| a.permute(&[1, -1, 0])),
            ("swap", |a| a.swap_axes(0, -1)),
            ("reshape", |a| a.transpose().reshape(&[6, -1])),
            ("broadcast", |a| a.slice(s![.., .., 1..2]).broadcast_to(&[2, 2, 3, 5])),
            ("flip", |a| a.flip([0, 2])),
            ("squeeze", |a| a.slice(s![.., 1..2, ..]).squeeze([1])),
            ("expand", |a| a.expand_dims(-1).flip([]).expand_dims(0)),
        ];
        for (name, view) in views {
            let (a, b) = (view(&known), view(&lazy));
            assert_eq!(a.shape(), b.shape(), "{name}");
            assert_eq!(values(&a), values(&b), "{name}");
            let c = &view(&(&known * 2)) - &a;
            assert_eq!(values(&c), values(&a), "{name} in a sum");
            let sum = view(&(&known + 1)).sum_all();
            assert_eq!(values(&sum), [values(&a).iter().map(|x| x + 1.0).sum::<f64>()], "{name}");
        }
    }
}

#[test]
fn elements_are_where_the_model_says() {
    let device = common::reference();
    let a = Array::arange(&device, 0, 24, 1).reshape(&[2, 3, 4]);
    let at = |i: usize, j: usize, k: usize| (i * 12 + j * 4 + k) as f64;
    let t = values(&a.permute(&[2, 0, 1]));
    let f = values(&a.flip([1]));
    for (i, j, k) in (0..24).map(|n| (n / 12, n / 4 % 3, n % 4)) {
        assert_eq!(t[k * 6 + i * 3 + j], at(i, j, k));
        assert_eq!(f[i * 12 + (2 - j) * 4 + k], at(i, j, k));
    }
    assert_eq!(values(&a.at(-1).at(0).at(2)), [at(1, 0, 2)]);
    assert_eq!(*a.flatten().shape(), Shape::new(&[24]).unwrap());
}

#[test]
fn joining_and_splitting() {
    for device in [common::reference(), common::cpu()] {
        let a = Array::arange(&device, 0, 6, 1).reshape(&[2, 3]);
        let b = Array::full(&device, &[2, 2], 0.5, DType::F32);
        let c = Array::concat(&[&(&a * 2), &b, &a.slice(s![.., ..; -1])], 1).unwrap();
        assert_eq!(c.dtype(), DType::F32);
        let wanted =
            [0.0, 2.0, 4.0, 0.5, 0.5, 2.0, 1.0, 0.0, 6.0, 8.0, 10.0, 0.5, 0.5, 5.0, 4.0, 3.0];
        assert_eq!(values(&c), wanted);
        let parts = c.split(&[3, 2, 0, 3], -1).unwrap();
        assert_eq!(values(&parts[0]), values(&(&a * 2)));
        assert_eq!(parts[2].elements(), 0);
        let s = Array::stack(&[&a, &a, &a], 1).unwrap();
        assert_eq!(s.dims(), [2, 3, 3]);
        assert_eq!(values(&s.slice(s![.., 2])), values(&a));
        assert!(Array::concat(&[], 0).is_err());
        assert!(Array::stack(&[&a, &b], 0).is_err());
        assert!(c.split(&[3, 2], 1).is_err());
        assert!(c.split(&[usize::MAX, 2], 1).is_err());
    }
}

#[test]
fn taking_by_index() {
    for device in [common::reference(), common::cpu()] {
        let a = Array::arange(&device, 0, 12, 1).reshape(&[3, 4]) * 1.0;
        let rows = Array::new(&device, [[2u8, 0], [1, 2]]).unwrap();
        let taken = a.take(&rows, 0);
        assert_eq!(taken.dims(), [2, 2, 4]);
        assert_eq!(values(&taken.slice(s![1, 0])), [4.0, 5.0, 6.0, 7.0]);
        let columns = Array::new(&device, [-1, 0]).unwrap();
        assert_eq!(values(&a.take(&(&columns + 0), -1)), [3.0, 0.0, 7.0, 4.0, 11.0, 8.0]);
        let far = Array::new(&device, [100]).unwrap();
        assert!(values(&a.take(&far, 0)).iter().all(|x| x.is_nan()));
        assert!(a.take(&(a.gt(1)), 0).check().is_err());
        assert!(a.take(&columns, 2).check().is_err());
    }
}
