//! Numbers and lists of requests, checked under the name that the API has for them.

use crate::{Refusal, options::Limits};
use bessemer_llm::sampling::random_seed;
use std::ops::RangeInclusive;

/// A number within bounds.
pub(crate) fn number(
    field: &str,
    value: Option<f64>,
    range: RangeInclusive<f64>,
) -> Result<Option<f32>, Refusal> {
    let Some(value) = value else { return Ok(None) };
    if range.contains(&value) {
        return Ok(Some(value as f32));
    }
    let (from, to) = (range.start(), range.end());
    Err(Refusal::field(field, format!("{value} is not a number from {from} to {to}")))
}

/// A share, as of probabilities.
pub(crate) fn share(field: &str, value: Option<f64>) -> Result<Option<f32>, Refusal> {
    number(field, value, 0.0..=1.0)
}

/// A whole number within bounds.
pub(crate) fn count(
    field: &str,
    value: Option<i64>,
    range: RangeInclusive<usize>,
) -> Result<Option<usize>, Refusal> {
    let Some(value) = value else { return Ok(None) };
    match usize::try_from(value) {
        Ok(value) if range.contains(&value) => Ok(Some(value)),
        _ => {
            let (from, to) = (range.start(), range.end());
            Err(Refusal::field(field, format!("{value} is not a whole number from {from} to {to}")))
        }
    }
}

/// A seed; -1, or none, is a random one. Others that are negative count as their bits.
pub(crate) fn seed(value: Option<i64>) -> u64 {
    match value {
        None | Some(-1) => random_seed(),
        Some(value) => value.cast_unsigned(),
    }
}

/// Texts that end an answer.
pub(crate) fn stops(field: &str, stops: &[String]) -> Result<(), Refusal> {
    const MOST: usize = 64;
    const LONGEST: usize = 4096;
    if stops.len() > MOST {
        let count = stops.len();
        return Err(Refusal::field(field, format!("{count} texts are more than {MOST}")));
    }
    for (at, stop) in stops.iter().enumerate() {
        if stop.is_empty() {
            let why = "an empty text would end every answer";
            return Err(Refusal::field(format!("{field}[{at}]"), why));
        }
        if stop.len() > LONGEST {
            let why = format!("{} bytes are more than {LONGEST}", stop.len());
            return Err(Refusal::field(format!("{field}[{at}]"), why));
        }
    }
    Ok(())
}

/// How many answers one request asks for.
pub(crate) fn choices(limits: &Limits, prompts: usize, n: usize) -> Result<(), Refusal> {
    let most = limits.answers;
    if prompts.saturating_mul(n) <= most {
        return Ok(());
    }
    let why =
        format!("{n} answers to each of {prompts} prompts are more than {most} in one request");
    Err(Refusal::field("n", why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_range_is_said_with_its_value() {
        assert_eq!(number("temperature", Some(0.5), 0.0..=2.0).unwrap(), Some(0.5));
        let error = |result: Result<_, Refusal>| result.err().unwrap().message;
        assert_eq!(
            error(number("temperature", Some(-1.0), 0.0..=2.0).map(drop)),
            "temperature: -1 is not a number from 0 to 2"
        );
        assert_eq!(
            error(number("x", Some(f64::NAN), 0.0..=2.0).map(drop)),
            "x: NaN is not a number from 0 to 2"
        );
        assert_eq!(
            error(count("n", Some(-3), 1..=8).map(drop)),
            "n: -3 is not a whole number from 1 to 8"
        );
        assert_eq!(
            error(stops("stop", &["a".into(), String::new()])),
            "stop[1]: an empty text would end every answer"
        );
        assert_eq!(
            error(choices(&Limits::default(), 30, 4)),
            "n: 4 answers to each of 30 prompts are more than 64 in one request"
        );
    }
}
