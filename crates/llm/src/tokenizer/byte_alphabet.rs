//! The alphabet of byte-level BPE: each byte as a printable character, as GPT-2 chose them.

use std::sync::LazyLock;

/// Bytes that stand for themselves; the others follow from U+0100 in order.
fn is_itself(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF)
}

struct Tables {
    chars: [char; 256],
    /// Indexed by character, up to the last that is used.
    bytes: [Option<u8>; 324],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut chars = ['\0'; 256];
    let mut bytes = [None; 324];
    let mut next = 0x100;
    for byte in 0..=255u8 {
        let code = if is_itself(byte) {
            u32::from(byte)
        } else {
            next += 1;
            next - 1
        };
        chars[usize::from(byte)] = char::from_u32(code).expect("below the surrogates");
        bytes[code as usize] = Some(byte);
    }
    Tables { chars, bytes }
});

/// The character of a byte.
pub(crate) fn char_of(byte: u8) -> char {
    TABLES.chars[usize::from(byte)]
}

/// The byte of a character; `None` if it is not of the alphabet.
pub(crate) fn byte_of(c: char) -> Option<u8> {
    TABLES.bytes.get(c as usize).copied().flatten()
}

/// Text as its bytes' characters.
pub(crate) fn spell(text: &str) -> String {
    text.bytes().map(char_of).collect()
}

/// The bytes that spelled text stands for; `None` if some character is not of the alphabet.
pub(crate) fn read(spelled: &str) -> Option<Vec<u8>> {
    spelled.chars().map(byte_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_a_character_of_its_own() {
        for byte in 0..=255 {
            assert_eq!(byte_of(char_of(byte)), Some(byte));
        }
        assert_eq!(char_of(b' '), 'Ġ');
        assert_eq!(spell("a\n"), "aĊ");
        assert_eq!(read("Ġa").as_deref(), Some(b" a".as_slice()));
        assert_eq!(read("a b"), None);
        assert_eq!(byte_of('😀'), None);
    }
}
