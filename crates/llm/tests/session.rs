//! A tiny model with random weights: whatever way a text gets there, the logits are the same.

use bessemer_core::{DType, Device};
use bessemer_cpu::{Cpu, CpuOptions, Reference};
use bessemer_llm::{
    Cancel, Model, Session, SessionOptions, SnapshotOptions, files::Gguf, tiny::Tiny,
};
use std::{path::Path, sync::Arc};

/// A file of `architecture`, with heads too small for blocks.
fn file(architecture: &'static str) -> Gguf {
    let tiny = Tiny { architecture, head_size: 12, vocabulary: 50, context: 64, ..Tiny::default() };
    Gguf::from_bytes(tiny.gguf(|_, _| {})).unwrap()
}

fn cpu() -> Arc<dyn Device> {
    Arc::new(Cpu::open(CpuOptions { threads: Some(2), ..Default::default() }).unwrap())
}

fn session(
    architecture: &'static str,
    device: &Arc<dyn Device>,
    options: SessionOptions,
) -> Session {
    let model = Arc::new(Model::of_gguf(&file(architecture), device).unwrap());
    Session::new(&model, options).unwrap()
}

const EXACT: SessionOptions = SessionOptions {
    context: None,
    cache: DType::F32,
    chunk: 512,
    snapshots: SnapshotOptions { every: 512, most: 8 },
};
const TEXT: [u32; 9] = [3, 1, 4, 1, 5, 9, 2, 6, 5];

fn assert_near(found: &[f32], wanted: &[f32], bound: f32) {
    let far = found.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(far <= bound, "{far} is more than {bound}");
    assert!(wanted.iter().any(|x| x.abs() > 0.1), "logits that say something");
}

#[test]
fn the_cpu_agrees_with_the_reference() {
    for architecture in ["llama", "qwen2", "qwen3"] {
        let reference: Arc<dyn Device> = Arc::new(Reference::new());
        let wanted = session(architecture, &reference, EXACT).extend(&TEXT).unwrap().to_vec();
        let found = session(architecture, &cpu(), EXACT).extend(&TEXT).unwrap().to_vec();
        assert_near(&found, &wanted, 1e-4);
    }
}

#[test]
fn chunks_single_tokens_and_rewinding_come_to_the_same() {
    let device = cpu();
    let wanted = session("llama", &device, EXACT).extend(&TEXT).unwrap().to_vec();
    let chunked = SessionOptions { chunk: 4, ..EXACT };
    assert_near(session("llama", &device, chunked).extend(&TEXT).unwrap(), &wanted, 1e-5);

    let mut single = session("llama", &device, EXACT);
    for token in TEXT {
        single.extend(&[token]).unwrap();
    }
    single.rewind(4);
    single.extend(&[7, 7, 7, 7]).unwrap();
    assert_near(single.become_text(&TEXT).unwrap(), &wanted, 1e-5);
    assert_eq!(single.tokens(), TEXT);
    assert_near(single.become_text(&TEXT).unwrap(), &wanted, 1e-5);
}

#[test]
fn smaller_caches_come_near() {
    let device = cpu();
    let wanted = session("llama", &device, EXACT).extend(&TEXT).unwrap().to_vec();
    let f16 = SessionOptions { cache: DType::F16, ..EXACT };
    assert_near(session("llama", &device, f16).extend(&TEXT).unwrap(), &wanted, 5e-3);
    // Heads of 12 are not whole blocks of 32.
    let q8 = SessionOptions { cache: DType::Q8_0, ..EXACT };
    let model = Arc::new(Model::of_gguf(&file("llama"), &device).unwrap());
    assert!(Session::new(&model, q8).is_err());
}

/// A session of a model whose heads are whole blocks.
fn of_blocks(device: &Arc<dyn Device>, dtype: DType, options: SessionOptions) -> Session {
    let file = Gguf::from_bytes(Tiny { dtype, ..Tiny::default() }.gguf(|_, _| {})).unwrap();
    Session::new(&Arc::new(Model::of_gguf(&file, device).unwrap()), options).unwrap()
}

