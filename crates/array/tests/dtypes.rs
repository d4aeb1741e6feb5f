//! Every dtype through what arrays do with it, on the reference and on the CPU: against sums and
//! quotients of whole numbers that are wide enough.

mod common;

use bessemer_array::{Array, Item, promote};
use bessemer_core::{Complex, DType, Device};
use common::{array, values};
use std::sync::Arc;

fn devices() -> [Arc<dyn Device>; 2] {
    [common::reference(), common::cpu()]
}

const INTEGERS: [DType; 8] =
    [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64];

/// The least and the most of an integer dtype.
fn range(dtype: DType) -> (i128, i128) {
    let bits = 8 * dtype.block_bytes() as u32;
    match dtype.is_signed_integer() {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    }
}

/// What is left of a whole number in the bits of a dtype.
fn wrap(dtype: DType, x: i128) -> i128 {
    let (least, most) = range(dtype);
    (x - least).rem_euclid(most - least + 1) + least
}

/// Whole numbers as an array.
fn whole(device: &Arc<dyn Device>, dtype: DType, numbers: &[i128]) -> Array {
    fn of<T: Item>(device: &Arc<dyn Device>, numbers: &[i128], of: fn(i128) -> T) -> Array {
        let items: Vec<T> = numbers.iter().map(|&x| of(x)).collect();
        Array::from_slice(device, &items, &[items.len()]).unwrap()
    }
    match dtype {
        DType::I8 => of(device, numbers, |x| x as i8),
        DType::I16 => of(device, numbers, |x| x as i16),
        DType::I32 => of(device, numbers, |x| x as i32),
        DType::I64 => of(device, numbers, |x| x as i64),
        DType::U8 => of(device, numbers, |x| x as u8),
        DType::U16 => of(device, numbers, |x| x as u16),
        DType::U32 => of(device, numbers, |x| x as u32),
        _ => of(device, numbers, |x| x as u64),
    }
}

/// An array as whole numbers.
fn numbers(array: &Array) -> Vec<i128> {
    fn of<T: Item + Into<i128>>(array: &Array) -> Vec<i128> {
        array.to_vec::<T>().unwrap().into_iter().map(T::into).collect()
    }
    match array.dtype() {
        DType::I8 => of::<i8>(array),
        DType::I16 => of::<i16>(array),
        DType::I32 => of::<i32>(array),
        DType::I64 => of::<i64>(array),
        DType::U8 => of::<u8>(array),
        DType::U16 => of::<u16>(array),
        DType::U32 => of::<u32>(array),
        DType::U64 => of::<u64>(array),
        dtype => panic!("{dtype} is no integer"),
    }
}

/// Every pair of numbers at the ends and around zero.
fn pairs(dtype: DType) -> (Vec<i128>, Vec<i128>) {
    let (least, most) = range(dtype);
    let ends = [least, least + 1, -7, -2, -1, 0, 1, 2, 3, 10, most / 3, most - 1, most];
    let ends: Vec<i128> = ends.into_iter().filter(|&x| least <= x && x <= most).collect();
    let pairs = ends.iter().flat_map(|&a| ends.iter().map(move |&b| (a, b)));
    pairs.unzip()
}

