//! Restoring a state from untrusted bytes.
//!
//! Everything is compared with what this session would have saved before anything is allocated or
//! written, so that memory is bounded by what the session holds already.

use super::{
    State,
    format::{Described, MAGIC, VERSION, pieces, refuse},
};
use crate::{Error, Result};
use crc32fast::Hasher;
use std::io::{ErrorKind, Read};

/// The most tokens that are read at once.
const TOKENS: usize = 1 << 16;

impl State {
    /// Takes the place of the text with one that was saved. If the header is refused, nothing is
    /// changed; if its data is, the text is empty.
    pub(crate) fn load(&mut self, from: &mut dyn Read, checksums: Checksums) -> Result<()> {
        let mut from = Checked { from, check: Hasher::new(), checksums, read: 0 };
        let tokens = self.check_header(&mut from)?;
        self.truncate(0);
        self.begin();
        let (device, mut bytes) = (self.model.device(), Vec::new());
        for piece in pieces(self, tokens.len())? {
            bytes.resize(piece.stored_bytes(), 0);
            from.fill(&mut bytes, "data")?;
            device.write(&piece.slice()?, &bytes)?;
        }
        from.end("data")?;
        self.held = Some(tokens.len());
        self.tokens = tokens;
        // A prompt that was saved is a place to return to.
        self.take_snapshot_if_room()
    }

    /// Compares the header with what this state would save and gives its tokens.
    fn check_header(&self, from: &mut Checked<'_>) -> Result<Vec<u32>> {
        let magic: [u8; 8] = from.array("magic")?;
        if &magic != MAGIC {
            let magic = magic.escape_ascii();
            return Err(wrong(format!(
                "the bytes start with `{magic}`, not with `{}`; pass a state that was saved",
                MAGIC.escape_ascii()
            )));
        }
        let version = from.u32("version")?;
        if version != VERSION {
            return Err(wrong(format!(
                "the state has version {version} of the format, not {VERSION}; make it again from its text"
            )));
        }
        let (saved, own): ([u8; 32], _) = (from.array("model")?, self.model.fingerprint());
        if saved != *own {
            return Err(wrong(format!(
                "the state is of another model, or of another version of bessemer (fingerprint {}…, \
                 not {}…); restore it with the model and version that saved it",
                hex(&saved),
                hex(own)
            )));
        }
        let [long] = from.array("long")?;
        let count = from.u64("tokens")?;
        if count > self.capacity as u64 {
            return Err(wrong(format!(
                "the state has {count} tokens, but the session has room for {}; use a context of at \
                 least {count}",
                self.capacity
            )));
        }
        let is_long = self.model.config().is_long(self.capacity);
        if long != u8::from(is_long) {
            let [saved, own] = match is_long {
                false => ["longer", "shorter"],
                true => ["shorter", "longer"],
            };
            return Err(wrong(format!(
                "the state is from a {saved} context, for which this model has other rotary embeddings, \
                 but the session's is {own} ({} tokens); use a context of the same length",
                self.capacity
            )));
        }
        let count = count as usize;
        self.check_slots(from, count)?;
        let tokens = self.read_tokens(from, count)?;
        from.end("header")?;
        Ok(tokens)
    }

    fn check_slots(&self, from: &mut Checked<'_>, tokens: usize) -> Result<()> {
        let wanted = Described::of(self, tokens)?;
        let count = from.u32("layers")?;
        if count as usize != wanted.len() {
            let own = wanted.len();
            return Err(wrong(format!("the state has {count} layers, but the model has {own}")));
        }
        for (number, wanted) in wanted.iter().enumerate() {
            let count = from.u32("slots")?;
            if count as usize != wanted.len() {
                let own = wanted.len();
                let why = format!("layer {number} has {count} slots, but the model's has {own}");
                return Err(wrong(why));
            }
            for wanted in wanted {
                let found = from.described()?;
                if found.name == wanted.name && found.dtype != wanted.dtype {
                    return Err(wrong(format!(
                        "`{}` of layer {number} is {}, but the session's is {}; open the session \
                         with a cache of {}",
                        found.name, found.dtype, wanted.dtype, found.dtype
                    )));
                }
                if found != *wanted {
                    return Err(wrong(format!(
                        "layer {number} has `{}` of sizes {:?}, but the model's has `{}` of {:?}",
                        found.name, found.dims, wanted.name, wanted.dims
                    )));
                }
            }
        }
        Ok(())
    }

