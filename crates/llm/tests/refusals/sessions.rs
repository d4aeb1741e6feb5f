//! Refusals of sessions: texts, states, generations, and what a device has no room for.

use crate::common::fixture;
use bessemer_core::{DType, Device};
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_llm::{
    Cancel, GenerateOptions, Llm, Model, Session, SessionOptions,
    files::{Gguf, GgufWriter, ModelFile},
    paged::{Paged, PagedOptions, Rows},
    perplexity,
    sampling::Sampling,
    template::{Chat, Message},
    tiny::{self, Tiny},
};
use bessemer_metal::{
    Metal, MetalOptions,
    hal::soft::{Memory, SoftOptions},
};
use std::{
    io::{self, Read, Write},
    sync::Arc,
};

pub(crate) fn said() -> Vec<String> {
    let mut said = texts();
    said.extend(states());
    said.extend(trained_states());
    said.extend(generations());
    said.extend(pages());
    said.extend(rooms());
    said
}

fn cpu(memory_limit: Option<usize>) -> Arc<dyn Device> {
    Arc::new(Cpu::open(CpuOptions { memory_limit, ..Default::default() }).unwrap())
}

fn tiny(tiny: Tiny) -> Llm {
    Llm::from_bytes(tiny.gguf(|_, _| {}), &cpu(None)).unwrap()
}

fn options(context: usize) -> SessionOptions {
    SessionOptions { context: Some(context), cache: DType::F32, ..Default::default() }
}

fn texts() -> Vec<String> {
    let llm = tiny(Tiny::default());
    let other = tiny(Tiny { context: 128, ..Tiny::default() });
    let spoiled = Tiny::default().gguf(|_, values| values[0] = f32::NAN);
    let mut session = llm.session(options(4)).unwrap();
    let opened = |options: SessionOptions| llm.session(options).unwrap_err().to_string();
    let mut said = vec![
        opened(options(0)),
        opened(SessionOptions { cache: DType::Q4_0, ..options(4) }),
        opened(SessionOptions { chunk: 0, ..options(4) }),
        session.extend(&[]).unwrap_err().to_string(),
        session.extend(&[1; 5]).unwrap_err().to_string(),
        session.extend(&[999]).unwrap_err().to_string(),
        session.extend_each(&[1; 9]).unwrap_err().to_string(),
        session.move_to(other.model()).unwrap_err().to_string(),
    ];
    session.extend(&[1, 2, 3]).unwrap();
    said.push(session.shift(3, &Cancel::new()).unwrap_err().to_string());
    let measured = perplexity::measure(&mut session, &[1; 9], 3, None, &mut |_, _| ());
    said.push(measured.unwrap_err().to_string());
    if let Ok(llm) = Llm::from_bytes(spoiled, &cpu(None)) {
        let mut session = llm.session(options(4)).unwrap();
        said.push(session.extend(&[1]).unwrap_err().to_string());
    }
    let wrong = Tiny::default().gguf(|name, values| {
        if name == "token_embd.weight" {
            values.fill(f32::NAN);
        }
    });
    let llm = Llm::from_bytes(wrong, &cpu(None)).unwrap();
    let mut session = llm.session(options(4)).unwrap();
    said.push(session.extend(&[1]).unwrap_err().to_string());
    said.push(llm.embed(&mut session, "a").unwrap_err().to_string());
    said
}

/// Reads or writes nothing.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the cable is out"))
    }
}

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is full"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn states() -> Vec<String> {
    let llm = tiny(Tiny::default());
    let mut session = llm.session(options(8)).unwrap();
    session.extend(&[1, 2, 3]).unwrap();
    let mut saved = Vec::new();
    session.save(&mut saved).unwrap();
    // Where the header has what: see `state/format.rs`.
    let (version, model, long, layers) = (8, 12, 44, 53);
    let slots = layers + 4;
    let name = slots + 4;
    let dims = name + 1 + "keys".len() + 1 + "f32".len() + 1;
    let with = |at: usize, byte: u8| {
        let mut bytes = saved.clone();
        bytes[at] = byte;
        bytes
    };
    let token = saved.windows(12).position(|w| w == [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]).unwrap();
    let mut restored = |bytes: &[u8]| session.restore(&mut &*bytes).unwrap_err().to_string();
    let mut said = vec![
        restored(&with(0, b'X')),
        restored(&with(version, 9)),
        restored(&with(model, !saved[model])),
        restored(&with(layers, 9)),
        restored(&with(slots, 9)),
        restored(&with(dims, 99)),
        restored(&with(token + 3, 9)),
        restored(&with(saved.len() - 5, !saved[saved.len() - 5])),
        restored(&saved[..saved.len() - 9]),
    ];
    said.push(session.restore(&mut Broken).unwrap_err().to_string());
    said.push(session.save(&mut Broken).unwrap_err().to_string());
    let restore =
        |mut session: Session, bytes: &[u8]| session.restore(&mut &*bytes).unwrap_err().to_string();
    said.push(restore(llm.session(options(2)).unwrap(), &saved));
    let f16 = SessionOptions { cache: DType::F16, ..options(8) };
    said.push(restore(llm.session(f16).unwrap(), &saved));
    // Phi-3 has other embeddings in long contexts; `long` says for which the keys were made.
    let phi = ModelFile::open(fixture("phi3", "model.gguf")).unwrap();
    let phi = Arc::new(Model::of(&phi, &cpu(None)).unwrap());
    let session = |context: usize| Session::new(&phi, options(context)).unwrap();
    let mut short = session(4);
    let mut saved = Vec::new();
    short.extend(&[1]).unwrap();
    short.save(&mut saved).unwrap();
    assert_eq!(saved[long], 0);
    said.push(restore(session(phi.config().context), &saved));
    saved[long] = 1;
    said.push(restore(session(4), &saved));
    said
}

