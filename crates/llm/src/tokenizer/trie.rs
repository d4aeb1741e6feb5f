//! Pieces as a tree of bytes, in a few flat arrays: which of them does a text start with?

use super::limits::MOST_NODES;
use crate::error::grouped;

/// A tree of pieces. Nodes are numbered level by level, so the children of one are neighbours.
///
/// It takes 13 bytes a node and 16 more for each of its at most 2,097,152 leaves, whatever the pieces are.
#[derive(Clone)]
pub(crate) struct Trie {
    nodes: Vec<Node>,
    /// The byte that leads to each node.
    labels: Vec<u8>,
    /// For nodes with many children: which of them each byte leads to, if any does.
    wide: Vec<[u8; 256]>,
}

#[derive(Clone, Copy)]
struct Node {
    first: u32,
    /// How many children, or [`NARROW`] + 1 + the number of the table in [`Trie::wide`].
    children: u32,
    id: u32,
}

/// No piece ends here.
const NO_ID: u32 = u32::MAX;

/// Up to so many children are looked through; more have a table.
const NARROW: usize = 16;

impl Trie {
    /// A tree of these pieces with their ids. Of equal pieces the last id counts, as in a map that is
    /// filled in order; empty ones are left out. The error says what does not fit.
    pub(crate) fn new<'p>(
        pieces: impl IntoIterator<Item = (&'p [u8], u32)>,
    ) -> Result<Trie, String> {
        let mut pieces: Vec<(&[u8], u32)> =
            pieces.into_iter().filter(|(piece, _)| !piece.is_empty()).collect();
        // Stable, so that equal pieces stay in their order.
        pieces.sort_by_key(|(piece, _)| *piece);
        let mut trie = Trie { nodes: Vec::new(), labels: Vec::new(), wide: Vec::new() };
        trie.push(0)?;
        // The pieces below each node of this level and the next.
        let (mut level, mut next) = (vec![(0, pieces.len() as u32)], Vec::new());
        let (mut node, mut depth) = (0, 0);
        while !level.is_empty() {
            for (start, end) in level.drain(..) {
                let mut rest = &pieces[start as usize..end as usize];
                while let Some((&(piece, id), more)) = rest.split_first()
                    && piece.len() == depth
                {
                    trie.nodes[node].id = id;
                    rest = more;
                }
                let first = trie.nodes.len();
                while let Some((piece, _)) = rest.first() {
                    let byte = piece[depth];
                    let run = rest.partition_point(|(piece, _)| piece[depth] == byte);
                    let start = end - rest.len() as u32;
                    next.push((start, start + run as u32));
                    trie.push(byte)?;
                    rest = &rest[run..];
                }
                trie.adopt(node, first);
                node += 1;
            }
            std::mem::swap(&mut level, &mut next);
            depth += 1;
        }
        trie.nodes.shrink_to_fit();
        trie.labels.shrink_to_fit();
        Ok(trie)
    }

    fn push(&mut self, label: u8) -> Result<(), String> {
        if self.nodes.len() == MOST_NODES {
            let most = grouped(MOST_NODES);
            return Err(format!("has tokens that start in more than {most} different ways"));
        }
        self.nodes.push(Node { first: 0, children: 0, id: NO_ID });
        self.labels.push(label);
        Ok(())
    }

    /// Makes the nodes from `first` on the children of `node`.
    fn adopt(&mut self, node: usize, first: usize) {
        let labels = &self.labels[first..];
        let children = if labels.len() > NARROW {
            let mut table = [0; 256];
            for (i, &label) in labels.iter().enumerate() {
                table[usize::from(label)] = i as u8;
            }
            self.wide.push(table);
            NARROW + self.wide.len()
        } else {
            labels.len()
        };
        let node = &mut self.nodes[node];
        (node.first, node.children) = (first as u32, children as u32);
    }

