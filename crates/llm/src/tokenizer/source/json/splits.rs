//! The `pre_tokenizer` of a file.

use super::{PatternJson, Place, type_of};
use crate::{
    Result,
    tokenizer::split::{Behavior, Prepend, Scan, Split},
};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct SplitJson {
    pattern: PatternJson,
    behavior: Behavior,
    #[serde(default)]
    invert: bool,
}

#[derive(Deserialize)]
struct ByteLevelJson {
    #[serde(default = "yes")]
    add_prefix_space: bool,
    #[serde(default = "yes")]
    use_regex: bool,
}

#[derive(Deserialize)]
pub(super) struct MetaspaceJson {
    pub(super) replacement: char,
    pub(super) prepend_scheme: Option<Prepend>,
    /// What older files say instead.
    pub(super) add_prefix_space: Option<bool>,
    #[serde(default = "yes")]
    split: bool,
}

#[derive(Deserialize)]
struct PunctuationJson {
    #[serde(default = "isolated")]
    behavior: Behavior,
}

#[derive(Deserialize)]
struct DigitsJson {
    #[serde(default)]
    individual_digits: bool,
}

#[derive(Deserialize)]
struct DelimiterJson {
    delimiter: char,
}

#[derive(Deserialize)]
struct LengthJson {
    length: usize,
}

fn yes() -> bool {
    true
}

fn isolated() -> Behavior {
    Behavior::Isolated
}

impl MetaspaceJson {
    pub(super) fn prepend(&self) -> Prepend {
        match (self.prepend_scheme, self.add_prefix_space) {
            (Some(scheme), _) => scheme,
            (None, Some(false)) => Prepend::Never,
            (None, _) => Prepend::Always,
        }
    }
}

/// Appends the steps.
pub(super) fn read(at: &Place<'_>, value: &Value, out: &mut Vec<Split>) -> Result<()> {
    if value.is_null() {
        return Ok(());
    }
    let kind = type_of(value);
    let at = &at.of(kind);
    let step = match kind {
        "Sequence" => {
            for step in at.steps(value, "pretokenizers")? {
                read(at, step, out)?;
            }
            return Ok(());
        }
        "ByteLevel" => {
            let json: ByteLevelJson = at.parse(value)?;
            if json.add_prefix_space {
                out.push(Split::PrefixSpace);
            }
            if json.use_regex {
                out.push(Split::Scan(Scan::Gpt2));
            }
            Split::Spell
        }
        "Split" => split(at, at.parse(value)?)?,
        "Metaspace" => {
            let json: MetaspaceJson = at.parse(value)?;
            Split::Metaspace {
                visible: json.replacement,
                prepend: json.prepend(),
                split: json.split,
            }
        }
        "Whitespace" => Split::Pattern {
            pattern: at.regex(r"\w+|[^\w\s]+")?,
            behavior: Behavior::Removed,
            invert: true,
        },
        "WhitespaceSplit" => Split::Whitespace,
        "BertPreTokenizer" => Split::Bert,
        "Punctuation" => Split::Punctuation(at.parse::<PunctuationJson>(value)?.behavior),
        "Digits" => Split::Digits { individual: at.parse::<DigitsJson>(value)?.individual_digits },
        "CharDelimiterSplit" => Split::Delimiter(at.parse::<DelimiterJson>(value)?.delimiter),
        "FixedLength" => match at.parse::<LengthJson>(value)?.length {
            0 => return Err(at.damaged("has the length 0")),
            length => Split::Length(length),
        },
        other => return Err(at.unsupported(format!("pre-tokenizer {other:?}"))),
    };
    out.push(step);
    Ok(())
}

fn split(at: &Place<'_>, json: SplitJson) -> Result<Split> {
    if let PatternJson::Regex(source) = &json.pattern
        && let Some(scan) = Scan::of(source)
    {
        // Its matches leave nothing between them: isolated or what is not matched removed,
        // the words are the matches.
        let same = matches!(
            (json.behavior, json.invert),
            (Behavior::Isolated, _) | (Behavior::Removed, true)
        );
        if same {
            return Ok(Split::Scan(scan));
        }
    }
    Ok(Split::Pattern {
        pattern: json.pattern.read(at)?,
        behavior: json.behavior,
        invert: json.invert,
    })
}
