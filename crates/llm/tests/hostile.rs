//! Files that want to do harm: the corpora of the fuzz targets, and thousands of variations.

use bessemer_core::Device;
use bessemer_cpu::Cpu;
use bessemer_llm::{Llm, hostile, tiny};
use std::{path::Path, sync::Arc};

/// A small generator, so that every run tries the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }
}

/// One of the ways files get damaged, or are made to lie.
fn damage(dice: &mut Dice, bytes: &mut Vec<u8>, other: &[u8]) {
    let at = dice.roll(bytes.len());
    let len = dice.roll(24).min(bytes.len() - at.min(bytes.len()));
    match dice.roll(8) {
        0 => bytes.truncate(at),
        1 if !bytes.is_empty() => bytes[at] ^= 1 << dice.roll(8),
        2 if !bytes.is_empty() => bytes[at] = [0, 1, 0x7F, 0x80, 0xFF, b'"', b'0'][dice.roll(7)],
        3 if bytes.len() >= at + 8 => {
            let lies = [0, 1, 7, 1 << 16, 1 << 31, 1 << 40, u64::MAX >> 1, u64::MAX];
            bytes[at..at + 8].copy_from_slice(&lies[dice.roll(8)].to_le_bytes());
        }
        4 => drop(bytes.drain(at..at + len)),
        5 => {
            let copy = bytes[at..at + len].to_vec();
            let to = dice.roll(bytes.len());
            bytes.splice(to..to, copy);
        }
        6 => {
            let from = dice.roll(other.len());
            let copy = other[from..(from + len).min(other.len())].to_vec();
            bytes.splice(at..at, copy);
        }
        _ if !bytes.is_empty() => bytes[at] = b' ' + dice.roll(95) as u8,
        _ => {}
    }
}

fn try_all(target: &str, use_it: fn(&[u8]), variations: usize) {
    try_variations(&corpus(target), use_it, variations);
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut corpus: Vec<Vec<u8>> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| std::fs::read(entry.unwrap().path()).unwrap())
        .collect();
    corpus.sort();
    corpus
}

fn try_variations(corpus: &[Vec<u8>], mut use_it: impl FnMut(&[u8]), variations: usize) {
    assert!(!corpus.is_empty());
    let mut dice = Dice(7);
    for file in corpus {
        use_it(file);
    }
    for _ in 0..variations {
        let mut bytes = corpus[dice.roll(corpus.len())].clone();
        let other = &corpus[dice.roll(corpus.len())];
        for _ in 0..=dice.roll(4) {
            damage(&mut dice, &mut bytes, other);
        }
        use_it(&bytes);
    }
}

#[test]
fn gguf() {
    try_all("gguf", hostile::gguf, 6000);
}

#[test]
fn safetensors() {
    try_all("safetensors", hostile::safetensors, 6000);
}

#[test]
fn tokenizer_json() {
    try_all("tokenizer_json", hostile::tokenizer_json, 3000);
}

#[test]
fn template() {
    try_all("template", hostile::template, 3000);
}

/// States are of one model and version of the program, so the corpus is made here.
#[test]
fn state() {
    let device: Arc<dyn Device> = Arc::new(Cpu::open(Default::default()).unwrap());
    let llm = Llm::from_bytes(tiny::gguf(), &device).unwrap();
    let mut session = llm.session(Default::default()).unwrap();
    let mut corpus = Vec::new();
    for tokens in [&[][..], &[1], &[1, 2, 3, 4, 5]] {
        session.rewind(0);
        if !tokens.is_empty() {
            session.extend(tokens).unwrap();
        }
        let mut saved = Vec::new();
        session.save(&mut saved).unwrap();
        corpus.push(saved);
    }
    try_variations(&corpus, |data| hostile::state(&mut session, data), 2000);
}