#[test]
fn integers_wrap_divide_and_shift() {
    type Op = (&'static str, fn(&Array, &Array) -> Array, fn(DType, i128, i128) -> i128);
    let ops: [Op; 12] = [
        ("add", |a, b| a + b, |_, x, y| x + y),
        ("sub", |a, b| a - b, |_, x, y| x - y),
        ("mul", |a, b| a * b, |_, x, y| x.wrapping_mul(y)),
        ("div", |a, b| a / b, |_, x, y| if y == 0 { 0 } else { x / y }),
        ("rem", |a, b| a % b, |_, x, y| if y == 0 { 0 } else { x % y }),
        (
            "floor_divide",
            |a, b| a.floor_divide(b),
            |_, x, y| match y {
                0 => 0,
                _ => {
                    (x - x.rem_euclid(y.abs())) / y
                        - i128::from(x.rem_euclid(y.abs()) != 0 && y < 0)
                }
            },
        ),
        (
            "remainder",
            |a, b| a.remainder(b),
            |_, x, y| match y {
                0 => 0,
                _ if y < 0 => -(-x).rem_euclid(-y),
                _ => x.rem_euclid(y),
            },
        ),
        (
            "shl",
            |a, b| a.shl(b),
            |dtype, x, y| match y {
                0..64 if y < 8 * dtype.block_bytes() as i128 => x << y,
                _ => 0,
            },
        ),
        (
            "shr",
            |a, b| a.shr(b),
            |_, x, y| match y {
                0..100 => x >> y,
                _ => x >> 100,
            },
        ),
        ("maximum", |a, b| a.maximum(b), |_, x, y| x.max(y)),
        ("xor", |a, b| a ^ b, |_, x, y| x ^ y),
        (
            "chain",
            |a, b| -((a + b).abs() - a * b) / 3,
            |dtype, x, y| {
                let size = wrap(dtype, wrap(dtype, x + y).abs());
                wrap(dtype, -(wrap(dtype, size - wrap(dtype, x.wrapping_mul(y))))) / 3
            },
        ),
    ];
    for device in devices() {
        for dtype in INTEGERS {
            let (x, y) = pairs(dtype);
            let (a, b) = (whole(&device, dtype, &x), whole(&device, dtype, &y));
            for (name, op, meaning) in &ops {
                let found = numbers(&op(&a, &b));
                let wanted = x.iter().zip(&y).map(|(&x, &y)| wrap(dtype, meaning(dtype, x, y)));
                for ((found, wanted), pair) in found.iter().zip(wanted).zip(x.iter().zip(&y)) {
                    assert_eq!(*found, wanted, "{name} of {pair:?}, {dtype} on {device:?}");
                }
            }
            let less = x.iter().zip(&y).map(|(x, y)| x < y).collect::<Vec<_>>();
            assert_eq!(a.lt(&b).to_vec::<bool>().unwrap(), less, "{dtype}");
            assert_eq!(numbers(&!&a), x.iter().map(|&x| wrap(dtype, !x)).collect::<Vec<_>>());
            assert_eq!(numbers(&a.sign()), x.iter().map(|x| x.signum()).collect::<Vec<_>>());
        }
    }
}

#[test]
fn totals_have_64_bits() {
    for device in devices() {
        for dtype in INTEGERS {
            let (x, _) = pairs(dtype);
            let a = whole(&device, dtype, &x);
            let total = if dtype.is_signed_integer() { DType::I64 } else { DType::U64 };
            let sum = a.sum_all();
            assert_eq!(sum.dtype(), total);
            assert_eq!(numbers(&sum), [wrap(total, x.iter().sum())], "{dtype}");
            let some = &x[..5.min(x.len())];
            let product = whole(&device, dtype, some).prod_all();
            let wanted = some.iter().fold(1i128, |all, x| wrap(total, all.wrapping_mul(*x)));
            assert_eq!(numbers(&product), [wanted], "{dtype}");
            assert_eq!(numbers(&a.max_all()), [range(dtype).1]);
            assert_eq!(a.argmax(..).dtype(), DType::I64);
            let last = x.iter().position(|&x| x == range(dtype).1).unwrap();
            assert_eq!(a.argmax(..).item::<i64>().unwrap(), last as i64);
            assert_eq!(a.mean_all().dtype(), DType::F32);
        }
        let many = Array::full(&device, &[1000], i32::MAX, DType::I32);
        assert_eq!(many.sum_all().item::<i64>().unwrap(), i64::from(i32::MAX) * 1000);
        assert_eq!(many.gt(0).sum_all().item::<i64>().unwrap(), 1000);
    }
}

#[test]
fn casts_keep_low_bits_and_saturate_floats() {
    for device in devices() {
        for from in INTEGERS {
            let (x, _) = pairs(from);
            let a = whole(&device, from, &x);
            for to in INTEGERS {
                let wanted: Vec<i128> = x.iter().map(|&x| wrap(to, x)).collect();
                assert_eq!(numbers(&a.astype(to)), wanted, "{from} to {to}");
                // Of a number that is the same everywhere, too.
                let one = Array::full(&device, &[1], range(from).1 as u64, from).astype(to);
                assert_eq!(numbers(&one), [wrap(to, range(from).1)], "{from} to {to}");
            }
            let doubles: Vec<f64> = x.iter().map(|&x| x as f64).collect();
            assert_eq!(a.astype(DType::F64).to_vec::<f64>().unwrap(), doubles);
            let singles: Vec<f32> = x.iter().map(|&x| x as f32).collect();
            assert_eq!(a.astype(DType::F32).to_vec::<f32>().unwrap(), singles);
        }
        let floats = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 2.9, -2.9];
        let a = Array::new(&device, floats).unwrap();
        for to in INTEGERS {
            let (least, most) = range(to);
            let wanted = floats.map(|x| (x as i128).clamp(least, most));
            assert_eq!(numbers(&a.astype(to)), wanted, "{to}");
        }
    }
}

