//! Files with odd names, and things that are no files where a model's files should be: FIFOs never block.
#![cfg(unix)]

use bessemer_core::{DType, Device};
use bessemer_cpu::Reference;
use bessemer_llm::{
    Llm,
    files::{Gguf, ModelFile},
    inspect::Summary,
    quantize::quantize,
    template::ChatTemplate,
    tiny,
    tokenizer::Tokenizer,
};
use std::{
    ffi::{CString, OsStr},
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::{Path, PathBuf},
    sync::Arc,
};

fn fifo(path: &Path) {
    let path = CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: the path is a string that ends with 0.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/models/llama2").join(name)
}

#[test]
fn fifos_never_block() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let refused = |error: bessemer_llm::Error, name: &str| {
        let error = error.to_string();
        assert!(error.contains(&format!("{name}: the file is a FIFO")), "{error}");
    };
    for name in ["model.gguf", "tokenizer.json", "config.json", "model.safetensors.index.json"] {
        fifo(&at(name));
    }
    refused(ModelFile::open(at("model.gguf")).err().unwrap(), "model.gguf");
    refused(Tokenizer::open(at("tokenizer.json")).err().unwrap(), "tokenizer.json");
    let index = "model.safetensors.index.json";
    refused(ModelFile::open(at(index)).err().unwrap(), index);
    fs::copy(fixture("model.safetensors"), at("weights.safetensors")).unwrap();
    refused(ModelFile::open(at("weights.safetensors")).err().unwrap(), "config.json");
    fs::remove_file(at("config.json")).unwrap();
    fifo(&at("chat_template.jinja"));
    let model = ModelFile::open(at("weights.safetensors")).unwrap();
    refused(ChatTemplate::of(&model).err().unwrap(), "chat_template.jinja");
    // A link to a FIFO is none the better.
    symlink(at("model.gguf"), at("link.gguf")).unwrap();
    refused(ModelFile::open(at("link.gguf")).err().unwrap(), "link.gguf");
}

#[test]
fn names_need_not_be_utf8() {
    let folder = tempfile::tempdir().unwrap();
    let name =
        |end: &str| folder.path().join(OsStr::from_bytes(&[b"b\xFFd", end.as_bytes()].concat()));
    let device: Arc<dyn Device> = Arc::new(Reference::new());
    fs::write(name(".gguf"), tiny::gguf()).unwrap();
    let llm = Llm::open(name(".gguf"), &device).unwrap();
    llm.session(Default::default()).unwrap().extend(&[1]).unwrap();
    let file = Gguf::open(name(".gguf")).unwrap();
    quantize(&file, &name("-00001-of-00001.gguf"), "Q8_0".parse().unwrap(), 1, &mut |_| ())
        .unwrap();
    let model = ModelFile::open(name("-00001-of-00001.gguf")).unwrap();
    Summary::new(&model, 64, DType::F16).unwrap();
    // Of two shards the second is looked for, and the error is a text.
    fs::copy(name(".gguf"), name("-00001-of-00002.gguf")).unwrap();
    let error = Gguf::open(name("-00001-of-00002.gguf")).err().unwrap().to_string();
    assert!(error.contains("b\u{FFFD}d-00002-of-00002.gguf: the file is missing"), "{error}");
    fs::create_dir(name("")).unwrap();
    for file in ["model.safetensors", "config.json"] {
        fs::copy(fixture(file), name("").join(file)).unwrap();
    }
    ModelFile::open(name("")).unwrap();
}
