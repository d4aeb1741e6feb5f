//! The contract of a state, with attention, with a recurrence, and with layers of both.

use super::{SnapshotOptions, State};
use crate::{
    GenerateOptions, Llm, Session, SessionOptions,
    files::{Gguf, ModelFile},
    model::{Model, mixer::running_sum},
    sampling::Sampling,
    tiny::Tiny,
};
use bessemer_core::{DType, Device};
use bessemer_cpu::{Cpu, CpuOptions};
use std::sync::Arc;

/// Which layers of the two recur.
const ATTENTION: &[usize] = &[];
const RECURRENT: &[usize] = &[0, 1];
const HYBRID: &[usize] = &[1];
const ALL: [&[usize]; 3] = [ATTENTION, RECURRENT, HYBRID];

const OPTIONS: SessionOptions = SessionOptions {
    context: Some(128),
    cache: DType::F32,
    chunk: 16,
    snapshots: SnapshotOptions { every: 20, most: 4 },
};

fn cpu() -> Arc<dyn Device> {
    Arc::new(Cpu::open(CpuOptions { threads: Some(2), ..Default::default() }).unwrap())
}

fn file() -> Gguf {
    Gguf::from_bytes(Tiny { seed: 3, ..Tiny::default() }.gguf(|_, _| {})).unwrap()
}

fn model(recurrent: &[usize]) -> Arc<Model> {
    Arc::new(running_sum::model(&file(), recurrent, &cpu()))
}

fn session(recurrent: &[usize]) -> Session {
    Session::new(&model(recurrent), OPTIONS).unwrap()
}

fn text(len: u32) -> Vec<u32> {
    (0..len).map(|i| i * 7 % 250 + 1).collect()
}

fn one_by_one(session: &mut Session, tokens: &[u32]) -> Vec<f32> {
    let (last, rest) = tokens.split_last().unwrap();
    for &token in rest {
        session.extend(&[token]).unwrap();
    }
    session.extend(&[*last]).unwrap().to_vec()
}

fn assert_near(found: &[f32], wanted: &[f32]) {
    let far = found.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(far < 1e-4, "{far}");
}

#[test]
fn a_recurrence_does_what_it_says() {
    // Tokens far back still matter, and the order of tokens does.
    for recurrent in [RECURRENT, HYBRID] {
        let logits = |tokens: &[u32]| session(recurrent).extend(tokens).unwrap().to_vec();
        let wanted = logits(&[1, 2, 3, 4]);
        for other in [[9, 2, 3, 4], [1, 3, 2, 4]] {
            let found = logits(&other);
            assert!(found.iter().zip(&wanted).any(|(a, b)| (a - b).abs() > 1e-3));
        }
    }
}

#[test]
fn chunks_and_single_tokens_come_to_the_same() {
    for recurrent in ALL {
        let tokens = text(50);
        let wanted = session(recurrent).extend(&tokens).unwrap().to_vec();
        assert_near(&one_by_one(&mut session(recurrent), &tokens), &wanted);
        let mut several = session(recurrent);
        let mut single = session(recurrent);
        for part in tokens.chunks(7) {
            let wanted: Vec<f32> =
                part.iter().flat_map(|&t| single.extend(&[t]).unwrap().to_vec()).collect();
            assert_eq!(several.extend_each(part).unwrap(), wanted, "the very bits");
        }
    }
}

#[test]
fn rewound_texts_go_on_as_if_nothing_had_been() {
    for recurrent in ALL {
        let tokens = text(70);
        let mut rewound = session(recurrent);
        one_by_one(&mut rewound, &tokens);
        for len in [69, 63, 47, 40, 21, 3, 0] {
            rewound.rewind(len);
            assert_eq!(rewound.tokens(), &tokens[..len]);
            let more = [5, 6, 7];
            let found = rewound.extend(&more).unwrap().to_vec();
            let whole = [&tokens[..len], &more].concat();
            assert_near(&found, session(recurrent).extend(&whole).unwrap());
            // And again, from where nothing was kept.
            rewound.rewind(len);
            assert_near(rewound.extend(&more).unwrap(), &found);
            assert_eq!(rewound.tokens(), whole);
        }
    }
}