    #[inline]
    fn child(&self, node: Node, byte: u8) -> Option<Node> {
        let (first, children) = (node.first as usize, node.children as usize);
        if children <= NARROW {
            let labels = &self.labels[first..first + children];
            let at = labels.iter().position(|&label| label == byte)?;
            return Some(self.nodes[first + at]);
        }
        // A byte that leads nowhere points at the first child, which has another label.
        let at = first + usize::from(self.wide[children - NARROW - 1][usize::from(byte)]);
        (self.labels[at] == byte).then(|| self.nodes[at])
    }

    /// Calls with the length and id of every piece that `text` starts with, shortest first.
    #[inline]
    pub(crate) fn walk(&self, text: &[u8], mut found: impl FnMut(usize, u32)) {
        let mut node = self.nodes[0];
        for (i, &byte) in text.iter().enumerate() {
            let Some(child) = self.child(node, byte) else { return };
            node = child;
            if node.id != NO_ID {
                found(i + 1, node.id);
            }
        }
    }

    /// The length and id of the longest piece that `text` starts with.
    #[inline]
    pub(crate) fn longest(&self, text: &[u8]) -> Option<(usize, u32)> {
        let mut longest = None;
        self.walk(text, |len, id| longest = Some((len, id)));
        longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn trie(pieces: &[&[u8]]) -> Trie {
        Trie::new(pieces.iter().zip(0..).map(|(&piece, id)| (piece, id))).unwrap()
    }

    fn all(trie: &Trie, text: &[u8]) -> Vec<(usize, u32)> {
        let mut found = Vec::new();
        trie.walk(text, |len, id| found.push((len, id)));
        found
    }

    #[test]
    fn pieces_are_found() {
        let trie = trie(&[b"a", b"abc", b"", b"b\0", b"abcd", b"a"]);
        assert_eq!(all(&trie, b"abcde"), [(1, 5), (3, 1), (4, 4)]);
        assert_eq!(trie.longest(b"abx"), Some((1, 5)));
        assert_eq!(trie.longest(b"b"), None);
        assert_eq!(trie.longest(b"b\0"), Some((2, 3)));
        assert_eq!(trie.longest(b""), None);
        assert_eq!(Trie::new([]).unwrap().longest(b"a"), None);
    }

    #[test]
    fn all_numbers_of_children_work() {
        for count in [1, 15, 16, 17, 255, 256] {
            let pieces: Vec<[u8; 2]> = (0..count).map(|byte| [b'x', byte as u8]).collect();
            let pieces: Vec<&[u8]> = pieces.iter().map(|piece| &piece[..]).collect();
            let trie = trie(&pieces);
            for byte in 0..256u32 {
                let expected = (byte < count).then_some((2, byte));
                assert_eq!(trie.longest(&[b'x', byte as u8]), expected, "{byte} of {count}");
            }
        }
    }

    #[test]
    fn too_many_nodes_are_refused() {
        let mut random = 1u64;
        let pieces: Vec<Vec<u8>> = (0..MOST_NODES / 4000)
            .map(|_| {
                let next = |_| {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (random >> 56) as u8
                };
                (0..4096).map(next).collect()
            })
            .collect();
        let error = Trie::new(pieces.iter().map(|piece| (&piece[..], 0))).err().unwrap();
        assert!(error.contains("8,388,608"), "{error}");
    }

    proptest! {
        #[test]
        fn it_is_a_search_through_all(
            pieces in proptest::collection::vec(proptest::collection::vec(0u8..4, 0..6), 0..60),
            text in proptest::collection::vec(0u8..4, 0..9),
        ) {
            let refs: Vec<&[u8]> = pieces.iter().map(|piece| &piece[..]).collect();
            let trie = trie(&refs);
            let expected: Vec<(usize, u32)> = (1..=text.len())
                .filter_map(|len| {
                    let id = refs.iter().rposition(|&piece| *piece == text[..len])?;
                    Some((len, id as u32))
                })
                .collect();
            prop_assert_eq!(all(&trie, &text), expected);
        }
    }
}
