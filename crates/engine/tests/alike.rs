//! An answer is bit for bit that of its request alone, whatever shares the steps with it.

mod common;

use bessemer_engine::{EngineOptions, Event};
use bessemer_llm::tiny::Tiny;
use common::*;
use std::thread;

fn small() -> EngineOptions {
    EngineOptions {
        page: 16,
        most_running: 6,
        prompt_rows: 48,
        context: Some(256),
        ..Default::default()
    }
}

/// All requests at once, some cancelled on the way; each answer is compared with that alone.
fn check(tiny: Tiny, options: EngineOptions, seed: u64) {
    let llm = llm(tiny, &cpu());
    let asks = asks(seed, 24, 200);
    let alone: Vec<_> = asks.iter().map(|ask| bits(&alone(&llm, &options, ask))).collect();
    let engine = engine(&llm, options);
    for round in 0..2 {
        let mut random = Random::new(seed + round);
        let answers: Vec<_> = asks
            .iter()
            .map(|ask| {
                if random.below(4) == 0 {
                    thread::sleep(std::time::Duration::from_millis(random.below(10) as u64));
                }
                if random.below(5) == 0 {
                    // Somebody who asks and goes away.
                    let mut other = engine.submit(ask.request()).unwrap();
                    if random.below(2) == 0 {
                        let _ = other.next();
                    }
                }
                engine.submit(ask.request()).unwrap()
            })
            .collect();
        for (number, answer) in answers.into_iter().enumerate() {
            let answer = answer.finish().unwrap();
            assert_eq!(bits(&answer), alone[number], "request {number} in round {round}");
        }
    }
    engine.drain().wait().unwrap();
    let stats = engine.stats();
    assert_eq!((stats.running, stats.waiting, stats.pages.used), (0, 0, 0));
    assert_eq!(stats.totals.ended, stats.totals.taken);
}

#[test]
fn answers_are_those_alone() {
    check(Tiny::default(), small(), 1);
}

#[test]
fn pieces_come_as_they_are_made_and_make_the_answer() {
    let llm = llm(Tiny::default(), &cpu());
    let engine = engine(&llm, small());
    let ask = &asks(3, 1, 40)[0];
    let whole = engine.submit(ask.request()).unwrap().finish().unwrap();
    let (mut text, mut tokens, mut ends) = (String::new(), 0, 0);
    for event in engine.submit(ask.request()).unwrap() {
        match event.unwrap() {
            Event::Piece(piece) => {
                assert_eq!(ends, 0);
                text += &piece.text;
                tokens += piece.tokens.len();
            }
            Event::End(end) => {
                ends += 1;
                assert_eq!(end.usage.generated, tokens);
                assert_eq!(end.usage.prompt, ask.prompt.len());
            }
        }
    }
    assert_eq!((text, tokens, ends), (whole.text, whole.tokens.len(), 1));
}
