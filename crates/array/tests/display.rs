//! Printing, against what NumPy prints (`fixtures/make.py`).

mod common;

use bessemer_array::Array;
use bessemer_core::DType;

#[test]
fn as_numpy_prints() {
    let device = common::reference();
    let text = include_str!("fixtures/display.txt");
    let mut count = 0;
    for case in text.split("## ").filter(|case| !case.is_empty()) {
        let (head, rest) = case.split_once('\n').unwrap();
        let (values, wanted) = rest.split_once('\n').unwrap();
        let [dtype, shape, precision] = head.split('/').map(str::trim).collect::<Vec<_>>()[..]
        else {
            panic!("{head}");
        };
        let dtype: DType = dtype.parse().unwrap();
        let shape: Vec<usize> = shape.split_whitespace().map(|x| x.parse().unwrap()).collect();
        let values = values_of(values);
        let array = common::array(&device, dtype, &shape, &values);
        let found = match precision.parse::<usize>() {
            Ok(precision) => format!("{array:.precision$}"),
            Err(_) => array.to_string(),
        };
        assert_eq!(found, wanted.strip_suffix('\n').unwrap(), "{head}");
        count += 1;
    }
    assert!(count > 40);
}

/// Numbers, or `range COUNT DIVISOR`.
fn values_of(text: &str) -> Vec<f64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if let ["range", count, divisor] = words[..] {
        let (count, divisor): (u16, f32) = (count.parse().unwrap(), divisor.parse().unwrap());
        return (0..count).map(|i| f64::from(f32::from(i) / divisor)).collect();
    }
    words.iter().map(|x| x.parse().unwrap()).collect()
}

#[test]
fn errors_print_as_their_text() {
    let device = common::reference();
    let a = Array::ones(&device, &[2], DType::F32);
    let b = Array::ones(&device, &[3], DType::F32);
    let text = (&a + &b).to_string();
    assert!(text.starts_with("error: add: shapes [2] and [3] do not broadcast"), "{text}");
    assert!(format!("{:?}", &a + &b).starts_with("Array (error: add"));
    assert_eq!(format!("{a:?}"), "Array (f32 [2] on reference, lazy)");
}