#[test]
fn snapshots_say_how_far_a_state_can_be_rewound() {
    let mut attention = session(ATTENTION);
    attention.extend(&text(70)).unwrap();
    attention.snapshot().unwrap();
    let state = attention.state();
    assert!(state.rewinds_anywhere() && state.snapshots().is_empty());
    assert_eq!((state.rewind_point(33), state.rewind_point(500)), (33, 70));

    for recurrent in [RECURRENT, HYBRID] {
        let mut session = session(recurrent);
        one_by_one(&mut session, &text(70));
        let state = |session: &Session| session.state().snapshots();
        assert_eq!(state(&session), [0, 20, 40, 60]);
        assert!(!session.state().rewinds_anywhere());
        let point = |session: &Session, len| session.state().rewind_point(len);
        assert_eq!([70, 69, 60, 59, 19, 0].map(|len| point(&session, len)), [70, 60, 60, 40, 0, 0]);
        session.rewind(45);
        assert_eq!((point(&session, 45), state(&session)), (40, vec![0, 20, 40]));
        // On request, where the text is; what lies between goes through the model again.
        session.snapshot().unwrap();
        assert_eq!(state(&session), [0, 20, 40, 45]);
        // After a prompt, one is kept whatever its length.
        session.extend(&[1, 2, 3]).unwrap();
        assert_eq!(state(&session), [0, 20, 40, 45, 48]);
        // No more than four, and the empty text.
        one_by_one(&mut session, &text(70));
        let kept = state(&session);
        assert!(kept.len() == 5 && kept[0] == 0 && *kept.last().unwrap() > 100, "{kept:?}");
    }
}

#[test]
fn a_rewound_state_takes_the_shortest_way_back() {
    let device = cpu();
    let model = Arc::new(running_sum::model(&file(), HYBRID, &device));
    let mut session = Session::new(&model, OPTIONS).unwrap();
    one_by_one(&mut session, &text(70));
    let submissions = || device.stats().submissions;
    // To a snapshot: it is restored, and the token goes through.
    session.rewind(60);
    let before = submissions();
    session.extend(&[1]).unwrap();
    assert_eq!(submissions() - before, 2);
    // Three tokens after a snapshot go through again, in one pass.
    session.rewind(43);
    let before = submissions();
    session.extend(&[1]).unwrap();
    assert_eq!(submissions() - before, 3);
    // A prefix is reused as far as there is a snapshot; the rest is part of the prompt.
    let mut other = text(44);
    other[35] = 9;
    assert_eq!(session.keep_prefix_of(&other).unwrap(), 20);
    assert_eq!(session.tokens(), &other[..20]);
}

#[test]
fn tokens_take_nothing_from_the_pool() {
    for recurrent in ALL {
        let device = cpu();
        let model = Arc::new(running_sum::model(&file(), recurrent, &device));
        let mut session = Session::new(&model, OPTIONS).unwrap();
        session.extend(&text(5)).unwrap();
        let before = device.stats();
        one_by_one(&mut session, &text(12));
        let after = device.stats();
        assert_eq!(after.pool, before.pool);
        assert_eq!(after.submissions - before.submissions, 12);
    }
}

#[test]
fn forks_go_their_own_ways() {
    for recurrent in ALL {
        let tokens = text(50);
        let mut first = session(recurrent);
        one_by_one(&mut first, &tokens);
        let mut second = first.fork().unwrap();
        assert_eq!(second.tokens(), first.tokens());
        assert_eq!(second.state().snapshots(), first.state().snapshots());
        second.extend(&[9, 9, 9]).unwrap();
        let wanted = first.extend(&[1]).unwrap().to_vec();
        // Back to a snapshot that both share, which neither has changed.
        second.rewind(50);
        assert_near(second.extend(&[1]).unwrap(), &wanted);
        first.rewind(40);
        second.rewind(40);
        assert_eq!(first.extend(&[7]).unwrap(), second.extend(&[7]).unwrap());
        // A fork of what is rewound and not yet recomputed.
        first.rewind(33);
        let found = first.fork().unwrap().extend(&[2]).unwrap().to_vec();
        assert_eq!(first.extend(&[2]).unwrap(), found);
    }
}

#[test]
fn saved_texts_go_on_with_the_same_bits() {
    for recurrent in ALL {
        for len in [0, 1, 41] {
            let tokens = text(41)[..len].to_vec();
            let model = model(recurrent);
            let mut first = Session::new(&model, OPTIONS).unwrap();
            if len > 0 {
                one_by_one(&mut first, &tokens);
            }
            let mut saved = Vec::new();
            first.save(&mut saved).unwrap();
            // In a session with less room and another text.
            let small = SessionOptions { context: Some(64), ..OPTIONS };
            let mut second = Session::new(&model, small).unwrap();
            second.extend(&[8, 8, 8]).unwrap();
            second.restore(&mut saved.as_slice()).unwrap();
            assert_eq!(second.tokens(), tokens);
            let wanted = first.extend(&[5]).unwrap().to_vec();
            assert_eq!(second.extend(&[5]).unwrap(), wanted);
            // To where it was saved, and to before that.
            second.rewind(len);
            assert_eq!(second.extend(&[5]).unwrap(), wanted);
            if len > 10 {
                second.rewind(10);
                let found = second.extend(&[5]).unwrap().to_vec();
                let whole = [&tokens[..10], &[5]].concat();
                assert_near(&found, session(recurrent).extend(&whole).unwrap());
            }
        }
    }
}

