//! Text for tokenizers and settings, and saved states.

use bessemer_core::Device;
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_llm::{
    GenerateOptions, Llm, Session, files::Gguf, hostile, tiny, tokenizer::Encode,
    tokenizer::Tokenizer,
};
use std::{cell::RefCell, sync::Arc};

/// A small file with a tokenizer of each kind.
const TOKENIZERS: [&[u8]; 4] = [
    include_bytes!("../../../fuzz/corpus/gguf/bert"),
    include_bytes!("../../../fuzz/corpus/gguf/bpe"),
    include_bytes!("../../../fuzz/corpus/gguf/spm"),
    include_bytes!("../../../fuzz/corpus/gguf/t5"),
];

thread_local! {
    static OPEN: Vec<Tokenizer> = TOKENIZERS
        .iter()
        .map(|file| Gguf::from_bytes(file.to_vec()).expect("a sound file"))
        .map(|file| Tokenizer::from_gguf(&file).expect("a sound tokenizer"))
        .collect();

    static SESSION: RefCell<Session> = RefCell::new({
        let options = CpuOptions { threads: Some(1), ..Default::default() };
        let device: Arc<dyn Device> = Arc::new(Cpu::open(options).expect("a CPU"));
        let llm = Llm::from_bytes(tiny::gguf(), &device).expect("a sound model");
        llm.session(Default::default()).expect("a small session")
    });
}

/// Any text, encoded by a tokenizer of each kind and decoded again, at once and token by token.
pub fn texts(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    OPEN.with(|tokenizers| {
        for tokenizer in tokenizers {
            for how in [Encode::PLAIN, Encode::TEXT, Encode::TRUSTED] {
                let Ok(tokens) = tokenizer.encode(&text, how) else {
                    continue;
                };
                assert!(tokens.iter().all(|&token| (token as usize) < tokenizer.len()));
                let whole = tokenizer.decode(&tokens).ok();
                let mut stream = tokenizer.stream();
                let parts: Option<String> = tokens.iter().map(|&t| stream.push(t).ok()).collect();
                assert_eq!(parts.map(|text| text + &stream.finish()), whole);
            }
        }
    });
}

/// Lines of `NAME VALUE`, as `/set` in a chat takes them.
pub fn settings(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut options = GenerateOptions::default();
    for line in text.lines() {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        if options.set(name, value).is_ok() {
            // What is shown can be set again.
            if let Some(shown) = options.get(name) {
                let _ = options.clone().set(name, &shown);
            }
        }
        let _ = options.sampling.check(1000);
    }
    if let Ok(json) = serde_json::from_str(&text) {
        let _ = options.set_json(&json);
    }
}

/// Any bytes as a saved state, and as changes to a sound one: three bytes each, where and to what.
pub fn state(data: &[u8]) {
    SESSION.with_borrow_mut(|session| {
        hostile::state(session, data);
        session.rewind(0);
        session.extend(&[1, 2, 3]).expect("a sound session");
        let mut saved = Vec::new();
        session.save(&mut saved).expect("memory does not fail");
        for change in data.chunks_exact(3) {
            let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % saved.len();
            saved[at] = change[2];
        }
        hostile::state(session, &saved);
    });
}
