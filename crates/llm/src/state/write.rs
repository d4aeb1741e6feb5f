//! Saving a state.

use super::{
    State,
    format::{Described, MAGIC, VERSION, pieces, refuse},
};
use crate::{Error, Result};
use crc32fast::Hasher;
use std::io::{self, Write};

impl State {
    /// Writes all of it. Fixed slots must have seen all tokens.
    pub(crate) fn save(&self, to: &mut dyn Write) -> Result<()> {
        let header = self.header()?;
        let check = crc32fast::hash(&header);
        write(to, &header)?;
        write(to, &check.to_le_bytes())?;
        let (mut check, mut bytes) = (Hasher::new(), Vec::new());
        for piece in pieces(self, self.len())? {
            bytes.resize(piece.stored_bytes(), 0);
            self.model.device().read(&piece.slice()?, &mut bytes)?;
            check.update(&bytes);
            write(to, &bytes)?;
        }
        write(to, &check.finalize().to_le_bytes())?;
        to.flush().map_err(cannot_write)
    }

    fn header(&self) -> Result<Vec<u8>> {
        let mut header = MAGIC.to_vec();
        header.extend(VERSION.to_le_bytes());
        header.extend(self.model.fingerprint());
        header.push(self.model.config().is_long(self.capacity).into());
        header.extend((self.len() as u64).to_le_bytes());
        let layers = Described::of(self, self.len())?;
        header.extend((layers.len() as u32).to_le_bytes());
        for slots in layers {
            header.extend((slots.len() as u32).to_le_bytes());
            for Described { name, dtype, dims } in slots {
                for text in [name, dtype] {
                    header.push(text.len() as u8);
                    header.extend(text.as_bytes());
                }
                header.push(dims.len() as u8);
                header.extend(dims.iter().flat_map(|dim| dim.to_le_bytes()));
            }
        }
        header.extend(self.tokens.iter().flat_map(|token| token.to_le_bytes()));
        Ok(header)
    }
}

fn write(to: &mut dyn Write, bytes: &[u8]) -> Result<()> {
    to.write_all(bytes).map_err(cannot_write)
}

fn cannot_write(error: io::Error) -> Error {
    refuse("save", format!("cannot write: {error}"))
}
