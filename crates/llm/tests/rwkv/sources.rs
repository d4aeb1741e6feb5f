//! The same model from files of other kinds.

use crate::{cpu, far, folder, session, texts, texts_of};
use bessemer_llm::{Model, files::ModelFile};
use std::sync::Arc;

/// Each model, and the files that it is stored in besides GGUF.
const SOURCES: [(&str, &[&str]); 6] = [
    ("rwkv4", &["model.pth", "hub"]),
    ("rwkv5_0", &["model.pth"]),
    ("rwkv5_1", &["model.pth"]),
    ("rwkv5_2", &["model.pth"]),
    ("rwkv6", &["model.pth", "model.st", "hub"]),
    ("rwkv7", &["model.pth", "model.st", "hub"]),
];

#[test]
fn logits_are_the_same_from_every_kind_of_file() {
    let device = cpu(true);
    for (name, files) in SOURCES {
        for file in files {
            // What fla computes with other epsilons has results of its own.
            let own = format!("{file}/expected.safetensors");
            let text = match folder(name).join(&own).exists() {
                true => &texts_of(name, &own)[0],
                false => &texts(name)[0],
            };
            let file = folder(name).join(file);
            let opened = ModelFile::open(&file).unwrap();
            let model = Arc::new(Model::of(&opened, &device).unwrap());
            let found = session(&model, 64).extend(&text.tokens).unwrap().to_vec();
            let far = far(&found, text.logits.last().unwrap());
            assert!(far <= 1e-4, "{}: {far}", file.display());
        }
    }
}
