//! The vocabulary: ids to pieces and back, in one piece of memory.

use super::limits::{MOST_PIECE_BYTES, MOST_TOKENS, MOST_VOCAB_BYTES};
use crate::error::grouped;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Pieces by id, and ids by piece. A piece is bytes: of text, or for byte-level BPE any.
#[derive(Clone)]
pub(crate) struct Vocab {
    bytes: Vec<u8>,
    /// Where each id's piece ends.
    ends: Vec<u32>,
    ids: HashTable<u32>,
    longest: usize,
    hasher: FixedState,
}

impl Vocab {
    pub(crate) fn new() -> Vocab {
        // A seed per process keeps a hostile vocabulary from being all collisions.
        let seed = foldhash::fast::RandomState::default().hash_one(0);
        Vocab {
            bytes: Vec::new(),
            ends: Vec::new(),
            ids: HashTable::new(),
            longest: 0,
            hasher: FixedState::with_seed(seed),
        }
    }

    /// Adds the piece of the next id; the error says why it does not fit. With `named`, the id can
    /// be found by the piece; of equal pieces the first is.
    pub(crate) fn push(&mut self, piece: &[u8], named: bool) -> Result<(), String> {
        let id = self.ends.len() as u32;
        let end = self.bytes.len() + piece.len();
        if self.len() >= MOST_TOKENS {
            return Err(format!("has more than {} tokens", grouped(MOST_TOKENS)));
        }
        if piece.len() > MOST_PIECE_BYTES {
            let (len, most) = (grouped(piece.len()), grouped(MOST_PIECE_BYTES));
            return Err(format!("has a token {id} of {len} bytes, more than {most}"));
        }
        if end > MOST_VOCAB_BYTES {
            let most = grouped(MOST_VOCAB_BYTES);
            return Err(format!("has tokens of more than {most} bytes in all"));
        }
        if named && !piece.is_empty() {
            let Vocab { bytes, ends, ids, hasher, .. } = self;
            let same = |&id: &u32| slice(bytes, ends, id) == piece;
            let rehash = |&id: &u32| hasher.hash_one(slice(bytes, ends, id));
            ids.entry(hasher.hash_one(piece), same, rehash).or_insert(id);
        }
        self.bytes.extend_from_slice(piece);
        self.ends.push(end as u32);
        self.longest = self.longest.max(piece.len());
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The most bytes a piece has.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    pub(crate) fn id(&self, piece: &[u8]) -> Option<u32> {
        if piece.len() > self.longest {
            return None;
        }
        let hash = self.hasher.hash_one(piece);
        let same = |&id: &u32| slice(&self.bytes, &self.ends, id) == piece;
        self.ids.find(hash, same).copied()
    }

    pub(crate) fn piece(&self, id: u32) -> Option<&[u8]> {
        ((id as usize) < self.len()).then(|| slice(&self.bytes, &self.ends, id))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len() as u32).map(|id| slice(&self.bytes, &self.ends, id))
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[u32], id: u32) -> &'a [u8] {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &bytes[start as usize..ends[id] as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_pieces() {
        let mut vocab = Vocab::new();
        for piece in ["a", "", "bc", "a"] {
            vocab.push(piece.as_bytes(), true).unwrap();
        }
        assert_eq!(vocab.id(b"a"), Some(0));
        assert_eq!(vocab.id(b"bc"), Some(2));
        assert_eq!(vocab.id(b""), None);
        assert_eq!(vocab.id(b"abc"), None);
        assert_eq!(vocab.piece(3), Some(b"a".as_slice()));
        assert_eq!(vocab.piece(4), None);
        assert_eq!((vocab.len(), vocab.longest()), (4, 2));
        assert!(vocab.push(&[b'x'; 4097], false).unwrap_err().contains("4,097 bytes"));
    }
}
