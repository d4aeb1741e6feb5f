//! For fuzzing and tests of hostile files: reads bytes as a file, and uses everything in it if it is
//! valid. Not part of the public API.

use crate::{
    Session,
    files::{Gguf, ModelFile, Pth, Safetensors, Tensors, rwkv},
    inspect::Summary,
    state::Checksums,
    template::{Chat, ChatTemplate, Message},
    tokenizer::{Encode, Tokenizer},
};
use bessemer_core::DType;

/// A text that reaches every kind of step.
const TEXT: &str = "Hello, wörld's 123 漢字\n\n  <s>😀\u{301}\0▁<0x41> aaaaaaaaaaaaaaaaaaaaaaaa";

/// Bytes as a GGUF file.
pub fn gguf(data: &[u8]) {
    let Ok(file) = Gguf::from_bytes(data.to_vec()) else {
        return;
    };
    for tensor in file.tensors().iter() {
        assert_eq!(file.tensors().bytes(tensor).len(), tensor.range.len());
    }
    if let Ok(tokenizer) = Tokenizer::from_gguf(&file) {
        use_tokenizer(&tokenizer);
    }
    let model = ModelFile::Gguf(Box::new(file));
    let _ = ChatTemplate::of(&model).map(|t| t.map(|t| t.render(&chat())));
    let _ = Summary::new(&model, 4096, DType::F16);
}

/// Bytes as a safetensors file.
pub fn safetensors(data: &[u8]) {
    let Ok(file) = Safetensors::from_bytes(data.to_vec()) else {
        return;
    };
    for tensor in file.tensors().iter() {
        assert_eq!(file.tensors().bytes(tensor).len(), tensor.range.len());
    }
    use_rwkv(file.tensors());
    let _ = Summary::new(&ModelFile::Safetensors(Box::new(file)), 4096, DType::F16);
}

/// Tensors as an RWKV model.
fn use_rwkv(tensors: &Tensors) {
    let Ok(Some(file)) = rwkv::of_tensors(tensors) else {
        return;
    };
    for tensor in file.tensors().iter() {
        assert_eq!(file.tensors().bytes(tensor).len(), tensor.range.len());
    }
    let _ = Summary::new(&ModelFile::Gguf(Box::new(file)), 4096, DType::F16);
}

/// Bytes as a `.pth` file.
pub fn pth(data: &[u8]) {
    let Ok(file) = Pth::from_bytes(data.to_vec()) else {
        return;
    };
    for tensor in file.tensors().iter() {
        assert_eq!(file.tensors().bytes(tensor).len(), tensor.range.len());
    }
    use_rwkv(file.tensors());
}

/// Bytes as a `tokenizer.json`.
pub fn tokenizer_json(data: &[u8]) {
    if let Ok(tokenizer) = Tokenizer::from_json("tokenizer.json", data) {
        use_tokenizer(&tokenizer);
    }
}

/// Bytes as a vocabulary of RWKV's world models.
pub fn vocabulary(data: &[u8]) {
    if let Ok(tokenizer) = Tokenizer::from_world("vocab.txt", data) {
        use_tokenizer(&tokenizer);
        let tokens = tokenizer.encode_bytes(data).expect("any bytes have tokens");
        assert!(tokenizer.decode_bytes(&tokens).is_ok_and(|bytes| bytes.len() <= data.len()));
    }
}

/// Bytes as a chat template.
pub fn template(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    if let Ok(template) = ChatTemplate::new(&source) {
        let _ = template.render(&chat());
    }
}

/// Bytes as a saved state. Whatever they are, the session can be used afterwards.
pub fn state(session: &mut Session, data: &[u8]) {
    for checksums in [Checksums::Verify, Checksums::Ignore] {
        let taken = session.restore_with(&mut &*data, checksums);
        assert!(taken.is_err() || !session.tokens().is_empty() || session.state().is_empty());
        assert!(session.tokens().len() <= session.capacity());
        // Numbers of strangers may be NaN, which a session refuses to go on with; an empty text is
        // always one to start from.
        session.rewind(0);
        session.extend(&[1]).expect("an empty session takes a token");
    }
}

fn chat() -> Chat {
    let mut chat = Chat::new([
        Message::system("Be kind."),
        Message::user(TEXT),
        Message::assistant("<think>x</think> y"),
    ]);
    chat.bos_token = Some("<s>".into());
    chat.eos_token = Some("</s>".into());
    chat
}

fn use_tokenizer(tokenizer: &Tokenizer) {
    for how in [Encode::PLAIN, Encode::TEXT, Encode::TRUSTED] {
        let Ok(tokens) = tokenizer.encode(TEXT, how) else {
            continue;
        };
        assert!(tokens.iter().all(|&token| (token as usize) < tokenizer.len()));
        let whole = tokenizer.decode(&tokens).ok();
        let mut stream = tokenizer.stream();
        let parts: Option<String> = tokens.iter().map(|&t| stream.push(t).ok()).collect();
        let parts = parts.map(|text| text + &stream.finish());
        assert_eq!(parts, whole);
    }
}
