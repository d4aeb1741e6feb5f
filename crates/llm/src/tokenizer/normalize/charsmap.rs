//! SentencePiece's compiled table of replacements: a double-array trie of what to replace, and
//! the replacements one after the other. Every step into it is checked: it comes from a file.

use crate::{Result, tokenizer::limits::Growth};

/// The most bytes of what is replaced, and of what it is replaced by. Unicode's longest have 18 and 33;
/// a hostile trie may be endless.
const LONGEST: usize = 256;

/// The table.
#[derive(Clone)]
pub(crate) struct Charsmap {
    units: Vec<u32>,
    replacements: Vec<u8>,
}

impl Charsmap {
    /// Takes a table apart; the error says what is wrong.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Charsmap, String> {
        let Some((size, rest)) = bytes.split_first_chunk::<4>() else {
            return Err(format!("is a charsmap of {} bytes, too short for its size", bytes.len()));
        };
        let size = u32::from_le_bytes(*size) as usize;
        if !size.is_multiple_of(4) || size > rest.len() {
            let held = rest.len();
            return Err(format!("is a charsmap of {held} bytes with a trie of {size}"));
        }
        let (trie, replacements) = rest.split_at(size);
        let units = trie.chunks_exact(4);
        Ok(Charsmap {
            units: units
                .map(|unit| u32::from_le_bytes([unit[0], unit[1], unit[2], unit[3]]))
                .collect(),
            replacements: replacements.to_vec(),
        })
    }

    /// Replaces from left to right, always the longest that matches.
    pub(crate) fn apply(&self, text: &str, growth: Growth) -> Result<String> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let found = self.longest(rest.as_bytes());
            let found = found.filter(|(len, _)| rest.is_char_boundary(*len));
            match found.and_then(|(len, at)| Some((len, self.replacement(at)?))) {
                Some((len, new)) => {
                    out.push_str(new);
                    growth.check(out.len())?;
                    rest = &rest[len..];
                }
                None => {
                    out.push(c);
                    rest = &rest[c.len_utf8()..];
                }
            }
        }
        Ok(out)
    }

    /// The length of the longest match at the start of `text`, and where its replacement starts.
    fn longest(&self, text: &[u8]) -> Option<(usize, usize)> {
        let mut best = None;
        let mut node = 0usize;
        let mut unit = *self.units.first()?;
        for (i, &byte) in text.iter().enumerate().take(LONGEST) {
            node ^= offset(unit);
            // A zero byte would be the mark of a leaf, not a step.
            if byte == 0 {
                break;
            }
            node ^= usize::from(byte);
            let Some(&next) = self.units.get(node) else {
                break;
            };
            unit = next;
            // The label of a node must be the byte that led to it.
            if unit & 0x8000_00FF != u32::from(byte) {
                break;
            }
            if unit >> 8 & 1 == 1 {
                let leaf = self.units.get(node ^ offset(unit));
                best = leaf.map(|leaf| (i + 1, (leaf & 0x7FFF_FFFF) as usize)).or(best);
            }
        }
        best
    }

    fn replacement(&self, at: usize) -> Option<&str> {
        let rest = self.replacements.get(at..)?;
        let rest = &rest[..rest.len().min(LONGEST)];
        let end = rest.iter().position(|&b| b == 0)?;
        std::str::from_utf8(&rest[..end]).ok()
    }
}

/// Where a node's children are, relative to it.
fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 1 << 9) >> 6)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lies_do_no_harm() {
        assert!(Charsmap::parse(&[1, 0]).is_err());
        assert!(Charsmap::parse(&[255, 255, 255, 255, 0]).is_err());
        assert!(Charsmap::parse(&[3, 0, 0, 0, 0, 0, 0]).is_err());
        for fill in [0x00u8, 0x01, 0x61, 0x80, 0xFF] {
            let mut table = vec![64, 0, 0, 0];
            table.extend([fill; 80]);
            let map = Charsmap::parse(&table).unwrap();
            map.apply("aé漢\0😀", Growth::of_text(10)).unwrap();
        }
        let empty = Charsmap::parse(&[0, 0, 0, 0]).unwrap();
        assert_eq!(empty.apply("same", Growth::of_text(4)).unwrap(), "same");
    }
}
