//! What kind of character something is, as the patterns of tokenizers ask.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// The classes that the patterns of byte-level BPE tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// `\p{L}`
    Letter,
    /// `\p{N}`
    Number,
    /// `\s`, except line ends.
    Space,
    /// `\r` or `\n`.
    LineEnd,
    /// Anything else.
    Other,
}

pub(crate) fn class(c: char) -> Class {
    if c.is_ascii() {
        return match c {
            'a'..='z' | 'A'..='Z' => Class::Letter,
            '0'..='9' => Class::Number,
            '\r' | '\n' => Class::LineEnd,
            ' ' | '\t' | '\x0b' | '\x0c' => Class::Space,
            _ => Class::Other,
        };
    }
    match c.general_category_group() {
        GeneralCategoryGroup::Letter => Class::Letter,
        GeneralCategoryGroup::Number => Class::Number,
        _ if c.is_whitespace() => Class::Space,
        _ => Class::Other,
    }
}

/// `\p{P}`, and every printable ASCII sign that is no letter or digit.
pub(crate) fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || c.general_category_group() == GeneralCategoryGroup::Punctuation
}

/// A mark that combines without taking room: `\p{Mn}`.
pub(crate) fn is_nonspacing_mark(c: char) -> bool {
    c.general_category() == GeneralCategory::NonspacingMark
}

/// Control, format and private characters: `\p{C}` without what is not assigned.
pub(crate) fn is_control(c: char) -> bool {
    c.general_category_group() == GeneralCategoryGroup::Other
        && c.general_category() != GeneralCategory::Unassigned
}

/// Chinese ideographs, which BERT takes as words of their own.
pub(crate) fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F
        | 0x2B740..=0x2B81F | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_agree_with_the_regex_tables() {
        let patterns = [
            (r"\p{L}", Class::Letter),
            (r"\p{N}", Class::Number),
            (r"[\s&&[^\r\n]]", Class::Space),
        ];
        let unassigned = fancy_regex::Regex::new(r"^\p{Cn}$").unwrap();
        for (pattern, expected) in patterns {
            let regex = fancy_regex::Regex::new(&format!("^{pattern}$")).unwrap();
            for c in (0..0x30000).filter_map(char::from_u32) {
                let text = c.to_string();
                let matched = regex.is_match(&text).unwrap();
                // The two tables may be of different years.
                let newer = || unassigned.is_match(&text).unwrap();
                assert!(matched == (class(c) == expected) || newer(), "{pattern} {c:?}");
            }
        }
    }
}
