//! Every target on its corpus, and on thousands of variations of it: what fuzzing found stays mended, and
//! a little fuzzing happens without a fuzzer.

use bessemer_hostile::{Dice, TARGETS};
use std::path::Path;

/// The inputs of a target, in the same order every time.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut corpus: Vec<Vec<u8>> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| std::fs::read(entry.unwrap().path()).unwrap())
        .collect();
    corpus.sort();
    assert!(!corpus.is_empty(), "{target} has no corpus");
    corpus
}

fn try_all(name: &str, variations: usize) {
    let (_, target) = TARGETS.iter().find(|(target, _)| *target == name).unwrap();
    let corpus = corpus(name);
    corpus.iter().for_each(|input| target(input));
    let mut dice = Dice::new(7);
    for _ in 0..variations {
        let mut input = corpus[dice.roll(corpus.len())].clone();
        let other = &corpus[dice.roll(corpus.len())];
        for _ in 0..=dice.roll(4) {
            dice.damage(&mut input, other);
        }
        target(&input);
    }
}

macro_rules! targets {
    ($($(#[$attribute:meta])* $target:ident: $variations:expr,)*) => {
        $(
            $(#[$attribute])*
            #[test]
            fn $target() {
                try_all(stringify!($target), $variations);
            }
        )*

        #[test]
        fn every_target_is_tried() {
            let tried = [$($(#[$attribute])* stringify!($target)),*];
            assert!(TARGETS.iter().map(|(name, _)| *name).eq(tried));
        }
    };
}

targets! {
    gguf: 6000,
    gguf_built: 400,
    #[cfg(unix)]
    msl: 1000,
    npy: 6000,
    program_built: 400,
    program_text: 1000,
    pth: 6000,
    safetensors: 6000,
    settings: 6000,
    state: 1000,
    template: 3000,
    texts: 2000,
    tokenizer_json: 3000,
    vocabulary: 6000,
}

/// Each target has a program for libFuzzer, and each of those a target.
#[test]
fn every_target_is_fuzzed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let fuzzed: Vec<&str> = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("path = \"targets/")?.strip_suffix(".rs\""))
        .collect();
    for name in &fuzzed {
        let program = std::fs::read_to_string(folder.join(format!("targets/{name}.rs"))).unwrap();
        assert!(program.contains(&format!("bessemer_hostile::{name}(data)")), "{program}");
    }
    // Only softmetal's target is not everywhere.
    let known = |name: &&str| TARGETS.iter().any(|(target, _)| target == name);
    assert!(fuzzed.iter().all(|name| known(name) || cfg!(not(unix)) && *name == "msl"));
    assert!(TARGETS.iter().all(|(target, _)| fuzzed.contains(target)));
}