#[test]
fn a_rewound_text_is_saved_as_what_is_left() {
    for recurrent in ALL {
        let mut first = session(recurrent);
        one_by_one(&mut first, &text(50));
        first.rewind(44);
        let mut saved = Vec::new();
        first.save(&mut saved).unwrap();
        let mut second = session(recurrent);
        second.restore(&mut saved.as_slice()).unwrap();
        assert_eq!(second.tokens(), &text(50)[..44]);
        assert_eq!(second.extend(&[5]).unwrap(), first.extend(&[5]).unwrap());
    }
}

#[test]
fn a_recurrence_is_saved_in_the_same_size_whatever_the_text() {
    let size = |len| {
        let mut session = session(RECURRENT);
        session.extend(&text(len)).unwrap();
        let mut saved = Vec::new();
        session.save(&mut saved).unwrap();
        saved.len() as u32 - 4 * len
    };
    assert_eq!(size(3), size(100));
}

/// The file as `Llm` takes it, with layers that recur.
fn llm(recurrent: &[usize]) -> Llm {
    let file = ModelFile::Gguf(Box::new(file()));
    Llm::with_model(&file, model(recurrent)).unwrap()
}

#[test]
fn speculation_changes_no_text() {
    for recurrent in ALL {
        let llm = llm(recurrent);
        let (mut accepted, mut drafted) = (0, 0);
        for prompt in ["abcabcabcabc", "x", "To be or not to be, that is"] {
            for sampling in
                [Sampling::greedy(), Sampling { temperature: 0.2, ..Sampling::default() }]
            {
                let answer = |lookup| {
                    let options = GenerateOptions {
                        max_tokens: Some(60),
                        sampling: sampling.clone(),
                        ignore_end: true,
                        lookup,
                        ..Default::default()
                    };
                    let mut session = llm.session(OPTIONS).unwrap();
                    llm.generate(&mut session, prompt, &options).unwrap().finish().unwrap()
                };
                let (plain, speculative) = (answer(false), answer(true));
                assert_eq!(plain.tokens, speculative.tokens, "{recurrent:?} {prompt}");
                accepted += speculative.timings.accepted;
                drafted += speculative.timings.drafted;
            }
        }
        assert!(accepted > 10 && drafted > accepted + 10, "{accepted} of {drafted}");
    }
}

#[test]
fn answers_reuse_what_a_session_has() {
    for recurrent in ALL {
        let llm = llm(recurrent);
        let options = GenerateOptions {
            max_tokens: Some(9),
            sampling: Sampling::greedy(),
            ignore_end: true,
            ..Default::default()
        };
        let mut session = llm.session(OPTIONS).unwrap();
        let prompt = "a prompt of thirty-two characters";
        let first = llm.generate(&mut session, prompt, &options).unwrap().finish().unwrap();
        // Another answer to the same: all but the last token of the prompt could be kept.
        let again = llm.generate(&mut session, prompt, &options).unwrap().finish().unwrap();
        assert_eq!(first.tokens, again.tokens);
        let kept = again.timings.reused_tokens;
        assert!(kept == prompt.len() - 1 || kept == 32 || kept == 16, "{kept}");
        // More words after the same answer.
        let longer = format!("{prompt} and more");
        let found = llm.generate(&mut session, &longer, &options).unwrap().finish().unwrap();
        assert_eq!(found.timings.reused_tokens, prompt.len());
        let fresh = llm.complete(&longer, &options).unwrap();
        assert_eq!(found.tokens, fresh.tokens);
    }
}

#[test]
fn a_pass_that_fails_leaves_the_text_as_it_was() {
    // Refused before it runs, and found to be wrong after it has.
    let spoil = |name: &str, values: &mut [f32]| {
        if name == "token_embd.weight" {
            values[200 * 64] = f32::INFINITY;
        }
    };
    let file = Gguf::from_bytes(Tiny::default().gguf(spoil)).unwrap();
    for recurrent in ALL {
        let model = Arc::new(running_sum::model(&file, recurrent, &cpu()));
        let mut session = Session::new(&model, OPTIONS).unwrap();
        session.extend(&[1, 2, 3]).unwrap();
        let mut wanted = session.fork().unwrap();
        assert!(session.extend(&[200]).unwrap_err().to_string().contains("NaN"));
        assert!(session.extend(&[999]).is_err());
        assert_eq!(session.tokens(), [1, 2, 3]);
        assert_eq!(session.extend(&[4]).unwrap(), wanted.extend(&[4]).unwrap());
    }
}

