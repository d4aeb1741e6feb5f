//! Complex numbers as text: their parts as floats, the second with its sign and a `j`.

use super::float::{Floats, odd_text, scalar};
use bessemer_core::{Complex, DType::F32};

/// Each number, all equally long, or one by itself.
pub(super) fn words(
    numbers: &[Complex<f32>],
    alone: bool,
    precision: Option<usize>,
) -> Vec<String> {
    if alone {
        return numbers.iter().map(|&z| single(z, precision)).collect();
    }
    let parts = |part: fn(&Complex<f32>) -> f32| -> Vec<f64> {
        numbers.iter().map(|z| part(z).into()).collect()
    };
    let (re, im) = (parts(|z| z.re), parts(|z| z.im));
    let real = Floats::new(F32, &re, precision, false);
    let imaginary = Floats::new(F32, &im, precision, true);
    let word = |(re, im): (&f64, &f64)| {
        let im = imaginary.word(*im);
        let digits = im.trim_end();
        format!("{}{digits}j{}", real.word(*re), &im[digits.len()..])
    };
    re.iter().zip(&im).map(word).collect()
}

/// A number by itself, in parentheses if it has a real part.
fn single(z: Complex<f32>, precision: Option<usize>) -> String {
    let part = |x: f32| {
        let x = f64::from(x);
        let text = if x.is_finite() { scalar(F32, x, precision) } else { odd_text(x).to_owned() };
        text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
    };
    let im = part(z.im);
    if z.re == 0.0 && z.re.is_sign_positive() {
        return format!("{im}j");
    }
    let plus = if im.starts_with('-') { "" } else { "+" };
    format!("({}{plus}{im}j)", part(z.re))
}
