//! The Jinja that chat templates are written for: Hugging Face's settings, and Python's ways of
//! printing and of calling methods.

use super::{bounds, python};
use jiff::{Timestamp, Zoned, fmt::strtime, tz::TimeZone};
use minijinja::{
    Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value, syntax::SyntaxConfig,
    value::Kwargs,
};
use std::{borrow::Cow, time::SystemTime};

/// The marks of the language, as Hugging Face sets them.
pub(super) fn syntax() -> Result<SyntaxConfig, Error> {
    SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()
}

pub(super) fn environment() -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    environment.set_syntax(syntax()?);
    bounds::install(&mut environment);
    environment.set_undefined_behavior(UndefinedBehavior::Lenient);
    environment.set_unknown_method_callback(methods);
    environment.set_formatter(print);
    environment.add_function("raise_exception", raise_exception);
    environment.add_filter("tojson", tojson);
    environment.add_test("divisibleby", divisible_by);
    environment.add_filter("string", |value: Value| {
        bounds::charge(bounds::weigh(&value)?)?;
        Ok::<_, Error>(python::text(&value).into_owned())
    });
    Ok(environment)
}

/// A template without the tags that mark what a model wrote: they only matter in training.
/// What they enclose stays, in blocks that are always entered.
pub(super) fn without_generation_marks(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(start) = rest.find("{%") {
        let (before, tag) = rest.split_at(start);
        out.push_str(before);
        rest = tag;
        let Some(inside) = tag[2..].find("%}") else {
            break;
        };
        let (tag, after) = tag.split_at(inside + 4);
        let name = tag[2..inside + 2].trim_matches(['-', '+']).trim();
        match name {
            "generation" => out.push_str(&tag.replace(name, "if true")),
            "endgeneration" => out.push_str(&tag.replace(name, "endif")),
            _ => out.push_str(tag),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Python's methods, as far as templates use them.
fn methods(
    state: &mut State<'_, '_>,
    value: &Value,
    method: &str,
    args: &[Value],
) -> Result<Value, Error> {
    if let (Some(text), [affix]) = (value.as_str(), args)
        && let Some(affix) = affix.as_str()
    {
        match method {
            "removeprefix" => return Ok(text.strip_prefix(affix).unwrap_or(text).into()),
            "removesuffix" => return Ok(text.strip_suffix(affix).unwrap_or(text).into()),
            _ => {}
        }
    }
    let mut all = vec![value.clone()];
    all.extend_from_slice(args);
    bounds::before(method, &all)?;
    bounds::after(minijinja_contrib::pycompat::unknown_method_callback(state, value, method, args))
}

fn print(out: &mut Output<'_>, _: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    bounds::charge(bounds::weigh(value)?)?;
    let text = if value.is_undefined() { Cow::Borrowed("") } else { python::text(value) };
    out.write_str(&text).map_err(|e| Error::new(ErrorKind::WriteFailure, "output").with_source(e))
}

fn raise_exception(message: String) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, message))
}

/// The engine's own test divides by zero when asked to.
pub(super) fn divisible_by(value: Value, by: Value) -> Result<bool, Error> {
    match (i128::try_from(value), i128::try_from(by)) {
        (Ok(value), Ok(by)) => value.checked_rem(by).map(|rest| rest == 0).ok_or_else(|| {
            Error::new(ErrorKind::InvalidOperation, "divisibleby: division by zero")
        }),
        _ => Ok(false),
    }
}

fn tojson(value: Value, options: Kwargs) -> Result<String, Error> {
    let sort: Option<bool> = options.get("sort_keys")?;
    let ascii: Option<bool> = options.get("ensure_ascii")?;
    let indent: Option<Value> = options.get("indent")?;
    let separators: Option<Vec<String>> = options.get("separators")?;
    options.assert_all_used()?;
    bounds::charge(bounds::weigh(&value)?)?;
    let json = serde_json::to_value(&value)
        .map_err(|e| Error::new(ErrorKind::BadSerialization, e.to_string()))?;
    let indent = indent.filter(|value| !value.is_none());
    let indent = indent.map(|value| match value.as_usize() {
        Some(width) => " ".repeat(width.min(64)),
        None => value.to_string().chars().take(64).collect(),
    });
    let (sort, ascii) = (sort == Some(true), ascii == Some(true));
    let style = python::Style::new(indent, separators.as_deref(), sort, ascii);
    let text = style.json(&json);
    bounds::charge(text.len())?;
    Ok(text)
}

/// The function that templates ask for the date.
pub(super) fn clock(now: Option<SystemTime>) -> Value {
    Value::from_function(move |format: String| {
        let refused = |e: jiff::Error| Error::new(ErrorKind::InvalidOperation, e.to_string());
        let now = match now {
            Some(now) => Timestamp::try_from(now).map_err(refused)?.to_zoned(TimeZone::UTC),
            None => Zoned::now(),
        };
        strtime::format(&format, &now).map_err(refused)
    })
}

#[cfg(test)]
mod tests {
    use super::without_generation_marks;

    #[test]
    fn training_marks_go() {
        let source = "a{%- generation -%} b {% endgeneration %}{% if x %}{{ '{%' }}";
        assert_eq!(
            without_generation_marks(source),
            "a{%- if true -%} b {% endif %}{% if x %}{{ '{%' }}"
        );
        for odd in ["{%}", "{%%}", "{%", "%}{%-%}", "{%generation"] {
            assert_eq!(without_generation_marks(odd), odd);
        }
    }
}