/// What is saved of a short text, and its session.
fn saved(recurrent: &[usize]) -> (Session, Vec<u8>) {
    let mut session = session(recurrent);
    session.extend(&text(6)).unwrap();
    let mut saved = Vec::new();
    session.save(&mut saved).unwrap();
    (session, saved)
}

#[test]
fn states_of_others_are_refused_with_the_reason() {
    let (_, bytes) = saved(HYBRID);
    let refusal = |mut session: Session| {
        session.extend(&[1, 2]).unwrap();
        let error = session.restore(&mut bytes.as_slice()).unwrap_err().to_string();
        assert!(error.starts_with("restore: "), "{error}");
        assert_eq!(session.tokens(), [1, 2], "{error}");
        error
    };
    let with = |options| Session::new(&model(HYBRID), options).unwrap();
    let small = refusal(with(SessionOptions { context: Some(4), ..OPTIONS }));
    assert!(small.contains("6 tokens") && small.contains("room for 4"), "{small}");
    let f16 = refusal(with(SessionOptions { cache: DType::F16, ..OPTIONS }));
    assert!(f16.contains("`keys` of layer 0 is f32") && f16.contains("f16"), "{f16}");
    let other = refusal(session(RECURRENT));
    assert!(other.contains("another model"), "{other}");
    let seed = Gguf::from_bytes(Tiny { seed: 4, ..Tiny::default() }.gguf(|_, _| {})).unwrap();
    let seed = Arc::new(running_sum::model(&seed, HYBRID, &cpu()));
    assert!(refusal(Session::new(&seed, OPTIONS).unwrap()).contains("another model"));
}

#[test]
fn whatever_the_bytes_are_there_is_an_error_or_a_state() {
    let (mut session, bytes) = saved(HYBRID);
    let device = session.model().device().clone();
    let held = device.stats().pool.live_bytes;
    let header = bytes.len() - 4 - data_bytes(session.state(), 6);
    let mut try_bytes = |bytes: &[u8], at: usize| {
        session.rewind(0);
        session.extend(&[1, 2]).unwrap();
        let error = session.restore(&mut &*bytes).unwrap_err().to_string();
        assert!(error.starts_with("restore: "), "{error}");
        // As it was, or empty and ready for another.
        let kept: &[u32] = if at < header { &[1, 2] } else { &[] };
        assert_eq!(session.tokens(), kept, "byte {at}: {error}");
    };
    // Cut anywhere in the header and in many places of the data.
    for len in (0..header).chain((header..bytes.len()).step_by(97)) {
        try_bytes(&bytes[..len], len);
    }
    // Any bit wrong: checks find what comparisons do not.
    for at in (0..header).chain((header..bytes.len()).step_by(97)) {
        for bit in [0, 3, 7] {
            let mut wrong = bytes.clone();
            wrong[at] ^= 1 << bit;
            try_bytes(&wrong, at);
        }
    }
    assert!(device.stats().pool.live_bytes <= held, "nothing was taken");
    session.restore(&mut bytes.as_slice()).unwrap();
    assert_eq!(session.tokens(), text(6));
}

fn data_bytes(state: &State, tokens: usize) -> usize {
    let slots = state.layers.iter().flat_map(super::Memory::slots);
    slots.map(|(slot, _)| slot.bytes(tokens).unwrap()).sum()
}

#[test]
#[cfg(target_os = "linux")]
fn a_gpu_that_chooses_tokens_itself_writes_the_same() {
    use bessemer_metal::{Metal, MetalOptions, hal::soft::SoftOptions};
    let metal = Metal::open_soft(&MetalOptions::default(), &SoftOptions::default()).unwrap();
    let metal: Arc<dyn Device> = Arc::new(metal);
    for recurrent in [RECURRENT, HYBRID] {
        let model = Arc::new(running_sum::model(&file(), recurrent, &metal));
        let llm = Llm::with_model(&ModelFile::Gguf(Box::new(file())), model).unwrap();
        let answer = |logit_bias| {
            let options = GenerateOptions {
                max_tokens: Some(30),
                sampling: Sampling { logit_bias, ..Sampling::greedy() },
                ignore_end: true,
                ..Default::default()
            };
            let mut session = llm.session(OPTIONS).unwrap();
            let mut text = llm.generate(&mut session, "Once", &options).unwrap();
            // Left in the middle, and taken up again.
            text.by_ref().take(5).for_each(|piece| drop(piece.unwrap()));
            drop(text);
            llm.generate(&mut session, "Once", &options).unwrap().finish().unwrap().tokens
        };
        // A reason to see all logits.
        assert_eq!(answer(Vec::new()), answer(vec![(0, 0.0)]));
    }
}
