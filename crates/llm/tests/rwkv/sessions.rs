//! Sessions of recurrent models: forked, rewound, saved, restored and begun with a trained state.

use crate::{MODELS, cpu, far, folder, model, session, texts, texts_of};
use bessemer_core::DType;
use bessemer_llm::{Session, SessionOptions, SnapshotOptions, files::Pth};

fn bits(logits: &[f32]) -> Vec<u32> {
    logits.iter().map(|x| x.to_bits()).collect()
}

/// Token by token, and the logits after the last.
fn step(session: &mut Session, tokens: &[u32]) -> Vec<u32> {
    let mut last = Vec::new();
    for &token in tokens {
        last = bits(session.extend(&[token]).unwrap());
    }
    last
}

#[test]
fn forks_rewinds_and_saved_states_give_the_same_bits() {
    let device = cpu(false);
    for name in MODELS {
        let (model, text) = (model(name, &device), &texts(name)[0].tokens);
        let (prompt, rest) = text.split_at(30);
        let mut first = session(&model, 512);
        first.extend(prompt).unwrap();
        let mut saved = Vec::new();
        first.save(&mut saved).unwrap();
        let mut fork = first.fork().unwrap();
        let expected = step(&mut first, rest);
        assert_eq!(step(&mut fork, rest), expected, "{name}: forked");
        // The prompt left a snapshot.
        assert_eq!(first.state().rewind_point(prompt.len()), prompt.len(), "{name}");
        first.rewind(prompt.len());
        assert_eq!(step(&mut first, rest), expected, "{name}: rewound");
        let mut restored = session(&model, 512);
        restored.restore(&mut saved.as_slice()).unwrap();
        assert_eq!(step(&mut restored, rest), expected, "{name}: restored");
    }
}

#[test]
fn rewinding_between_snapshots_computes_what_is_missing() {
    let device = cpu(false);
    let model = model("rwkv7", &device);
    let text = &texts("rwkv7")[0].tokens;
    let snapshots = SnapshotOptions { every: 16, most: 4 };
    let options = SessionOptions { chunk: 8, snapshots, ..Default::default() };
    let mut rewound = Session::new(&model, options).unwrap();
    step(&mut rewound, text);
    rewound.rewind(37);
    assert!(rewound.state().rewind_point(37) < 37);
    let mut straight = Session::new(&model, options).unwrap();
    step(&mut straight, &text[..37]);
    assert_eq!(step(&mut rewound, &text[37..]), step(&mut straight, &text[37..]));
}

#[test]
fn several_tokens_at_once_give_the_bits_of_each_by_itself() {
    let device = cpu(false);
    for name in MODELS {
        let (model, text) = (model(name, &device), &texts(name)[0].tokens[..8]);
        let together = bits(session(&model, 8).extend_each(text).unwrap());
        let mut one_by_one = session(&model, 8);
        let mut each = Vec::new();
        for &token in text {
            each.extend(bits(one_by_one.extend(&[token]).unwrap()));
        }
        assert_eq!(together, each, "{name}");
    }
}

#[test]
fn memory_is_the_same_whatever_the_length() {
    let device = cpu(false);
    for name in MODELS {
        let model = model(name, &device);
        let config = model.config();
        let state = |context| config.state_bytes(context, DType::F16).unwrap();
        assert_eq!(state(1), state(1 << 20), "{name}");
        // A long context is free, so it is what sessions have room for.
        assert_eq!(session(&model, 8).capacity(), config.context, "{name}");
    }
}

#[test]
fn a_text_begins_with_a_trained_state() {
    let device = cpu(true);
    let model = model("rwkv7", &device);
    let states = Pth::open(folder("rwkv7").join("state.pth")).unwrap();
    let mut session = session(&model, 512);
    session.extend(&[1, 2, 3]).unwrap();
    session.start_from(states.tensors()).unwrap();
    assert!(session.tokens().is_empty());
    for text in texts_of("rwkv7", "expected_state.safetensors") {
        let found = far(session.extend(&text.tokens).unwrap(), text.logits.last().unwrap());
        assert!(found <= 1e-4, "{found}");
        // The state is what every text begins with, also after this one.
        session.rewind(0);
    }
}

#[test]
fn states_that_do_not_fit_are_refused() {
    let device = cpu(true);
    let states = Pth::open(folder("rwkv7").join("state.pth")).unwrap();
    let refuse = |name: &str| {
        let mut session = session(&model(name, &device), 512);
        session.extend(&[1, 2]).unwrap();
        let error = session.start_from(states.tensors()).unwrap_err().to_string();
        assert_eq!(session.tokens(), [1, 2], "nothing is changed");
        error
    };
    let wrong = refuse("rwkv7_eps");
    assert!(wrong.contains("`blocks.0.att.time_state` has the shape"), "{wrong}");
    let none = refuse("rwkv4");
    assert!(none.contains("`rwkv4` have no states"), "{none}");

    // A saved session of another model.
    let mut saved = Vec::new();
    session(&model("rwkv6", &device), 8).save(&mut saved).unwrap();
    let error = session(&model("rwkv7", &device), 8).restore(&mut saved.as_slice()).unwrap_err();
    assert!(error.to_string().contains("of another model"), "{error}");
}
