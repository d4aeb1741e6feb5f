//! Filters on numbers.

use crate::{
    error::{Result, fail},
    eval::{CallArgs, bind, defined},
    limits::Gauge,
    value::{Value, text},
};

pub(super) fn apply(meter: &Gauge, name: &str, value: Value, args: CallArgs) -> Result<Value> {
    match name {
        "abs" => {
            let [] = bind(name, args, [], 0)?;
            defined(&value)?;
            match value {
                Value::Float(x) => Ok(Value::Float(x.abs())),
                _ => match value.as_int().map(i128::checked_abs) {
                    Some(Some(x)) => Ok(Value::Int(x)),
                    _ => fail(format!("abs: cannot take a {}", value.kind())),
                },
            }
        }
        "float" => {
            let [default] = bind(name, args, ["default"], 0)?;
            defined(&value)?;
            meter.scan(value.as_str().map_or(0, str::len))?;
            Ok(match (&value, value.as_float()) {
                (Value::Text(text), _) => parse_float(text).map(Value::Float),
                (_, number) => number.map(Value::Float),
            }
            .or(default)
            .unwrap_or(Value::Float(0.0)))
        }
        "int" => {
            let [default, base] = bind(name, args, ["default", "base"], 0)?;
            defined(&value)?;
            meter.scan(value.as_str().map_or(0, str::len))?;
            let base = base.map_or(Some(10), |base| base.as_int());
            let number = match &value {
                Value::Text(text) => parse_int(text, base).or_else(|| whole(parse_float(text)?)),
                Value::Float(x) => whole(*x),
                _ => value.as_int(),
            };
            Ok(number.map(Value::Int).or(default).unwrap_or(Value::Int(0)))
        }
        "round" => round(value, args),
        _ => file_size(meter, &value, args),
    }
}

fn whole(x: f64) -> Option<i128> {
    (x.is_finite() && x.abs() < 1e38).then_some(x as i128)
}

/// Python's `float()` of a string.
fn parse_float(text: &str) -> Option<f64> {
    let text = text.trim_matches(crate::value::is_space);
    let digits = without_underscores(text)?;
    // Rust reads everything that Python does, and no more, but for the names of infinities.
    match digits.trim_start_matches(['+', '-']).to_ascii_lowercase().as_str() {
        "inf" | "infinity" | "nan" => digits.parse().ok(),
        rest if rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') => digits.parse().ok(),
        _ => None,
    }
}

/// Python's `int()` of a string.
fn parse_int(text: &str, base: Option<i128>) -> Option<i128> {
    let text = text.trim_matches(crate::value::is_space);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.get(..2).unwrap_or("").to_ascii_lowercase();
    let prefix = match lower.as_str() {
        "0x" => 16,
        "0o" => 8,
        "0b" => 2,
        _ => 0,
    };
    let base = base.filter(|base| *base == 0 || (2..=36).contains(base))? as u32;
    let (digits, radix) = match (base, prefix) {
        (0, 0) if digits.len() > 1 && digits.starts_with('0') => return None,
        (0, 0) => (digits, 10),
        (0, prefix) => (&digits[2..], prefix),
        (base, prefix) if base == prefix => (&digits[2..], base),
        (base, _) => (digits, base),
    };
    let digits = without_underscores(digits)?;
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let number = i128::from_str_radix(&digits, radix).ok()?;
    Some(if negative { -number } else { number })
}

/// Digits without the underscores between them; none if one is elsewhere.
fn without_underscores(digits: &str) -> Option<String> {
    let misplaced = digits.starts_with('_') || digits.ends_with('_') || digits.contains("__");
    // No number has more digits than this.
    (!misplaced && digits.len() < 2000).then(|| digits.replace('_', ""))
}

fn round(value: Value, args: CallArgs) -> Result<Value> {
    let [precision, method] = bind("round", args, ["precision", "method"], 0)?;
    defined(&value)?;
    let precision = match precision.map(|precision| precision.as_int()) {
        None => 0,
        Some(Some(precision)) => precision.clamp(-400, 400) as i32,
        Some(None) => return fail("round: the precision is not an integer"),
    };
    let method = method.as_ref().map_or(Some("common"), Value::as_str);
    let Some(number) = value.as_float() else {
        return fail(format!("round: cannot take a {}", value.kind()));
    };
    let power = 10f64.powi(precision);
    match (method, value.as_int()) {
        (Some("common"), Some(number)) => match round_int(number, precision) {
            Some(rounded) => Ok(Value::Int(rounded)),
            None => fail("round: the integer is too large"),
        },
        (Some("common"), None) if !number.is_finite() => Ok(Value::Float(number)),
        (Some("common"), None) if precision >= 0 => {
            let digits = format!("{number:.*}", precision as usize);
            Ok(Value::Float(digits.parse().unwrap_or(number)))
        }
        (Some("common"), None) => Ok(Value::Float((number * power).round_ties_even() / power)),
        (Some("ceil"), _) => Ok(Value::Float((number * power).ceil() / power)),
        (Some("floor"), _) => Ok(Value::Float((number * power).floor() / power)),
        _ => fail("round: the method is not common, ceil or floor"),
    }
}

/// An integer rounded to tens, hundreds and so on; none if that is too large.
fn round_int(number: i128, precision: i32) -> Option<i128> {
    if precision >= 0 {
        return Some(number);
    }
    let Some(power) = 10i128.checked_pow(precision.unsigned_abs()) else {
        return Some(0);
    };
    let rest = number.rem_euclid(power);
    let down = number.checked_sub(rest)?;
    let odd = (down / power) % 2 != 0;
    // Halves go to the even neighbour.
    let up = rest > power - rest || rest == power - rest && odd;
    if up { down.checked_add(power) } else { Some(down) }
}

fn file_size(meter: &Gauge, value: &Value, args: CallArgs) -> Result<Value> {
    let [binary] = bind("filesizeformat", args, ["binary"], 0)?;
    defined(value)?;
    let number = match value {
        Value::Text(text) => parse_float(text),
        _ => value.as_float(),
    };
    let Some(bytes) = number else {
        return fail(format!("filesizeformat: cannot take a {}", value.kind()));
    };
    let binary = binary.is_some_and(|binary| binary.is_true());
    let (base, letters, end) = match binary {
        true => (1024.0, ["K", "M", "G", "T", "P", "E", "Z", "Y"], "iB"),
        false => (1000.0, ["k", "M", "G", "T", "P", "E", "Z", "Y"], "B"),
    };
    if bytes == 1.0 {
        return text(meter, "1 Byte");
    }
    if bytes < base {
        return text(meter, &format!("{} Bytes", bytes as i128));
    }
    let mut unit = base;
    for (i, letter) in letters.iter().enumerate() {
        unit *= base;
        if bytes < unit || i + 1 == letters.len() {
            return text(meter, &format!("{:.1} {letter}{end}", base * bytes / unit));
        }
    }
    Ok(Value::None)
}
