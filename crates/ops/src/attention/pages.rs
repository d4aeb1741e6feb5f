//! Pages: where the keys and values of several texts are in one cache.

use crate::check::{Check, dims};
use bessemer_core::{DType, Result, View};

/// Several texts in pages of one cache, which they may share. What it holds is read when the op runs.
///
/// Token `t` of a text is in the cache at `table[text, t / len] * len + t % len`; a page that the cache
/// does not have is its last one.
#[derive(Clone, Debug)]
pub struct Pages {
    /// `[texts, most]`, `U32`: the pages of each text, in order. Behind those that are needed, anything.
    pub table: View,
    /// `[rows]`, `U32`: whose the rows are. Those of a text that the table does not have see no key.
    pub texts: View,
    /// Tokens of a page; the cache must have whole pages.
    pub len: usize,
}

impl Pages {
    /// Tokens that a text has room for.
    pub(super) fn capacity(&self) -> usize {
        self.table.shape()[1].saturating_mul(self.len)
    }

    pub(super) fn check(&self, check: &Check<'_>, rows: usize, tokens: usize) -> Result<()> {
        let Pages { table, texts, len } = self;
        check.is(table, DType::U32)?;
        check.is(texts, DType::U32)?;
        check.rank(table, 2, "[texts, pages]")?;
        check.shape(texts, &[rows], "one text per row of q")?;
        check.require(*len > 0 && tokens > 0 && tokens.is_multiple_of(*len), || {
            format!("a cache of {tokens} tokens is not of whole pages of {len}")
        })?;
        let [_, most] = dims(table.shape());
        check.require(most.checked_mul(*len).is_some_and(|all| i32::try_from(all).is_ok()), || {
            format!("{most} pages of {len} tokens are more than 2147483647 tokens")
        })
    }
}