fn trained_states() -> Vec<String> {
    let rwkv = ModelFile::open(fixture("../rwkv/rwkv7", "model.gguf")).unwrap();
    let other = tiny(Tiny::default()).session(SessionOptions::default()).unwrap();
    let model = Arc::new(Model::of(&rwkv, &cpu(None)).unwrap());
    let own = Session::new(&model, SessionOptions::default()).unwrap();
    let refuse = |mut session: Session| session.start_from(rwkv.tensors()).unwrap_err().to_string();
    [other, own].map(refuse).to_vec()
}

fn generations() -> Vec<String> {
    let llm = tiny(Tiny::default());
    let stop = GenerateOptions { stop: vec![String::new()], ..Default::default() };
    let wild = Sampling { top_p: 2.0, ..Sampling::default() };
    let wild = GenerateOptions { sampling: wild, ..Default::default() };
    let mut said = vec![
        llm.complete("a", &stop).unwrap_err().to_string(),
        llm.complete("a", &wild).unwrap_err().to_string(),
    ];
    let bias = (0..259).map(|token| (token, f32::NEG_INFINITY)).collect();
    let nothing = Sampling { logit_bias: bias, ..Sampling::default() };
    let nothing = GenerateOptions { sampling: nothing, ..Default::default() };
    let mut session = llm.session(options(8)).unwrap();
    let mut generation = llm.generate(&mut session, "a", &nothing).unwrap();
    said.push(generation.next().unwrap().unwrap_err().to_string());
    said.push(generation.finish().unwrap_err().to_string());
    // Weights for fewer tokens than the tokenizer has.
    let mut bytes = tiny::gguf();
    let name = b"token_embd.weight";
    let at = bytes.windows(name.len()).position(|window| window == name).unwrap() + name.len() + 12;
    bytes[at..at + 8].copy_from_slice(&200u64.to_le_bytes());
    said.push(Llm::from_bytes(bytes, &cpu(None)).unwrap_err().to_string());
    let file = Gguf::from_bytes(tiny::gguf()).unwrap();
    let mut writer = GgufWriter::new();
    for entry in file.metadata().iter().filter(|entry| entry.key != "tokenizer.chat_template") {
        writer.set(&entry.key, entry.value.clone());
    }
    let mut data = Vec::new();
    for tensor in file.tensors().iter() {
        writer.tensor(&tensor.name, tensor.dtype, tensor.shape).unwrap();
        data.push(file.tensors().bytes(tensor));
    }
    let plain = Llm::from_bytes(writer.to_bytes(&data).unwrap(), &cpu(None)).unwrap();
    let chat = Chat::new([Message::user("Hi")]);
    said.push(plain.render(&chat).unwrap_err().to_string());
    said
}

fn pages() -> Vec<String> {
    let llm = Llm::from_bytes(tiny::gguf(), &cpu(Some(4 << 20))).unwrap();
    let options = PagedOptions {
        page: 4,
        pages: 2,
        texts: 1,
        context: 8,
        cache: DType::F32,
        chunk: 4,
        each: 2,
    };
    let open = |pages| Paged::new(llm.model(), PagedOptions { pages, ..options });
    let refused = |pages| open(pages).err().unwrap().to_string();
    let none = Rows { tokens: &[], positions: &[], slots: &[], texts: &[] };
    let no_rows = open(2).unwrap().each(&none, &mut []).unwrap_err().to_string();
    vec![refused(0), refused(1 << 20), no_rows]
}

fn rooms() -> Vec<String> {
    let llm = Llm::from_bytes(tiny::gguf(), &cpu(Some(1 << 20))).unwrap();
    let context = SessionOptions { context: Some(1 << 20), ..Default::default() };
    let said = vec![llm.session(context).unwrap_err().to_string()];
    let soft = SoftOptions { memory: Memory::default(), own_memory: true, ..Default::default() };
    let open = |memory_limit: Option<usize>| -> Arc<dyn Device> {
        let options = MetalOptions { memory_limit, ..Default::default() };
        Arc::new(Metal::open_soft(&options, &soft).unwrap())
    };
    let weights = Llm::from_bytes(tiny::gguf(), &open(Some(1 << 16))).unwrap_err().to_string();
    let llm = Llm::from_bytes(tiny::gguf(), &open(Some(4 << 20))).unwrap();
    let text = llm.session(context).unwrap_err().to_string();
    [said, vec![weights, text]].concat()
}