/// Arithmetic of any two dtypes is that of the dtype they have in common.
#[test]
fn any_two_dtypes() {
    let device = common::cpu();
    let of = |dtype: DType| {
        let numbers = if dtype.is_complex() { vec![3.0, 0.0, 1.0, 0.0] } else { vec![3.0, 1.0] };
        array(&device, dtype, &[2], &numbers)
    };
    for a in DType::PLAIN {
        for b in DType::PLAIN {
            let sum = of(a) + of(b);
            match promote(a, b) {
                None => {
                    let error = sum.check().unwrap_err().to_string();
                    assert!(error.contains("astype"), "{error}");
                }
                Some(dtype) => {
                    assert_eq!(sum.dtype(), dtype, "{a} + {b}");
                    let truth = |dtype| if dtype == DType::Bool { [1.0, 1.0] } else { [3.0, 1.0] };
                    let wanted = match dtype {
                        DType::Bool => [1.0, 1.0],
                        _ => [truth(a)[0] + truth(b)[0], 2.0],
                    };
                    assert_eq!(values(&sum.real()), wanted, "{a} + {b}");
                }
            }
        }
    }
}

#[test]
fn doubles_are_doubles() {
    for device in devices() {
        let x: Vec<f64> = (1..60).map(|i| 0.1 * f64::from(i)).collect();
        let a = Array::new(&device, x.as_slice()).unwrap();
        assert_eq!(a.dtype(), DType::F64);
        let near = |found: Array, wanted: fn(f64) -> f64| {
            for (found, x) in found.to_vec::<f64>().unwrap().iter().zip(&x) {
                let wanted = wanted(*x);
                assert!((found - wanted).abs() <= 4e-15 * wanted.abs(), "{found} {wanted}");
            }
        };
        near(a.exp(), f64::exp);
        near(a.log(), f64::ln);
        near(a.sin() * a.cos(), |x| x.sin() * x.cos());
        near((&a + 1).pow(0.3) / 7, |x| (x + 1.0).powf(0.3) / 7.0);
        assert_eq!((&a * 2.5f32).dtype(), DType::F64);
        assert_eq!((&a + &a.astype(DType::F32)).dtype(), DType::F64);
        let sum: f64 = x.iter().sum();
        assert!((a.sum_all().item::<f64>().unwrap() - sum).abs() < 1e-12);
        let total = a.softmax(0).sum_all().item::<f64>().unwrap();
        assert!((total - 1.0).abs() < 1e-15);
        let (m, n) = (a.reshape(&[59, 1]), a.reshape(&[1, 59]));
        let product = n.matmul(&m).item::<f64>().unwrap();
        assert!((product - x.iter().map(|x| x * x).sum::<f64>()).abs() < 1e-11);
    }
}

