//! Operators, promotion, casts, and what happens at the edges of each dtype.

mod common;

use bessemer_array::{Array, Scalar};
use bessemer_core::DType::{self, BF16, Bool, F16, F32, I32, U8, U32};
use common::{array, values};

fn devices() -> [std::sync::Arc<dyn bessemer_core::Device>; 2] {
    [common::reference(), common::cpu()]
}

#[test]
fn operators_by_value_by_reference_and_with_numbers() {
    for device in devices() {
        let a = array(&device, F32, &[3], &[1.0, 2.0, 3.0]);
        let b = array(&device, F32, &[3], &[10.0, 20.0, 40.0]);
        assert_eq!(values(&(&a + &b)), [11.0, 22.0, 43.0]);
        assert_eq!(values(&(a.clone() + &b)), [11.0, 22.0, 43.0]);
        assert_eq!(values(&(&a + b.clone())), [11.0, 22.0, 43.0]);
        assert_eq!(values(&(a.clone() - b.clone())), [-9.0, -18.0, -37.0]);
        assert_eq!(
            values(&(&b / &a)),
            [10.0, 10.0, 40.0f32 as f64 / 3.0].map(|x| f64::from(x as f32))
        );
        assert_eq!(values(&(&b % 7)), [3.0, 6.0, 5.0]);
        assert_eq!(values(&(1.5 - &a)), [0.5, -0.5, -1.5]);
        assert_eq!(values(&(2 * &a)), [2.0, 4.0, 6.0]);
        assert_eq!(values(&(Scalar::from(6.0f32) / a.clone())), [6.0, 3.0, 2.0]);
        assert_eq!(values(&(50 % &b)), [0.0, 10.0, 10.0]);
        assert_eq!(values(&-&a), [-1.0, -2.0, -3.0]);
        let mut c = a.clone();
        c += &b;
        c *= 2;
        c -= a.clone();
        c /= 1.0;
        assert_eq!(values(&c), [21.0, 42.0, 83.0]);
    }
}

#[test]
fn arrays_promote() {
    let device = common::cpu();
    let of = |dtype| array(&device, dtype, &[2], &[1.0, 3.0]);
    for (a, b, wanted) in [
        (U8, I32, I32),
        (Bool, U8, U8),
        (U8, F16, F16),
        (I32, F16, F32),
        (F16, BF16, F32),
        (BF16, U8, BF16),
        (U32, F32, F32),
        (I32, U32, DType::I64),
        (DType::I8, U8, DType::I16),
        (DType::I64, F16, F32),
        (DType::U64, DType::F64, DType::F64),
        (DType::I16, BF16, F32),
    ] {
        let sum = &of(a) + &of(b);
        assert_eq!(sum.dtype(), wanted, "{a} + {b}");
        let wanted = if a == Bool { [2.0, 4.0] } else { [2.0, 6.0] };
        assert_eq!(values(&sum), wanted, "{a} + {b}");
    }
    let error = (&of(I32) * &of(DType::U64)).check().unwrap_err().to_string();
    assert!(error.contains("i32 and u64 have no common dtype"), "{error}");
    assert!(error.contains("a: i32 [2], b: u64 [2]"), "{error}");
}

