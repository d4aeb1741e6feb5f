//! Floats as text: the shortest digits that give the same number back, all aligned.

use bessemer_core::DType;
use half::{bf16, f16};

/// Digits after the point, unless somebody says another number.
const PRECISION: usize = 8;

/// How all floats of one array are written.
pub(super) struct Floats {
    dtype: DType,
    /// With an exponent of so many digits.
    exponent: Option<usize>,
    precision: usize,
    /// Characters before the point.
    left: usize,
    /// Characters after the point, with the exponent.
    right: usize,
    /// Whether those that are not below 0 have a sign too.
    plus: bool,
}

impl Floats {
    pub(super) fn new(
        dtype: DType,
        values: &[f64],
        precision: Option<usize>,
        plus: bool,
    ) -> Floats {
        let precision = precision.unwrap_or(PRECISION);
        let finite = || values.iter().copied().filter(|x| x.is_finite());
        let sizes = || finite().map(f64::abs).filter(|&x| x != 0.0);
        let (max, min) = (sizes().fold(0.0, f64::max), sizes().fold(f64::INFINITY, f64::min));
        // Too many digits, or too different ones, are unreadable without an exponent.
        let exponent = max > 0.0 && (max >= large(dtype) || min < 1e-4 || max / min > 1000.0);
        let mut floats = Floats { dtype, exponent: None, precision, left: 0, right: 0, plus };
        if exponent {
            let parts: Vec<_> = finite().map(|x| scientific(dtype, x, precision)).collect();
            let longest = |length: &dyn Fn(&Scientific) -> usize| parts.iter().map(length).max();
            floats.precision = longest(&|x| x.fraction.len()).unwrap_or(0);
            let signed =
                |x: &Scientific| x.whole.len() + usize::from(plus && !x.whole.starts_with('-'));
            floats.left = longest(&signed).unwrap_or(0);
            let digits = longest(&|x| exponent_digits(x.exponent)).unwrap_or(2);
            floats.exponent = Some(digits);
            floats.right = floats.precision + digits + 2;
        } else {
            for x in finite() {
                let (whole, fraction) = positional(dtype, x, precision);
                let whole = floats.signed(whole);
                floats.left = floats.left.max(whole.len());
                floats.right = floats.right.max(fraction.len());
            }
        }
        let odd = values.iter().filter(|x| !x.is_finite());
        let odd = odd.map(|&x| floats.signed(odd_text(x).into()).len()).max();
        let room = odd.unwrap_or(0).saturating_sub(floats.right + 1);
        floats.left = floats.left.max(room);
        floats
    }

    /// With a sign, if all have one.
    fn signed(&self, text: String) -> String {
        if self.plus && !text.starts_with('-') { format!("+{text}") } else { text }
    }

    /// A value of the array, as long as all others.
    pub(super) fn word(&self, x: f64) -> String {
        let Floats { left, right, precision, .. } = *self;
        if !x.is_finite() {
            let text = self.signed(odd_text(x).into());
            return format!("{text:>width$}", width = left + right + 1);
        }
        match self.exponent {
            Some(digits) => {
                // As many digits for all: of the value itself, where its shortest text has fewer.
                let text = format!("{x:.precision$e}");
                let (number, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                let point = if number.contains('.') { "" } else { "." };
                let (sign, exponent) = match exponent.strip_prefix('-') {
                    Some(exponent) => ('-', exponent),
                    None => ('+', exponent),
                };
                let number = format!("{number}{point}e{sign}{exponent:0>digits$}");
                let number = self.signed(number);
                format!("{number:>width$}", width = left + 1 + right)
            }
            None => {
                let (whole, fraction) = positional(self.dtype, x, precision);
                let whole = self.signed(whole);
                format!("{whole:>left$}.{fraction:<right$}")
            }
        }
    }
}

/// A value by itself: with a digit after the point, and an exponent only where it helps.
pub(super) fn scalar(dtype: DType, x: f64, precision: Option<usize>) -> String {
    if !x.is_finite() {
        return odd_text(x).into();
    }
    let size = x.abs();
    if x != 0.0 && !(1e-4..1e16).contains(&size) {
        let Scientific { whole, fraction, exponent } =
            scientific(dtype, x, precision.unwrap_or(usize::MAX));
        let point = if fraction.is_empty() { "" } else { "." };
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{whole}{point}{fraction}e{sign}{:02}", exponent.unsigned_abs());
    }
    let (whole, fraction) = positional(dtype, x, precision.unwrap_or(usize::MAX));
    let fraction = if fraction.is_empty() { "0" } else { &fraction };
    format!("{whole}.{fraction}")
}

/// What is no number.
pub(super) fn odd_text(x: f64) -> &'static str {
    match x {
        f64::INFINITY => "inf",
        f64::NEG_INFINITY => "-inf",
        _ => "nan",
    }
}

struct Scientific {
    whole: String,
    fraction: String,
    exponent: i32,
}

fn exponent_digits(exponent: i32) -> usize {
    exponent.unsigned_abs().to_string().len().max(2)
}

/// The digit before the point, those after it, and the exponent.
fn scientific(dtype: DType, x: f64, precision: usize) -> Scientific {
    let mut text = shortest(dtype, x);
    let fraction = text.split_once('.').and_then(|(_, rest)| rest.find('e'));
    if fraction.unwrap_or(0) > precision {
        text = format!("{x:.precision$e}");
    }
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    Scientific {
        whole: whole.to_owned(),
        fraction: fraction.trim_end_matches('0').to_owned(),
        exponent: exponent.parse().unwrap_or(0),
    }
}

/// What stands before and after the point.
fn positional(dtype: DType, x: f64, precision: usize) -> (String, String) {
    let text = shortest(dtype, x);
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    let digits: String = digits.chars().filter(|&c| c != '.').collect();
    let after = (digits.len() as i32 - 1 - exponent).max(0) as usize;
    if after > precision {
        // The digits of the value itself, rounded, not those of its shortest text.
        let text = format!("{x:.precision$}");
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        return (whole.to_owned(), fraction.trim_end_matches('0').to_owned());
    }
    let before = exponent + 1;
    let (whole, fraction) = if before <= 0 {
        ("0".to_owned(), format!("{}{digits}", "0".repeat(before.unsigned_abs() as usize)))
    } else if before as usize >= digits.len() {
        (format!("{digits:0<width$}", width = before as usize), String::new())
    } else {
        let (whole, fraction) = digits.split_at(before as usize);
        (whole.to_owned(), fraction.to_owned())
    };
    (format!("{sign}{whole}"), fraction.trim_end_matches('0').to_owned())
}

/// The shortest text in scientific form that reads back as the same number of `dtype`.
fn shortest(dtype: DType, x: f64) -> String {
    let back: fn(f64) -> f64 = match dtype {
        DType::F16 => |x| f16::from_f64(x).to_f64(),
        DType::BF16 => |x| bf16::from_f64(x).to_f64(),
        DType::F64 => return format!("{x:e}"),
        _ => return format!("{:e}", x as f32),
    };
    // Five digits are enough for any of the 65536 values.
    (0..6)
        .map(|digits| format!("{x:.digits$e}"))
        .find(|text| text.parse().is_ok_and(|y: f64| back(y) == x))
        .unwrap_or_else(|| format!("{x:e}"))
}

/// From where on numbers get an exponent: where digits before the point are no longer exact, or are
/// too many to read.
fn large(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e8,
        DType::F32 => 1e6,
        DType::F16 => 1e3,
        _ => 1e2,
    }
}
