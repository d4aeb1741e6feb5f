//! The `normalizer` of a file.

use super::{PatternJson, Place, type_of};
use crate::{
    Result,
    tokenizer::normalize::{Charsmap, Normalize},
};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct StripJson {
    strip_left: bool,
    strip_right: bool,
}

#[derive(Deserialize)]
struct ReplaceJson {
    pattern: PatternJson,
    content: String,
}

#[derive(Deserialize)]
struct PrependJson {
    prepend: String,
}

#[derive(Deserialize)]
struct PrecompiledJson {
    precompiled_charsmap: String,
}

/// Appends the steps; whether one of them spells text in the byte alphabet.
pub(super) fn read(at: &Place<'_>, value: &Value, out: &mut Vec<Normalize>) -> Result<bool> {
    if value.is_null() {
        return Ok(false);
    }
    let kind = type_of(value);
    let at = &at.of(kind);
    out.push(match kind {
        "Sequence" => {
            let mut spells = false;
            for step in at.steps(value, "normalizers")? {
                spells |= read(at, step, out)?;
            }
            return Ok(spells);
        }
        "ByteLevel" => {
            out.push(Normalize::Spell);
            return Ok(true);
        }
        "NFC" => Normalize::Nfc,
        "NFD" => Normalize::Nfd,
        "NFKC" => Normalize::Nfkc,
        "NFKD" => Normalize::Nfkd,
        "Lowercase" => Normalize::Lowercase,
        "StripAccents" => Normalize::StripAccents,
        "Nmt" => Normalize::Nmt,
        "BertNormalizer" => Normalize::Bert(at.parse(value)?),
        "Strip" => {
            let StripJson { strip_left: left, strip_right: right } = at.parse(value)?;
            Normalize::Strip { left, right }
        }
        "Replace" => {
            let ReplaceJson { pattern, content } = at.parse(value)?;
            Normalize::Replace { pattern: pattern.read(at)?, content }
        }
        "Prepend" => Normalize::Prepend(at.parse::<PrependJson>(value)?.prepend),
        "Precompiled" => {
            let json: PrecompiledJson = at.parse(value)?;
            let bytes = base64(&json.precompiled_charsmap)
                .ok_or_else(|| at.damaged("has a charsmap that is not base64"))?;
            Normalize::Charsmap(Charsmap::parse(&bytes).map_err(|e| at.damaged(e))?)
        }
        other => return Err(at.unsupported(format!("normalizer {other:?}"))),
    });
    Ok(false)
}

/// Decodes base64 with padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0u32, 0);
    for c in text.bytes() {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_read() {
        assert_eq!(base64("aGVsbG8=").as_deref(), Some(b"hello".as_slice()));
        assert_eq!(base64("aGk").as_deref(), Some(b"hi".as_slice()));
        assert_eq!(base64("a*"), None);
    }
}
