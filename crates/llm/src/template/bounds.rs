//! Limits on templates: the text and lists they create are counted and bounded.
//!
//! The engine counts steps, not bytes: a string doubled forty times is eighty steps and a terabyte.
//! So every step whose output can be much larger than its input is done here, by functions that count.

use super::{environment::divisible_by, python};
use minijinja::{
    Environment, Error, ErrorKind, State, Value, context, filters,
    machinery::{Instruction, Instructions},
    value::{Rest, ValueKind},
};
use std::{cell::Cell, sync::LazyLock};

/// The bytes that all values made while rendering may have together.
const MOST_MADE: usize = 256 << 20;

/// The most that one value may have, all that is in it counted as often as it would be printed.
pub(super) const MOST_BYTES: usize = 16 << 20;

/// What an item of a list or a map takes.
const ITEM: usize = 24;

thread_local! {
    /// What is left of [`MOST_MADE`] for the template that this thread renders.
    static LEFT: Cell<usize> = const { Cell::new(0) };
}

/// Begins to count for one rendering.
pub(super) fn start() {
    LEFT.set(MOST_MADE);
}

/// Takes note of bytes that one value has, or is about to have.
pub(super) fn charge(bytes: usize) -> Result<(), Error> {
    if bytes > MOST_BYTES {
        return Err(too_large(MOST_BYTES));
    }
    match LEFT.get().checked_sub(bytes) {
        Some(left) => {
            LEFT.set(left);
            Ok(())
        }
        None => Err(too_large(MOST_MADE)),
    }
}

fn too_large(limit: usize) -> Error {
    let why = format!("it makes texts or lists of more than {} MB", limit >> 20);
    Error::new(ErrorKind::InvalidOperation, why)
}

/// The bytes of a value, printed; an error if that is too much. What occurs twice counts twice.
pub(super) fn weigh(value: &Value) -> Result<usize, Error> {
    let mut sum = 0;
    weigh_into(value, &mut sum, 0)?;
    Ok(sum)
}

fn weigh_into(value: &Value, sum: &mut usize, depth: usize) -> Result<(), Error> {
    *sum += match value.as_str() {
        Some(text) => text.len(),
        None => ITEM,
    };
    if *sum > MOST_BYTES || depth > 4 * python::DEEPEST {
        return Err(too_large(MOST_BYTES));
    }
    if matches!(value.kind(), ValueKind::Seq | ValueKind::Map | ValueKind::Iterable) {
        for item in value.try_iter()? {
            if value.kind() == ValueKind::Map {
                weigh_into(&value.get_item(&item)?, sum, depth + 1)?;
            }
            weigh_into(&item, sum, depth + 1)?;
        }
    }
    Ok(())
}

/// Counts a value that was made of others.
fn made(value: Value) -> Result<Value, Error> {
    charge(own_bytes(&value)?)?;
    Ok(value)
}

/// What a value takes by itself; its items are others' values.
fn own_bytes(value: &Value) -> Result<usize, Error> {
    if let Some(text) = value.as_str() {
        return Ok(text.len());
    }
    match value.len() {
        Some(items) => items.checked_mul(ITEM).ok_or_else(|| too_large(MOST_MADE)),
        None => Ok(ITEM),
    }
}

/// Replaces what the engine would do without counting by calls of the functions below, and gives
/// the length of the longest text that stands in the template itself.
pub(super) fn count(instructions: &mut Instructions<'_>) -> usize {
    let mut longest = 0;
    let mut at = 0;
    while let Some(instruction) = instructions.get_mut(at) {
        let (function, arguments) = match instruction {
            Instruction::StringConcat => (CONCAT, 2),
            Instruction::Add => (ADD, 2),
            Instruction::Mul => (MULTIPLY, 2),
            Instruction::Slice => (SLICE, 4),
            Instruction::Eq => (EQUAL, 2),
            Instruction::Ne => (UNEQUAL, 2),
            Instruction::EmitRaw(text) => {
                longest = longest.max(text.len());
                ("", 0)
            }
            _ => ("", 0),
        };
        if !function.is_empty() {
            *instruction = Instruction::CallFunction(function, Some(arguments));
        }
        at += 1;
    }
    longest
}

// No template can name these.
const CONCAT: &str = "a ~ b";
const ADD: &str = "a + b";
const MULTIPLY: &str = "a * b";
const SLICE: &str = "a[b:c:d]";
const EQUAL: &str = "a == b";
const UNEQUAL: &str = "a != b";

/// The engine as it is: what is done by it has been counted.
static PLAIN: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.add_test("divisibleby", divisible_by);
    environment
});

fn plain(expression: &'static str, values: Value) -> Result<Value, Error> {
    PLAIN.compile_expression(expression)?.eval(values)
}

