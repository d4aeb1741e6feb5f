//! Text that has been cut into words.

use crate::{
    Result,
    tokenizer::limits::{Growth, Watch},
};
use std::{borrow::Cow, ops::Range};

/// Text with its words.
pub(crate) struct Pieces<'t> {
    pub(crate) text: Cow<'t, str>,
    /// The words, in order; none is empty.
    pub(crate) spans: Vec<Range<usize>>,
    /// Whether this is the start of all that is encoded.
    pub(crate) at_start: bool,
}

impl<'t> Pieces<'t> {
    pub(crate) fn whole(text: Cow<'t, str>, at_start: bool) -> Pieces<'t> {
        Pieces {
            spans: std::iter::once(0..text.len()).filter(|span| !span.is_empty()).collect(),
            text,
            at_start,
        }
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.spans.iter().map(|span| &self.text[span.clone()])
    }

    /// Cuts each word without dropping anything: `ends` gets where its parts end, in order.
    pub(super) fn recut(
        &mut self,
        watch: &Watch<'_>,
        ends: impl Fn(&str, &mut Vec<usize>),
    ) -> Result<()> {
        let mut spans = Vec::with_capacity(self.spans.len());
        let mut found = Vec::new();
        for span in &self.spans {
            watch.check()?;
            found.clear();
            ends(&self.text[span.clone()], &mut found);
            let mut at = span.start;
            for end in found.iter().map(|end| span.start + end) {
                spans.push(at..end);
                at = end;
            }
        }
        self.spans = spans;
        Ok(())
    }

    /// Replaces each word: `write` gets where it starts, the word, and where to write the new.
    pub(super) fn rewrite(
        &mut self,
        growth: Growth,
        write: impl Fn(usize, &str, &mut String),
    ) -> Result<()> {
        let mut text = String::with_capacity(self.text.len() + self.spans.len());
        for span in &mut self.spans {
            let start = text.len();
            write(span.start, &self.text[span.clone()], &mut text);
            *span = start..text.len();
            growth.check(text.len())?;
        }
        self.text = Cow::Owned(text);
        Ok(())
    }
}