#[test]
fn a_cache_of_blocks_comes_near() {
    let device = cpu();
    let wanted = of_blocks(&device, DType::F32, EXACT).extend(&TEXT).unwrap().to_vec();
    let q8 = SessionOptions { cache: DType::Q8_0, ..EXACT };
    assert_near(of_blocks(&device, DType::F32, q8).extend(&TEXT).unwrap(), &wanted, 0.1);
}

#[test]
fn forks_go_their_own_ways() {
    let device = cpu();
    for cache in [DType::F32, DType::F16, DType::Q8_0] {
        let options = SessionOptions { cache, ..EXACT };
        let mut first = of_blocks(&device, DType::F32, options);
        let empty = first.fork().unwrap();
        assert_eq!(empty.tokens(), [0; 0]);
        first.extend(&TEXT[..5]).unwrap();
        let mut second = first.fork().unwrap();
        assert_eq!(second.tokens(), &TEXT[..5]);
        second.extend(&[7, 7, 7]).unwrap();
        let wanted = first.extend(&TEXT[5..]).unwrap().to_vec();
        second.rewind(5);
        assert_eq!(second.extend(&TEXT[5..]).unwrap(), wanted);
    }
}

#[test]
fn a_shifted_text_is_the_text_that_is_left() {
    let device = cpu();
    for options in [EXACT, SessionOptions { chunk: 2, ..EXACT }] {
        let mut shifted = session("llama", &device, options);
        shifted.extend(&TEXT).unwrap();
        assert!(shifted.shift(2, &Cancel::new()).unwrap());
        assert_eq!(shifted.tokens(), [3, 1, 2, 6, 5]);
        let wanted =
            session("llama", &device, options).extend(&[3, 1, 2, 6, 5, 8]).unwrap().to_vec();
        assert_near(shifted.extend(&[8]).unwrap(), &wanted, 1e-5);
    }
    let mut full = session("llama", &device, EXACT);
    full.extend(&TEXT).unwrap();
    let error = full.shift(9, &Cancel::new()).unwrap_err().to_string();
    assert!(error.contains("keeping all 9 tokens of the text frees no room"), "{error}");
}

#[test]
fn several_tokens_at_once_get_the_very_logits_of_each() {
    let device = cpu();
    for (dtype, cache) in [
        (DType::F32, DType::F32),
        (DType::F16, DType::F16),
        (DType::Q8_0, DType::F16),
        (DType::Q4_0, DType::Q8_0),
        (DType::Q4_1, DType::F16),
        (DType::Q5_0, DType::F16),
    ] {
        let options = SessionOptions { cache, ..EXACT };
        let mut single = of_blocks(&device, dtype, options);
        let mut several = of_blocks(&device, dtype, options);
        // A context long enough that attention splits it among threads.
        let prompt: Vec<u32> = (0..200).map(|i| i * 7 % 250).collect();
        single.extend(&prompt).unwrap();
        several.extend(&prompt).unwrap();
        for count in 1..=Session::MOST_EACH {
            let tokens = &TEXT[..count];
            let wanted: Vec<f32> =
                tokens.iter().flat_map(|&t| single.extend(&[t]).unwrap().to_vec()).collect();
            let found = several.extend_each(tokens).unwrap();
            let same = found.iter().zip(&wanted).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same && found.len() == wanted.len(), "{count} of {dtype}");
            if count % 2 == 1 {
                single.rewind(200);
                several.rewind(200);
            }
        }
        let error = several.extend_each(&[1; 9]).unwrap_err().to_string();
        assert!(error.contains("more than 8"), "{error}");
    }
}