/// Makes all that is counted known to an environment.
pub(super) fn install(environment: &mut Environment<'_>) {
    environment.add_function(CONCAT, |a: Value, b: Value| {
        charge(weigh(&a)? + weigh(&b)?)?;
        Ok::<_, Error>(Value::from(python::text(&a).into_owned() + &python::text(&b)))
    });
    environment.add_function(ADD, |a: Value, b: Value| {
        if !a.is_number() {
            charge(own_bytes(&a)?.saturating_add(own_bytes(&b)?))?;
        }
        plain(ADD, context! { a, b })
    });
    environment.add_function(MULTIPLY, |a: Value, b: Value| {
        let times = a.as_usize().or(b.as_usize()).unwrap_or(0);
        if !(a.is_number() && b.is_number()) {
            charge(own_bytes(&a)?.max(own_bytes(&b)?).saturating_mul(times))?;
        }
        plain(MULTIPLY, context! { a, b })
    });
    environment.add_function(SLICE, |a: Value, b: Value, c: Value, d: Value| {
        made(plain(SLICE, context! { a, b, c, d })?)
    });
    // Lists of lists of the same lists take longer to compare than they are large.
    environment.add_function(EQUAL, |a: Value, b: Value| weigh(&a).map(|_| a == b));
    environment.add_function(UNEQUAL, |a: Value, b: Value| weigh(&a).map(|_| a != b));
    for name in FILTERS {
        environment.add_filter(name, move |args: Rest<Value>| {
            before(name, &args)?;
            made(PLAIN.empty_state().apply_filter(name, &args)?)
        });
    }
    // This one calls others by name.
    environment.add_filter("map", |state: &mut State<'_, '_>, x: Value, args: Rest<_>| {
        made(filters::map(state, x, args)?.into())
    });
}

/// The filters whose results are counted.
const FILTERS: [&str; 37] = [
    "lower",
    "upper",
    "title",
    "capitalize",
    "replace",
    "dictsort",
    "items",
    "reverse",
    "trim",
    "join",
    "split",
    "lines",
    "default",
    "d",
    "attr",
    "first",
    "last",
    "min",
    "max",
    "sort",
    "list",
    "batch",
    "slice",
    "sum",
    "indent",
    "groupby",
    "unique",
    "chain",
    "zip",
    "pprint",
    "format",
    "escape",
    "select",
    "reject",
    "selectattr",
    "rejectattr",
    "e",
];

/// Counts what a filter, or a method of that name, may make of its arguments.
pub(super) fn before(name: &str, args: &[Value]) -> Result<(), Error> {
    let mut weights = 0;
    for value in args {
        weights += weigh(value)?;
    }
    let number = |at: usize| args.get(at).and_then(Value::as_usize).unwrap_or(0);
    let weight = |at: usize| args.get(at).map_or(Ok(0), weigh);
    let items = |at: usize| args.get(at).and_then(Value::len).unwrap_or(0);
    let more = match name {
        "replace" => match (args.first().and_then(Value::as_str), args.get(1)) {
            (Some(text), Some(from)) => {
                let places = match from.as_str() {
                    Some("") | None => text.len() + 1,
                    Some(from) => text.matches(from).count(),
                };
                places.saturating_mul(weight(2)?)
            }
            _ => weights.saturating_mul(weight(2)?),
        },
        // As a filter the list comes first, as a method last.
        "join" => items(0).max(items(1)).saturating_mul(weight(0)?.min(weight(1)?)),
        "indent" => {
            let lines = args.first().and_then(Value::as_str).map_or(0, |x| x.matches('\n').count());
            (lines + 1).saturating_mul(number(1))
        }
        "format" => widest(args.first().and_then(Value::as_str).unwrap_or("")),
        "batch" | "slice" => number(1).saturating_mul(ITEM),
        _ => 0,
    };
    charge(more)
}

/// All widths that a format asks for, together.
fn widest(format: &str) -> usize {
    let numbers = format.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    numbers.fold(0, |sum: usize, digits| sum.saturating_add(digits.parse().unwrap_or(usize::MAX)))
}

/// Counts what a method made.
pub(super) fn after(result: Result<Value, Error>) -> Result<Value, Error> {
    made(result?)
}

/// Whether products that are worked out while a template is read stay small: refuses numbers that,
/// multiplied with something and with each other, are large.
pub(super) fn check_products(source: &str) -> Result<(), Error> {
    let mut product = 1usize;
    for (at, _) in source.match_indices('*') {
        let digits =
            |text: &str| text.chars().filter(|c| *c != '_').collect::<String>().parse().ok();
        let after = source[at + 1..].trim_start_matches([' ', '\t', '\n', '(', '*']);
        let end = after.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(after.len());
        let before = source[..at].trim_end_matches([' ', '\t', '\n', ')', '*']);
        let start = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_').len();
        for number in [&after[..end], &before[start..]] {
            let number: usize = match number.is_empty() {
                true => 1,
                false => digits(number).unwrap_or(usize::MAX),
            };
            product = product.saturating_mul(number.max(1));
        }
    }
    match product > 10_000_000 {
        true => Err(too_large(MOST_BYTES)),
        false => Ok(()),
    }
}
