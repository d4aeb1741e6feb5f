//! What texts begin with, by chunks of tokens: a radix tree whose edges are chunks of one length, each with
//! the pages that hold it. Chunks that no text uses are kept until their pages are needed, and then the
//! one that was used longest ago goes first.

use std::collections::{BTreeSet, HashMap};

/// A chunk in the tree.
pub(super) type Node = usize;

/// The root: what all texts begin with is nothing.
pub(super) const ROOT: Node = 0;

pub(super) struct Tree {
    nodes: Vec<Chunk>,
    /// Places in `nodes` that are free.
    vacant: Vec<Node>,
    /// Chunks that no text uses and none follows, by when they were used last.
    idle: BTreeSet<(u64, Node)>,
    /// Pages of all chunks that no text uses.
    cached: usize,
    clock: u64,
}

struct Chunk {
    parent: Node,
    tokens: Box<[u32]>,
    pages: Vec<u32>,
    children: HashMap<Box<[u32]>, Node>,
    /// Texts that begin with it.
    users: usize,
    /// When it was used last.
    used: u64,
}

impl Tree {
    pub(super) fn new() -> Tree {
        let root = Chunk {
            parent: ROOT,
            tokens: Box::default(),
            pages: Vec::new(),
            children: HashMap::new(),
            users: 1,
            used: 0,
        };
        let (vacant, idle) = (Vec::new(), BTreeSet::new());
        Tree { nodes: vec![root], vacant, idle, cached: 0, clock: 0 }
    }

    /// The pages of chunks that no text uses.
    pub(super) fn cached(&self) -> usize {
        self.cached
    }

    /// The chunk that follows another, if it is there.
    pub(super) fn child(&self, node: Node, tokens: &[u32]) -> Option<Node> {
        self.nodes[node].children.get(tokens).copied()
    }

    pub(super) fn pages(&self, node: Node) -> &[u32] {
        &self.nodes[node].pages
    }

    /// Whether no text uses a chunk.
    pub(super) fn is_unused(&self, node: Node) -> bool {
        self.nodes[node].users == 0
    }

    /// A text begins with a chunk, besides those before it.
    pub(super) fn enter(&mut self, node: Node) {
        let chunk = &mut self.nodes[node];
        if chunk.users == 0 {
            self.cached -= chunk.pages.len();
            self.idle.remove(&(chunk.used, node));
        }
        chunk.users += 1;
    }

    /// A text that began with these chunks, one after another, is gone.
    pub(super) fn leave(&mut self, nodes: &[Node]) {
        self.clock += 1;
        // From the last on: a chunk is idle when nothing follows it.
        for &node in nodes.iter().rev() {
            let clock = self.clock;
            let chunk = &mut self.nodes[node];
            chunk.users -= 1;
            if chunk.users == 0 {
                chunk.used = clock;
                self.cached += chunk.pages.len();
                if chunk.children.is_empty() {
                    self.idle.insert((clock, node));
                }
            }
        }
    }

    /// A new chunk after another, which a text that uses that one has computed and goes on with.
    pub(super) fn add(&mut self, parent: Node, tokens: &[u32], pages: Vec<u32>) -> Node {
        let tokens: Box<[u32]> = tokens.into();
        let chunk = Chunk {
            parent,
            tokens: tokens.clone(),
            pages,
            children: HashMap::new(),
            users: 1,
            used: 0,
        };
        let node = match self.vacant.pop() {
            Some(node) => {
                self.nodes[node] = chunk;
                node
            }
            None => {
                self.nodes.push(chunk);
                self.nodes.len() - 1
            }
        };
        self.nodes[parent].children.insert(tokens, node);
        node
    }

    /// Drops the chunk that was used longest ago, of those that can go, and gives its pages.
    pub(super) fn evict(&mut self) -> Option<Vec<u32>> {
        let (_, node) = self.idle.pop_first()?;
        let chunk = &mut self.nodes[node];
        let (parent, pages) = (chunk.parent, std::mem::take(&mut chunk.pages));
        let tokens = std::mem::take(&mut chunk.tokens);
        self.cached -= pages.len();
        self.vacant.push(node);
        let before = &mut self.nodes[parent];
        before.children.remove(&tokens);
        if before.users == 0 && before.children.is_empty() {
            self.idle.insert((before.used, parent));
        }
        Some(pages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_found_and_the_oldest_goes_first() {
        let mut tree = Tree::new();
        let a = tree.add(ROOT, &[1, 2], vec![10]);
        let b = tree.add(a, &[3, 4], vec![11]);
        let c = tree.add(ROOT, &[5, 6], vec![12]);
        assert_eq!(tree.child(ROOT, &[1, 2]), Some(a));
        assert_eq!(tree.child(a, &[3, 4]), Some(b));
        assert_eq!(tree.child(a, &[5, 6]), None);
        assert_eq!((tree.evict(), tree.cached()), (None, 0));

        tree.leave(&[c]);
        tree.leave(&[a, b]);
        assert_eq!(tree.cached(), 3);
        // The first text again: the other is older.
        tree.enter(a);
        assert_eq!((tree.evict(), tree.cached()), (Some(vec![12]), 1));
        // What follows goes before what it follows.
        tree.leave(&[a]);
        assert_eq!(tree.evict(), Some(vec![11]));
        assert_eq!(tree.evict(), Some(vec![10]));
        assert_eq!((tree.evict(), tree.cached()), (None, 0));
        assert_eq!(tree.child(ROOT, &[1, 2]), None);
    }

    #[test]
    fn several_texts_share_a_chunk() {
        let mut tree = Tree::new();
        let a = tree.add(ROOT, &[1], vec![7]);
        tree.enter(a);
        tree.leave(&[a]);
        assert_eq!((tree.evict(), tree.cached()), (None, 0));
        tree.leave(&[a]);
        assert!(tree.is_unused(a));
        assert_eq!(tree.evict(), Some(vec![7]));
        // Its place is taken again.
        assert_eq!(tree.add(ROOT, &[2], vec![8]), a);
        assert_eq!(tree.pages(a), [8]);
    }
}