    fn read_tokens(&self, from: &mut Checked<'_>, count: usize) -> Result<Vec<u32>> {
        let vocabulary = self.model.config().vocabulary;
        let (mut tokens, mut bytes) = (Vec::new(), Vec::new());
        while tokens.len() < count {
            bytes.resize(4 * TOKENS.min(count - tokens.len()), 0);
            from.fill(&mut bytes, "text")?;
            tokens.extend(bytes.as_chunks().0.iter().map(|&token| u32::from_le_bytes(token)));
        }
        match tokens.iter().position(|&token| token as usize >= vocabulary) {
            Some(at) => Err(wrong(format!(
                "token {} of the text is {}, out of range for a vocabulary of {vocabulary}",
                at, tokens[at]
            ))),
            None => Ok(tokens),
        }
    }
}

/// What to do with checksums that are wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checksums {
    /// Refuse the state.
    Verify,
    /// Go on. Fuzzing does, or it would never get past them.
    Ignore,
}

/// Bytes that are counted and checked.
struct Checked<'a> {
    from: &'a mut dyn Read,
    check: Hasher,
    checksums: Checksums,
    read: u64,
}

impl Checked<'_> {
    fn fill(&mut self, bytes: &mut [u8], part: &str) -> Result<()> {
        self.raw(bytes, part)?;
        self.check.update(bytes);
        Ok(())
    }

    fn raw(&mut self, bytes: &mut [u8], part: &str) -> Result<()> {
        let from = self.read;
        self.from.read_exact(bytes).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => wrong(format!(
                "the bytes end within the {part}, which starts at byte {from} and has {}; the file is \
                 incomplete",
                bytes.len()
            )),
            _ => wrong(format!("cannot read the {part} at byte {from}: {error}")),
        })?;
        self.read += bytes.len() as u64;
        Ok(())
    }

    /// Compares what was read since the last end with the check that follows it.
    fn end(&mut self, part: &str) -> Result<()> {
        let found = std::mem::take(&mut self.check).finalize();
        let mut saved = [0; 4];
        self.raw(&mut saved, "check")?;
        let saved = u32::from_le_bytes(saved);
        if found != saved && self.checksums == Checksums::Verify {
            return Err(wrong(format!(
                "the {part} has the CRC-32 {found:08x}, not {saved:08x} as saved; the file is damaged"
            )));
        }
        Ok(())
    }

    fn array<const N: usize>(&mut self, part: &str) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, part)?;
        Ok(bytes)
    }

    fn u32(&mut self, part: &str) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(part)?))
    }

    fn u64(&mut self, part: &str) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array(part)?))
    }

    fn text(&mut self, part: &str) -> Result<String> {
        let [len] = self.array(part)?;
        let mut bytes = vec![0; len.into()];
        self.fill(&mut bytes, part)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn described(&mut self) -> Result<Described> {
        let (name, dtype) = (self.text("name")?, self.text("dtype")?);
        let [rank] = self.array("rank")?;
        let dims = (0..rank).map(|_| self.u64("sizes")).collect::<Result<_>>()?;
        Ok(Described { name, dtype, dims })
    }
}

fn wrong(why: impl AsRef<str>) -> Error {
    refuse("restore", why)
}

fn hex(bytes: &[u8]) -> String {
    bytes[..6].iter().map(|byte| format!("{byte:02x}")).collect()
}