#[test]
fn floor_division_of_floats() {
    // a, b, a // b, a % b, as Python gives them; by 0, NumPy; with infinities, the array API standard.
    let cases: [[f64; 4]; 15] = [
        [7.5, 2.0, 3.0, 1.5],
        [-7.5, 2.0, -4.0, 0.5],
        [7.5, -2.0, -4.0, -0.5],
        [-7.5, -2.0, 3.0, -1.5],
        [1.0, 0.1, 9.0, 0.09999999999999995],
        [6.0, 3.0, 2.0, 0.0],
        [-6.0, 3.0, -2.0, 0.0],
        [0.0, 3.0, 0.0, 0.0],
        [-1.0, f64::INFINITY, -0.0, f64::INFINITY],
        [1.0, f64::INFINITY, 0.0, 1.0],
        [f64::INFINITY, 2.0, f64::INFINITY, f64::NAN],
        [f64::INFINITY, -2.0, f64::NEG_INFINITY, f64::NAN],
        [1.0, 0.0, f64::INFINITY, f64::NAN],
        [-1.0, 0.0, f64::NEG_INFINITY, f64::NAN],
        [0.0, 0.0, f64::NAN, f64::NAN],
    ];
    for device in devices() {
        let column = |i: usize| Array::new(&device, cases.map(|case| case[i]).as_slice()).unwrap();
        let (a, b) = (column(0), column(1));
        let (quotient, rest) = (values(&a.floor_divide(&b)), values(&a.remainder(&b)));
        for (i, case) in cases.iter().enumerate() {
            for (found, wanted) in [(quotient[i], case[2]), (rest[i], case[3])] {
                let same = found == wanted || found.is_nan() && wanted.is_nan();
                assert!(same, "{case:?}: {found} on {device:?}");
            }
        }
        let zeros = Array::new(&device, [-0.0f64, 3.0]).unwrap().remainder(-3.0);
        assert!(values(&zeros).iter().all(|zero| zero.is_sign_negative()));
    }
}

#[test]
fn indices_of_any_integer_dtype() {
    for device in devices() {
        let table = Array::arange(&device, 10, 15, 1);
        for dtype in INTEGERS {
            let indices = whole(&device, dtype, &[0, 4, 2]);
            assert_eq!(values(&table.take(&indices, 0)), [10.0, 14.0, 12.0], "{dtype}");
        }
        let far = whole(&device, DType::I64, &[-1, -5, -6, 1 << 32, i64::MIN.into()]);
        assert_eq!(values(&table.take(&far, 0)), [14.0, 10.0, 0.0, 0.0, 0.0]);
        let far = whole(&device, DType::U64, &[4, u64::MAX.into(), 1 << 63]);
        assert_eq!(values(&table.take(&far, 0)), [14.0, 0.0, 0.0]);
    }
}

#[test]
fn numbers_beside_arrays_are_exact() {
    let device = common::cpu();
    let a = Array::new(&device, [0u64, 1]).unwrap();
    assert_eq!((&a + u64::MAX).to_vec::<u64>().unwrap(), [u64::MAX, 0]);
    assert_eq!((&a + (u64::MAX - 1)).eq(u64::MAX).to_vec::<bool>().unwrap(), [false, true]);
    let error = (&a + -1).check().unwrap_err().to_string();
    assert!(error.contains("-1 is out of range for u64"), "{error}");
    let b = Array::full(&device, &[2], i64::MIN + 1, DType::I64);
    assert_eq!((b - 1).to_vec::<i64>().unwrap(), [i64::MIN; 2]);
    assert_eq!((Array::new(&device, [1i8]).unwrap() * 2.5).dtype(), DType::F32);
    assert_eq!((Array::new(&device, [1.0f64]).unwrap() * 2.5).dtype(), DType::F64);
    let z = Array::new(&device, [1u8]).unwrap() * Complex::new(0.0, 2.0);
    assert_eq!(z.to_vec::<Complex<f32>>().unwrap(), [Complex::new(0.0, 2.0)]);
}
