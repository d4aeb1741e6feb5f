//! Prompt lookup for speculative decoding: drafts tokens from earlier parts of the text.

/// The longest end of the text that is looked for, and the shortest.
const LONGEST: usize = 4;
const SHORTEST: usize = 2;

/// Drafts tokens by looking the end of a text up in the text itself.
///
/// ```
/// use bessemer_llm::Lookup;
///
/// let mut lookup = Lookup::new();
/// let mut line = vec![2];
/// // The text ends in 1, and 2 is next: it was so before, and 3 came then.
/// lookup.draft(&[1, 2, 3, 1], &mut line, 1);
/// assert_eq!(line, [2, 3]);
/// lookup.learn(1, 1);
/// ```
#[derive(Clone, Debug)]
pub struct Lookup {
    /// How many to draft: more after success, fewer after failure.
    eager: usize,
}

impl Default for Lookup {
    fn default() -> Lookup {
        Lookup::new()
    }
}

impl Lookup {
    /// A text that nothing is known of yet.
    pub fn new() -> Lookup {
        Lookup { eager: 3 }
    }

    /// Appends to `line`, which ends in the last token of `text` and one more, up to `most` tokens
    /// that may follow: those that did the last time the end of the text stood there.
    pub fn draft(&self, text: &[u32], line: &mut Vec<u32>, most: usize) {
        let Some(&last) = line.last() else { return };
        let first = line.len();
        for len in (SHORTEST..=LONGEST.min(text.len())).rev() {
            // What is looked for is the end of `text`, and `last`.
            let end = &text[text.len() + 1 - len..];
            let same = |place: &[u32]| place[..len - 1] == *end && place[len - 1] == last;
            if let Some(at) = text.windows(len).rposition(same) {
                for from in (at + len..).take(most.min(self.eager)) {
                    // Behind the text comes `last`, then what is drafted: a loop goes on.
                    let next = text.get(from).copied();
                    line.push(next.unwrap_or_else(|| line[first - 1 + from - text.len()]));
                }
                return;
            }
        }
    }

    /// Learns how many of the drafted tokens were accepted.
    pub fn learn(&mut self, drafted: usize, accepted: usize) {
        self.eager = if accepted == drafted { (2 * self.eager).min(64) } else { accepted + 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(lookup: &Lookup, text: &[u32], last: u32, most: usize) -> Vec<u32> {
        let mut line = vec![last];
        lookup.draft(text, &mut line, most);
        line.split_off(1)
    }

    #[test]
    fn the_latest_place_says_what_follows() {
        let lookup = Lookup { eager: 9 };
        let text = [1, 2, 3, 9, 1, 2, 4, 8, 1];
        assert_eq!(draft(&lookup, &text, 2, 2), [4, 8]);
        assert_eq!(draft(&lookup, &text, 2, 9), [4, 8, 1, 2, 4, 8, 1, 2, 4]);
        // A longer end counts for more than a later place.
        let text = [5, 1, 2, 7, 6, 1, 2, 8, 5, 1];
        assert_eq!(draft(&lookup, &text, 2, 1), [7]);
        assert_eq!(draft(&lookup, &text, 3, 9), [0; 0]);
        assert_eq!(draft(&lookup, &[], 3, 9), [0; 0]);
        assert_eq!(draft(&lookup, &[3, 3, 3], 3, 3), [3, 3, 3]);
    }

    #[test]
    fn success_makes_eager() {
        let mut lookup = Lookup::new();
        let text: Vec<u32> = (0..40).chain(0..4).collect();
        assert_eq!(draft(&lookup, &text, 4, 20).len(), 3);
        lookup.learn(3, 3);
        assert_eq!(draft(&lookup, &text, 4, 20).len(), 6);
        lookup.learn(6, 0);
        assert_eq!(draft(&lookup, &text, 4, 20).len(), 1);
    }
}
