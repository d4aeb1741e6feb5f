//! An answer is bit for bit that of its request alone, whatever shares the steps with it: on the CPU.

mod common;

use bessemer_core::DType;
use bessemer_engine::{EngineOptions, Event};
use bessemer_llm::tiny::Tiny;
use common::*;

#[test]
fn answers_are_those_alone() {
    let llm = llm(Tiny::default(), &cpu());
    let engine = check_mix(&llm, small(), &asks(1, 24, 200));
    let totals = engine.stats().totals;
    // Some began alike, and some were drafted.
    assert!(totals.reused_tokens > 0, "{totals:?}");
    assert!(totals.drafted_tokens > 0, "{totals:?}");
}

#[test]
fn answers_are_those_alone_with_quantised_weights_and_caches() {
    for (dtype, cache) in
        [(DType::Q4_0, DType::Q8_0), (DType::Q8_0, DType::F32), (DType::F16, DType::F16)]
    {
        let llm = llm(Tiny { dtype, ..Tiny::default() }, &cpu());
        check_mix(&llm, EngineOptions { cache, ..small() }, &asks(2, 12, 150));
    }
}

#[test]
fn answers_are_those_alone_whatever_the_pages() {
    let llm = llm(Tiny { dtype: DType::Q8_0, ..Tiny::default() }, &cpu());
    for page in [1, 24, 100] {
        let pages = Some(1500usize.div_ceil(page));
        check_mix(&llm, EngineOptions { page, pages, ..small() }, &asks(3, 10, 150));
    }
    let apart = EngineOptions { share_prefixes: false, ..small() };
    let engine = check_mix(&llm, apart, &asks(3, 10, 150));
    assert_eq!((engine.stats().totals.reused_tokens, engine.stats().pages.cached), (0, 0));
}

#[test]
fn texts_that_are_paused_go_on_as_they_were() {
    let llm = llm(Tiny { dtype: DType::Q8_0, ..Tiny::default() }, &cpu());
    let mut asks = asks(4, 16, 60);
    // Long answers to short prompts: all have room at first, and not later.
    asks.iter_mut().for_each(|ask| ask.options.max_tokens = Some(120));
    let tight = EngineOptions { pages: Some(24), ..small() };
    let engine = check_mix(&llm, tight, &asks);
    assert!(engine.stats().totals.paused > 0, "{:?}", engine.stats());
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

#[test]
fn choices_of_one_prompt_share_it() {
    let llm = llm(Tiny::default(), &cpu());
    let options = small();
    let mut ask = asks(5, 1, 40)[0].clone();
    ask.prompt = Random::new(9).tokens(200);
    let alone = bits(&alone(&llm, &options, &ask));
    let engine = engine(&llm, options);
    let answers: Vec<_> = (0..4).map(|_| engine.submit(ask.request()).unwrap()).collect();
    for answer in answers {
        assert_eq!(bits(&answer.finish().unwrap()), alone);
    }
    // Three chunks of 64 lie in the tree once, and are found again.
    let again = engine.submit(ask.request()).unwrap().finish().unwrap();
    assert_eq!((again.end.usage.reused, bits(&again)), (192, alone));
    engine.drain().wait().unwrap();
    assert_eq!(engine.stats().pages.cached, 12);
}