#[test]
fn and_so_they_do_in_every_architecture() {
    let device = cpu();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/models");
    let mut names: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert!(names.len() > 9);
    for path in names {
        let file = Gguf::open(path.join("model.gguf")).unwrap();
        let model = Arc::new(Model::of_gguf(&file, &device).unwrap());
        let mut single = Session::new(&model, SessionOptions::default()).unwrap();
        let mut several = single.fork().unwrap();
        for count in [1, 8, 5, 3] {
            let tokens = &TEXT[..count];
            let wanted: Vec<f32> =
                tokens.iter().flat_map(|&t| single.extend(&[t]).unwrap().to_vec()).collect();
            let found = several.extend_each(tokens).unwrap();
            let same = found.iter().zip(&wanted).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same && found.len() == wanted.len(), "{count} of {path:?}");
        }
    }
}

#[test]
fn a_cancelled_prompt_stops_between_chunks() {
    let device = cpu();
    let mut session = session("llama", &device, SessionOptions { chunk: 4, ..EXACT });
    let cancel = Cancel::new();
    cancel.cancel();
    assert!(session.extend_unless(&cancel, &TEXT).unwrap().is_none());
    assert_eq!(session.tokens(), &TEXT[..4]);
    cancel.reset();
    assert!(session.extend_unless(&cancel, &TEXT[4..]).unwrap().is_some());
}

#[test]
fn the_mean_state_is_the_same_in_chunks() {
    let device = cpu();
    let wanted = session("llama", &device, EXACT).mean_state(&TEXT).unwrap();
    assert_eq!(wanted.len(), 64);
    let mut chunked = session("llama", &device, SessionOptions { chunk: 2, ..EXACT });
    chunked.extend(&[7, 7]).unwrap();
    assert_near(&chunked.mean_state(&TEXT).unwrap(), &wanted, 1e-5);
    // Of a single token it is what its logits are made of.
    let one = session("llama", &device, EXACT).mean_state(&[3]).unwrap();
    assert!(one.iter().zip(&wanted).any(|(a, b)| (a - b).abs() > 0.01));
}

#[test]
fn weights_that_are_not_numbers_are_named() {
    let device = cpu();
    for (tensor, text) in [("blk.1.ffn_down.weight", 1), ("blk.0.attn_q.weight", 9)] {
        let spoil = |name: &str, values: &mut [f32]| {
            if name == tensor {
                values[5] = f32::NAN;
            }
        };
        let file = Gguf::from_bytes(Tiny::default().gguf(spoil)).unwrap();
        let model = Arc::new(Model::of_gguf(&file, &device).unwrap());
        let mut session = Session::new(&model, EXACT).unwrap();
        for refused in [
            session.extend(&TEXT[..text]).err(),
            session.extend_each(&TEXT[..text.min(8)]).err(),
            session.mean_state(&TEXT[..text]).err(),
        ] {
            let error = refused.unwrap().to_string();
            assert!(error.contains("are NaN") && error.contains("again"), "{error}");
        }
    }
}

#[test]
fn a_token_is_one_submission_and_no_allocation() {
    let device = cpu();
    let mut session = session("llama", &device, EXACT);
    session.extend(&TEXT).unwrap();
    let before = device.stats();
    for token in TEXT {
        session.extend(&[token]).unwrap();
    }
    let after = device.stats();
    assert_eq!(after.submissions - before.submissions, TEXT.len() as u64);
    assert_eq!(after.pool, before.pool);
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let device = cpu();
    let small = SessionOptions { context: Some(4), ..EXACT };
    let mut session = session("llama", &device, small);
    session.extend(&TEXT[..3]).unwrap();
    for (tokens, says) in [
        (&TEXT[..2], "2 more tokens do not fit in a context of 4, of which 1 are free"),
        (&[], "no tokens"),
        (&[50], "token 50 is out of range for a vocabulary of 50"),
    ] {
        let error = session.extend(tokens).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert_eq!(session.tokens().len(), 3);
    }
}

#[test]
fn an_architecture_that_is_not_there_is_named() {
    let error = Model::of_gguf(&file("mamba"), &cpu()).unwrap_err().to_string();
    assert!(error.contains("`mamba`") && error.contains("llama"), "{error}");
}