#[test]
fn numbers_are_weak() {
    let device = common::cpu();
    let of = |dtype| array(&device, dtype, &[1], &[1.0]);
    for (dtype, with_integer, with_float) in
        [(Bool, I32, F32), (U8, U8, F32), (I32, I32, F32), (F16, F16, F16), (BF16, BF16, BF16)]
    {
        assert_eq!((of(dtype) + 2).dtype(), with_integer);
        assert_eq!((2.5 * of(dtype)).dtype(), with_float);
        assert_eq!(of(dtype).eq(true).dtype(), Bool);
    }
    for (result, what) in [
        (of(U8) + 300, "300 is out of range for u8"),
        (of(U32) * -1, "-1 is out of range for u32"),
        (Scalar::from(3_000_000_000u32) - of(I32), "3000000000 is out of range for i32"),
    ] {
        let error = result.check().unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn integers_wrap_and_division_by_zero_gives_zero() {
    for device in devices() {
        let a = array(&device, I32, &[4], &[2147483647.0, -2147483648.0, 7.0, -7.0]);
        assert_eq!(values(&(&a + 1)), [-2147483648.0, -2147483647.0, 8.0, -6.0]);
        assert_eq!(values(&(&a / 0)), [0.0; 4]);
        assert_eq!(values(&(&a % 0)), [0.0; 4]);
        assert_eq!(values(&(&a / 2)), [1073741823.0, -1073741824.0, 3.0, -3.0]);
        assert_eq!(values(&(&a % 4)), [3.0, 0.0, 3.0, -3.0]);
        assert_eq!(values(&(&a / -1)), [-2147483647.0, -2147483648.0, -7.0, 7.0]);
        assert_eq!(values(&a.abs()), [2147483647.0, -2147483648.0, 7.0, 7.0]);
        let b = array(&device, U8, &[3], &[250.0, 3.0, 0.0]);
        // Within one program, too, a byte has eight bits.
        assert_eq!(values(&((&b + 10) / 2)), [2.0, 6.0, 5.0]);
        assert_eq!(values(&(&b - 4)), [246.0, 255.0, 252.0]);
        assert_eq!(values(&(&b * 2).gt(100)), [1.0, 0.0, 0.0]);
        assert_eq!(values(&-&b), [6.0, 253.0, 0.0]);
        assert_eq!(values(&(!&b).astype(I32)), [5.0, 252.0, 255.0]);
        let c = array(&device, U32, &[2], &[0.0, 4294967295.0]);
        assert_eq!(values(&(&c - 1)), [4294967295.0, 4294967294.0]);
        assert_eq!(values(&c.sign()), [0.0, 1.0]);
    }
}

#[test]
fn casts() {
    for device in devices() {
        let special = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.9, 1e10, 300.7];
        let a = array(&device, F32, &[6], &special);
        let (max, min) = (2147483647.0, -2147483648.0);
        assert_eq!(values(&a.astype(I32)), [0.0, max, min, -1.0, max, 300.0]);
        assert_eq!(values(&a.astype(U32)), [0.0, 4294967295.0, 0.0, 0.0, 4294967295.0, 300.0]);
        assert_eq!(values(&a.astype(U8)), [0.0, 255.0, 0.0, 0.0, 255.0, 255.0]);
        assert_eq!(values(&a.astype(Bool)), [1.0; 6]);
        assert_eq!(values(&a.astype(F16))[4..], [f64::INFINITY, 300.75]);
        let b = array(&device, I32, &[4], &[-1.0, 256.0, 255.0, 0.0]);
        assert_eq!(values(&b.astype(U8)), [255.0, 0.0, 255.0, 0.0]);
        assert_eq!(values(&b.astype(U32)), [4294967295.0, 256.0, 255.0, 0.0]);
        assert_eq!(values(&b.astype(Bool)), [1.0, 1.0, 1.0, 0.0]);
        assert_eq!(values(&b.astype(Bool).astype(F32)), [1.0, 1.0, 1.0, 0.0]);
        // Rounding is not skipped by fusion.
        let c = array(&device, F32, &[2], &[1.0009765, 1e5]);
        assert_eq!(values(&(c.astype(F16).astype(F32) + 0.0)), [1.0009765625, f64::INFINITY]);
        assert_eq!(values(&(c.astype(BF16).astype(F32) * 1.0)), [1.0, 99840.0]);
        // Constants follow the same rules.
        let d = Array::full(&device, &[1], -1, I32);
        assert_eq!(values(&d.astype(U8)), [255.0]);
        assert_eq!(values(&Array::full(&device, &[1], f64::NAN, F32).astype(I32)), [0.0]);
    }
}

#[test]
fn booleans() {
    for device in devices() {
        let a = array(&device, Bool, &[4], &[0.0, 0.0, 1.0, 1.0]);
        let b = array(&device, Bool, &[4], &[0.0, 1.0, 0.0, 1.0]);
        assert_eq!((&a + &b).dtype(), Bool);
        assert_eq!(values(&(&a + &b)), [0.0, 1.0, 1.0, 1.0]);
        assert_eq!(values(&(&a * &b)), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(values(&(&a & &b)), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(values(&(&a | &b)), [0.0, 1.0, 1.0, 1.0]);
        assert_eq!(values(&(&a ^ &b)), [0.0, 1.0, 1.0, 0.0]);
        assert_eq!(values(&!&a), [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(values(&a.lt(&b)), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(values(&a.maximum(&b)), [0.0, 1.0, 1.0, 1.0]);
        assert_eq!(values(&a.sum_all()), [2.0]);
        assert_eq!(a.sum_all().dtype(), DType::I64);
        assert_eq!(values(&a.min_all()), [0.0]);
        assert!((&a - &b).check().is_err());
        assert!((-&a).check().is_err());
        let x = array(&device, F32, &[4], &[0.0, -0.0, f64::NAN, 2.0]);
        assert_eq!(values(&x.logical_not()), [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(values(&x.logical_and(&a)), [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(values(&x.is_nan()), [0.0, 0.0, 1.0, 0.0]);
        assert!((&x & &a).check().is_err());
    }
}

#[test]
fn real_functions_of_integers_are_single_precision() {
    let device = common::cpu();
    for dtype in [I32, U32, U8, Bool] {
        let x = array(&device, dtype, &[2], &[0.0, 1.0]);
        assert_eq!(x.exp().dtype(), F32);
        assert_eq!(values(&x.sqrt()), [0.0, 1.0]);
        assert_eq!(x.pow(0.5).dtype(), F32);
        assert_eq!(x.pow(2).dtype(), if dtype == Bool { I32 } else { dtype });
        assert_eq!(values(&x.pow(2)), [0.0, 1.0]);
        assert_eq!(x.floor().dtype(), dtype);
        assert_eq!(x.mean_all().dtype(), F32);
        assert_eq!(values(&x.mean_all()), [0.5]);
    }
    let half: DType = array(&device, F16, &[1], &[4.0]).sqrt().dtype();
    assert_eq!(half, F16);
}

#[test]
fn integers_to_the_power_of_integers() {
    for device in devices() {
        let a = array(&device, I32, &[6], &[3.0, -2.0, 7.0, -1.0, 1.0, 5.0]);
        assert_eq!(values(&a.pow(3)), [27.0, -8.0, 343.0, -1.0, 1.0, 125.0]);
        assert_eq!(values(&a.pow(0)), [1.0; 6]);
        let powers = array(&device, I32, &[6], &[2.0, 5.0, 0.0, -3.0, -2.0, -1.0]);
        assert_eq!(values(&a.pow(&powers)), [9.0, -32.0, 1.0, -1.0, 1.0, 0.0]);
        let wrapped =
            array(&device, U8, &[2], &[3.0, 2.0]).pow(&array(&device, U8, &[2], &[200.0, 9.0]));
        assert_eq!(values(&wrapped), [161.0, 0.0]);
        assert!(a.pow(-1).check().is_err());
    }
}

#[test]
fn choosing() {
    for device in devices() {
        let a = array(&device, I32, &[3], &[-1.0, 0.0, 1.0]);
        assert_eq!(values(&Array::where_(&a.ge(0), &a, -9)), [-9.0, 0.0, 1.0]);
        assert_eq!(values(&Array::where_(&a.ge(0), 1.5, &a)), [-1.0, 1.5, 1.5]);
        assert_eq!(values(&Array::where_(&a, 1, 2)), [1.0, 2.0, 1.0]);
        let column = array(&device, Bool, &[2, 1], &[1.0, 0.0]);
        let chosen = Array::where_(&column, &a, &(&a * 10));
        assert_eq!(values(&chosen), [-1.0, 0.0, 1.0, -10.0, 0.0, 10.0]);
        let x = array(&device, F32, &[3], &[f64::NAN, 5.0, -5.0]);
        assert!(values(&x.relu())[0].is_nan());
        assert_eq!(values(&x.clamp(-1, 2.5))[1..], [2.5, -1.0]);
    }
}
