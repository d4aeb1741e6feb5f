//! What happens to text before it is cut: the normalizers.

mod bert;
mod charsmap;

pub(crate) use bert::Bert;
pub(crate) use charsmap::Charsmap;

use super::{
    byte_alphabet,
    limits::{Growth, Watch},
    split::Pattern,
};
use crate::Result;
use std::borrow::Cow;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// One step of normalising.
#[derive(Clone)]
pub(crate) enum Normalize {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
    Lowercase,
    /// Combining marks go.
    StripAccents,
    /// Spaces at the ends go.
    Strip {
        left: bool,
        right: bool,
    },
    /// Control characters go, odd spaces become plain.
    Nmt,
    Replace {
        pattern: Pattern,
        content: String,
    },
    /// Before any text that is not empty.
    Prepend(String),
    /// Runs of spaces become one, those at the ends go.
    FewSpaces,
    Bert(Bert),
    /// SentencePiece's table of replacements.
    Charsmap(Charsmap),
    /// Each byte becomes a character of the byte alphabet.
    Spell,
}

/// Does all steps, each of which makes as much of the text as `growth` lets it.
pub(crate) fn normalize<'t>(
    steps: &[Normalize],
    text: &'t str,
    watch: &Watch<'_>,
    growth: Growth,
) -> Result<Cow<'t, str>> {
    let mut text = Cow::Borrowed(text);
    for step in steps {
        watch.check_now()?;
        if let Some(new) = step.apply(&text, watch, growth)? {
            growth.check(new.len())?;
            text = Cow::Owned(new);
        }
    }
    Ok(text)
}

impl Normalize {
    /// The new text; `None` if it is the same.
    fn apply(&self, text: &str, watch: &Watch<'_>, growth: Growth) -> Result<Option<String>> {
        let composed = matches!(self, Normalize::Nfc | Normalize::Nfkc)
            || matches!(self, Normalize::Nfd | Normalize::Nfkd);
        if composed && text.is_ascii() {
            return Ok(None);
        }
        Ok(Some(match self {
            Normalize::Nfc => growth.collect(text.nfc())?,
            Normalize::Nfd => growth.collect(text.nfd())?,
            Normalize::Nfkc => growth.collect(text.nfkc())?,
            Normalize::Nfkd => growth.collect(text.nfkd())?,
            Normalize::Lowercase => lowercase(text),
            Normalize::StripAccents => strip_accents(text),
            Normalize::Strip { left, right } => {
                let text = if *left { text.trim_start() } else { text };
                let text = if *right { text.trim_end() } else { text };
                text.to_owned()
            }
            Normalize::Nmt => text.chars().filter_map(nmt).collect(),
            Normalize::Replace { pattern, content } => {
                return pattern.replace(text, content, watch, growth);
            }
            Normalize::Prepend(_) if text.is_empty() => return Ok(None),
            Normalize::Prepend(prefix) => {
                growth.check(prefix.len() + text.len())?;
                [prefix, text].concat()
            }
            Normalize::FewSpaces => few_spaces(text),
            Normalize::Bert(bert) => bert.apply(text, growth)?,
            Normalize::Charsmap(map) => map.apply(text, growth)?,
            Normalize::Spell => byte_alphabet::spell(text),
        }))
    }
}

/// Character by character: the end of a word makes no difference.
fn lowercase(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

fn strip_accents(text: &str) -> String {
    text.chars().filter(|c| !is_combining_mark(*c)).collect()
}

fn few_spaces(text: &str) -> String {
    let words = text.split(' ').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// The cleaning that Google's translation models were trained with.
fn nmt(c: char) -> Option<char> {
    match u32::from(c) {
        0x01..=0x08 | 0x0B | 0x0E..=0x1F | 0x7F | 0x8F | 0x9F => None,
        0x09
        | 0x0A
        | 0x0C
        | 0x0D
        | 0x1680
        | 0x200B..=0x200F
        | 0x2028
        | 0x2029
        | 0x2581
        | 0xFEFF
        | 0xFFFD => Some(' '),
        _ => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps() {
        let watch = Watch::new(0, None);
        let run = |step: Normalize, text: &str| {
            let growth = Growth::of_text(text.len());
            normalize(&[step], text, &watch, growth).unwrap().into_owned()
        };
        assert_eq!(run(Normalize::Nfkc, "ﬁ①"), "fi1");
        assert_eq!(run(Normalize::Lowercase, "ΑΣ"), "ας".replace('ς', "σ"));
        assert_eq!(run(Normalize::FewSpaces, "  a   b "), "a b");
        assert_eq!(run(Normalize::Prepend("▁".into()), ""), "");
        assert_eq!(run(Normalize::Nmt, "a\u{1}b\tc"), "ab c");
        let replace = |from: &str, to: &str| Normalize::Replace {
            pattern: Pattern::Text(from.into()),
            content: to.into(),
        };
        assert_eq!(run(replace(" ", "▁"), " a b"), "▁a▁b");
        assert_eq!(run(replace("x", ""), "xx"), "");
        assert_eq!(run(replace("x", "y"), "ab"), "ab");
    }
}
