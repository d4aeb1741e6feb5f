//! Whether what arrives is what a file of its name should be: web pages and error messages are no models.

use std::path::Path;

/// So many bytes tell what a file is.
pub(super) const ENOUGH: usize = 16;

/// The longest header of a safetensors file that anybody reads.
const LONGEST_HEADER: u64 = 100_000_000;

/// What a file should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    Gguf,
    Safetensors,
    Json,
    Zip,
    Other,
}

impl Contents {
    /// What a file of this name should be.
    pub(super) fn of(name: &Path) -> Contents {
        let kind = name.extension().map(|e| e.to_string_lossy().to_lowercase());
        match kind.as_deref() {
            Some("gguf") => Contents::Gguf,
            Some("safetensors") => Contents::Safetensors,
            Some("json") => Contents::Json,
            _ => Contents::Other,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Contents::Gguf => "a GGUF file",
            Contents::Safetensors => "a safetensors file",
            Contents::Json => "a JSON file",
            Contents::Zip => "a Python wheel",
            Contents::Other => "a file of a model",
        }
    }

    /// Refuses a file that the server itself calls a page or a message.
    pub(super) fn check_type(self, content_type: Option<&str>) -> Result<(), String> {
        let said = content_type.unwrap_or_default();
        let said = said.split(';').next().unwrap_or_default().trim().to_lowercase();
        let is_page = matches!(said.as_str(), "text/html" | "application/xhtml+xml");
        let is_message =
            matches!(said.as_str(), "application/json" | "application/xml" | "text/xml");
        let may_be_message = matches!(self, Contents::Json | Contents::Other);
        match is_page || is_message && !may_be_message {
            true => Err(format!("the server sent {said}, which is not {}", self.name())),
            false => Ok(()),
        }
    }

    /// Refuses a file of `total` bytes by the first of them: [`ENOUGH`], or all there are.
    pub(super) fn check_start(self, bytes: &[u8], total: Option<u64>) -> Result<(), String> {
        let first = bytes.trim_ascii_start().first();
        let fits = match self {
            Contents::Gguf => bytes.starts_with(b"GGUF"),
            Contents::Safetensors => bytes.split_first_chunk().is_some_and(|(length, rest)| {
                let length = u64::from_le_bytes(*length);
                let room = total.map_or(LONGEST_HEADER, |total| total.saturating_sub(8));
                (2..=room.min(LONGEST_HEADER)).contains(&length) && rest.first() == Some(&b'{')
            }),
            Contents::Json => matches!(first, Some(b'{' | b'[')),
            Contents::Zip => bytes.starts_with(b"PK\x03\x04"),
            Contents::Other => true,
        };
        if fits {
            return Ok(());
        }
        let start = bytes[..bytes.len().min(ENOUGH)].escape_ascii();
        Err(format!("the file starts with \"{start}\" and is not {}", self.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_messages_are_no_models() {
        let gguf = Contents::of(Path::new("a/X.GGUF"));
        assert!(gguf.check_type(Some("text/html; charset=utf-8")).is_err());
        assert!(gguf.check_type(Some("application/json")).is_err());
        assert!(
            gguf.check_type(Some("binary/octet-stream")).is_ok() && gguf.check_type(None).is_ok()
        );
        assert!(gguf.check_start(b"GGUF\x03\0\0\0", None).is_ok());
        assert!(gguf.check_start(b"<!DOCTYPE html>", None).unwrap_err().contains("<!DOCTYPE"));
        let json = Contents::of(Path::new("config.json"));
        assert!(json.check_type(Some("application/json")).is_ok());
        assert!(
            json.check_start(b" {\"a\"", None).is_ok()
                && json.check_start(b"<html>", None).is_err()
        );
        let tensors = Contents::of(Path::new("x.safetensors"));
        assert!(tensors.check_start(b"\x40\0\0\0\0\0\0\0{\"a\": 1}", Some(1000)).is_ok());
        for (start, total) in [
            (&b"\x40\0\0\0\0\0\0\0{\"a\": 1}"[..], Some(40)),
            (b"{\"error\": \"no such file\"}", None),
            (b"\x40\0\0", None),
        ] {
            assert!(tensors.check_start(start, total).is_err());
        }
        assert!(Contents::Zip.check_start(b"PK\x03\x04", None).is_ok());
        assert!(Contents::of(Path::new("README")).check_start(b"anything", None).is_ok());
    }
}
