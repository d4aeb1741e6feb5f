//! Hostile input and failing devices: what the fuzz targets in `fuzz/` run, which `cargo test` runs on
//! their corpora too, and a device that fails when it is told to. Nothing here is for users.
//!
//! A target takes any bytes and must return: a panic is a bug, and so is a run that takes a second or a
//! gigabyte.

mod arrays;
mod dice;
mod faults;
mod ggufs;
mod programs;
mod words;

pub use arrays::npy;
pub use bessemer_llm::hostile::{gguf, pth, safetensors, template, tokenizer_json, vocabulary};
pub use dice::Dice;
pub use faults::Faulty;
pub use ggufs::gguf_built;
pub use programs::{program_built, program_text};
pub use words::{settings, state, texts};

/// Any text as Metal's shading language, up to where clang takes over.
#[cfg(unix)]
pub fn msl(data: &[u8]) {
    softmetal::hostile::front_end(&String::from_utf8_lossy(data));
}

/// What a target does with any bytes.
pub type Target = fn(&[u8]);

/// All targets, by the name of their fuzz target and corpus.
pub const TARGETS: &[(&str, Target)] = &[
    ("gguf", gguf),
    ("gguf_built", gguf_built),
    #[cfg(unix)]
    ("msl", msl),
    ("npy", npy),
    ("program_built", program_built),
    ("program_text", program_text),
    ("pth", pth),
    ("safetensors", safetensors),
    ("settings", settings),
    ("state", state),
    ("template", template),
    ("texts", texts),
    ("tokenizer_json", tokenizer_json),
    ("vocabulary", vocabulary),
];
