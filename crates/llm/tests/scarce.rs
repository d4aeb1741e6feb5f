//! A GPU that has less memory than it says, as when others use it too: what was asked for is an
//! error that names sizes, what was held is given back, and the device goes on.

#![cfg(target_os = "linux")]

use bessemer_core::{Batch, DType, Device, Element, Shape, View};
use bessemer_llm::{GenerateOptions, Llm, Session, SessionOptions, sampling::Sampling};
use bessemer_metal::{
    Metal, MetalOptions,
    hal::soft::{Memory, SoftOptions},
};
use bessemer_ops::RmsNorm;
use std::sync::Arc;

const EMBER: &[u8] = include_bytes!("../../../models/ember/ember.gguf");
const PROMPT: [u32; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/// A device, and its memory. Weights are copied to it, so that loading needs some.
fn open() -> (Arc<dyn Device>, Memory) {
    let memory = Memory::default();
    let soft = SoftOptions { memory: memory.clone(), own_memory: true, ..Default::default() };
    let device = Metal::open_soft(&MetalOptions::default(), &soft).unwrap();
    (Arc::new(device), memory)
}

fn load(device: &Arc<dyn Device>) -> bessemer_llm::Result<Llm> {
    Llm::from_bytes(EMBER.to_vec(), device)
}

fn session(llm: &Llm) -> bessemer_llm::Result<Session> {
    llm.session(SessionOptions { context: Some(64), ..Default::default() })
}

/// Whether an error says what was asked for and what there is.
fn names_sizes(error: &str, limit: usize) {
    assert!(error.contains("out of memory"), "{error}");
    assert!(error.contains("new_buffer of ") && error.contains(" bytes"), "{error}");
    assert!(error.contains(&format!(" of {limit} bytes are in use")), "{error}");
}

/// Nothing is in use but what is idle, and that can be given back.
fn all_is_given_back(device: &Arc<dyn Device>, memory: &Memory) {
    let stats = device.stats();
    assert_eq!((stats.pool.live_bytes, stats.pool.live_buffers, stats.adopted_bytes), (0, 0, 0));
    device.trim();
    assert_eq!((device.stats().pool.idle_bytes, memory.used()), (0, 0));
}

fn still_works(device: &Arc<dyn Device>) {
    let shape = Shape::new(&[2]).unwrap();
    let make = || View::new(&device.alloc(8).unwrap(), DType::F32, shape).unwrap();
    let [x, weight, out] = [make(), make(), make()];
    for (view, values) in [(&x, [3.0f32, -3.0]), (&weight, [1.0, 2.0])] {
        device.write(&view.slice().unwrap(), f32::as_bytes(&values)).unwrap();
    }
    let mut batch = Batch::new();
    batch.push(RmsNorm { x, weight, epsilon: 0.0, out: out.clone() }).unwrap();
    device.wait(device.submit(&batch).unwrap()).unwrap();
    let mut found = [0.0f32; 2];
    device.read(&out.slice().unwrap(), f32::as_bytes_mut(&mut found)).unwrap();
    assert_eq!(found, [1.0, -2.0]);
}

#[test]
fn a_model_that_cannot_be_loaded_leaves_nothing_behind() {
    let (device, memory) = open();
    let llm = load(&device).unwrap();
    let needed = memory.used();
    drop(llm);
    all_is_given_back(&device, &memory);
    // Refused at once, in the middle, and at the very last.
    for limit in [1000, needed / 3, needed - 1] {
        memory.limit(limit);
        names_sizes(&load(&device).unwrap_err().to_string(), limit);
        all_is_given_back(&device, &memory);
        still_works(&device);
        device.trim();
    }
    memory.limit(usize::MAX);
    assert!(load(&device).is_ok());
}

#[test]
fn a_session_that_cannot_be_opened_leaves_the_model_as_it_was() {
    let (device, memory) = open();
    let llm = load(&device).unwrap();
    let before = (memory.used(), device.stats().pool.live_bytes);
    drop(session(&llm).unwrap());
    device.trim();
    assert_eq!((memory.used(), device.stats().pool.live_bytes), before);
    let needed = {
        let _open = session(&llm).unwrap();
        device.trim();
        memory.used()
    };
    device.trim();
    for limit in [before.0 + 1000, (before.0 + needed) / 2, needed - 1] {
        memory.limit(limit);
        names_sizes(&session(&llm).unwrap_err().to_string(), limit);
        device.trim();
        assert_eq!((memory.used(), device.stats().pool.live_bytes), before, "limit {limit}");
        still_works(&device);
        device.trim();
    }
    memory.limit(usize::MAX);
    session(&llm).unwrap().extend(&PROMPT).unwrap();
}

#[test]
fn a_text_goes_on_when_there_is_memory_again() {
    let (device, memory) = open();
    let llm = load(&device).unwrap();
    let mut session = session(&llm).unwrap();
    let options = GenerateOptions {
        max_tokens: Some(8),
        sampling: Sampling::greedy(),
        ignore_end: true,
        ..Default::default()
    };
    session.extend(&PROMPT).unwrap();
    device.trim();
    let before = (memory.used(), device.stats().pool.live_bytes);
    // A copy of the session, and room for the tokens that the device chooses.
    memory.limit(before.0);
    names_sizes(&session.fork().unwrap_err().to_string(), before.0);
    let refused = llm.generate(&mut session, "Once upon a time", &options);
    let error = refused.and_then(|text| text.finish()).unwrap_err().to_string();
    names_sizes(&error, before.0);
    device.trim();
    assert_eq!((memory.used(), device.stats().pool.live_bytes), before);
    memory.limit(usize::MAX);
    let write = |session: &mut Session| {
        llm.generate(session, "Once upon a time", &options).unwrap().finish().unwrap().tokens
    };
    let tokens = write(&mut session);
    assert_eq!(tokens.len(), 8);
    assert_eq!(tokens, write(&mut session.fork().unwrap()));
}

/// A device whose longest buffer has so many bytes.
fn with_buffers_of(bytes: usize) -> Arc<dyn Device> {
    let soft = SoftOptions { max_buffer_length: Some(bytes), ..Default::default() };
    Arc::new(Metal::open_soft(&MetalOptions::default(), &soft).unwrap())
}

#[test]
fn a_model_file_longer_than_any_buffer_writes_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ember.gguf");
    std::fs::write(&path, EMBER).unwrap();
    let text = |device: &Arc<dyn Device>, mapped: bool| {
        let llm = if mapped { Llm::open(&path, device) } else { load(device) }.unwrap();
        let in_place = device.stats().adopted_bytes;
        assert_eq!(in_place, if mapped { EMBER.len() } else { 0 });
        let options = GenerateOptions {
            max_tokens: Some(8),
            sampling: Sampling::greedy(),
            ..Default::default()
        };
        let mut session = session(&llm).unwrap();
        llm.generate(&mut session, "Once upon a time", &options).unwrap().finish().unwrap().tokens
    };
    let longest = usize::MAX >> 1;
    let wanted = text(&with_buffers_of(longest), true);
    // A few buffers for the file, with tensors across where they meet.
    let few = with_buffers_of(EMBER.len() / 3);
    assert_eq!((text(&few, true), text(&few, false)), (wanted.clone(), wanted));
}
