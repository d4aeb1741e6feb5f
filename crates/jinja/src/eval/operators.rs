//! Operators, with Python's meaning.

use crate::{
    ast::{Binary, Comparison},
    error::{Error, Result, fail},
    format,
    limits::Gauge,
    value::{ListBuilder, TextBuilder, Value, contains, describe, equal, less},
};

/// Whether a value can be used at all.
pub(crate) fn defined(value: &Value) -> Result<()> {
    match value {
        Value::Undefined(missing) => fail(describe(missing)),
        _ => Ok(()),
    }
}

pub(crate) fn too_large() -> Error {
    Error::runtime("an integer is too large")
}

pub(crate) fn compare(meter: &Gauge, comparison: Comparison, a: &Value, b: &Value) -> Result<bool> {
    match comparison {
        Comparison::Equal => equal(meter, a, b),
        Comparison::Unequal => Ok(!equal(meter, a, b)?),
        Comparison::In => contains(meter, b, a),
        Comparison::NotIn => Ok(!contains(meter, b, a)?),
        _ => {
            defined(a)?;
            defined(b)?;
            match comparison {
                Comparison::Less => less(meter, a, b),
                Comparison::Greater => less(meter, b, a),
                // NaN is neither less nor equal.
                Comparison::LessEqual => Ok(less(meter, a, b)? || equal(meter, a, b)?),
                _ => Ok(less(meter, b, a)? || equal(meter, a, b)?),
            }
        }
    }
}

pub(crate) fn binary(meter: &Gauge, operator: Binary, a: &Value, b: &Value) -> Result<Value> {
    match (operator, a, b) {
        (Binary::Mod, Value::Text(format), args) => {
            return format::percent(meter, format, args);
        }
        (_, Value::Undefined(_), _) => defined(a)?,
        (_, _, Value::Undefined(_)) => defined(b)?,
        (Binary::Add, Value::Text(a), Value::Text(b)) => {
            let mut out = TextBuilder::with_capacity(meter, a.len() + b.len())?;
            out.push_str(a)?;
            out.push_str(b)?;
            return Ok(out.finish());
        }
        (Binary::Add, Value::List(x), Value::List(y))
        | (Binary::Add, Value::Tuple(x), Value::Tuple(y)) => {
            let mut out = ListBuilder::with_capacity(meter, x.items.len() + y.items.len())?;
            out.extend(&x.items)?;
            out.extend(&y.items)?;
            return if matches!(a, Value::List(_)) { out.list() } else { out.tuple() };
        }
        (Binary::Mul, items @ (Value::Text(_) | Value::List(_) | Value::Tuple(_)), times)
        | (Binary::Mul, times, items @ (Value::Text(_) | Value::List(_) | Value::Tuple(_))) => {
            if let Some(times) = times.as_int() {
                return repeat(meter, items, usize::try_from(times.max(0)).unwrap_or(usize::MAX));
            }
        }
        _ => {}
    }
    if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
        return integers(operator, a, b);
    }
    match (a.as_float(), b.as_float()) {
        (Some(a), Some(b)) => floats(operator, a, b).map(Value::Float),
        _ => {
            let sign = sign(operator);
            fail(format!("'{sign}' cannot take {} and {}", a.kind(), b.kind()))
        }
    }
}

fn sign(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::FloorDiv => "//",
        Binary::Mod => "%",
        Binary::Pow => "**",
    }
}

fn repeat(meter: &Gauge, items: &Value, times: usize) -> Result<Value> {
    match items {
        Value::Text(text) => {
            let times = if text.is_empty() { 0 } else { times };
            let mut out = TextBuilder::with_capacity(meter, text.len().saturating_mul(times))?;
            out.repeat(text, times)?;
            Ok(out.finish())
        }
        Value::List(seq) | Value::Tuple(seq) => {
            let times = if seq.items.is_empty() { 0 } else { times };
            let len = seq.items.len().saturating_mul(times);
            let mut out = ListBuilder::with_capacity(meter, len)?;
            for _ in 0..times {
                out.extend(&seq.items)?;
            }
            if matches!(items, Value::List(_)) { out.list() } else { out.tuple() }
        }
        _ => Ok(Value::None),
    }
}

fn integers(operator: Binary, a: i128, b: i128) -> Result<Value> {
    let zero = || fail("division by zero");
    let result = match operator {
        Binary::Add => a.checked_add(b),
        Binary::Sub => a.checked_sub(b),
        Binary::Mul => a.checked_mul(b),
        Binary::Div if b == 0 => return zero(),
        Binary::Div => return Ok(Value::Float(a as f64 / b as f64)),
        Binary::FloorDiv if b == 0 => return zero(),
        Binary::FloorDiv => {
            let exact = a.checked_rem(b) == Some(0);
            a.checked_div(b).map(|q| if (a < 0) != (b < 0) && !exact { q - 1 } else { q })
        }
        Binary::Mod if b == 0 => return zero(),
        Binary::Mod => {
            let rest = a.checked_rem(b).unwrap_or(0);
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
        Binary::Pow if b < 0 => return floats(operator, a as f64, b as f64).map(Value::Float),
        Binary::Pow => match u32::try_from(b) {
            Ok(b) => a.checked_pow(b),
            // So large an exponent that only these stay small.
            Err(_) => match a {
                0 | 1 => Some(a),
                -1 => Some(if b % 2 == 0 { 1 } else { -1 }),
                _ => None,
            },
        },
    };
    result.map(Value::Int).ok_or_else(too_large)
}

fn floats(operator: Binary, a: f64, b: f64) -> Result<f64> {
    let is_division = matches!(operator, Binary::Div | Binary::FloorDiv | Binary::Mod);
    if b == 0.0 && is_division || operator == Binary::Pow && a == 0.0 && b < 0.0 {
        return fail("division by zero");
    }
    let modulo = |a: f64, b: f64| {
        let rest = a % b;
        match rest != 0.0 && (rest < 0.0) != (b < 0.0) {
            true => rest + b,
            false if rest == 0.0 => 0.0f64.copysign(b),
            false => rest,
        }
    };
    let result = match operator {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        Binary::FloorDiv => {
            let quotient = (a - modulo(a, b)) / b;
            match quotient.floor() {
                floor if quotient - floor > 0.5 => floor + 1.0,
                floor => floor,
            }
        }
        Binary::Mod => modulo(a, b),
        Binary::Pow => a.powf(b),
    };
    if operator == Binary::Pow && !result.is_finite() && a.is_finite() && b.is_finite() {
        return fail("the power is too large, or no real number");
    }
    Ok(result)
}
