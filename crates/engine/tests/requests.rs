//! Taking, refusing, cancelling and draining requests; users, priorities, constraints and failing devices.

mod common;

use bessemer_core::Device;
use bessemer_engine::{Constraint, EngineOptions, Event, Mask, Priority, Refused, Request, Result};
use bessemer_hostile::Faulty;
use bessemer_llm::{Cancel, Fallback, GenerateOptions, StopReason, WhenFull, tiny::Tiny};
use common::*;
use std::sync::Arc;

#[test]
fn what_cannot_be_computed_is_refused_with_its_field() {
    let llm = llm(Tiny::default(), &cpu());
    let engine = engine(&llm, small());
    let why = |request: Request| match engine.submit(request) {
        Err(Refused::Invalid(error)) => error.to_string(),
        other => panic!("{:?}", other.map(|_| ())),
    };
    let of = |prompt: Vec<u32>| Request::new(prompt, options(4));
    assert_eq!(why(of(vec![])), "prompt: has no tokens; pass at least one");
    assert_eq!(why(of(vec![1; 300])), "prompt: has 300 tokens, but the context is 256; shorten it");
    assert_eq!(
        why(of(vec![1, 5000])),
        "prompt: token 5000 is out of range for a vocabulary of 259"
    );
    let with = |change: fn(&mut GenerateOptions)| {
        let mut options = options(4);
        change(&mut options);
        why(Request::new(vec![1], options))
    };
    let shift = with(|options| options.when_full = WhenFull::Shift { keep: 0 });
    assert_eq!(shift, "when_full: an engine ends texts when the context is full; use `stop`");
    let stop = with(|options| options.stop = vec![String::new()]);
    assert_eq!(stop, "stop: an empty string would end every text; remove it");
    assert!(with(|options| options.sampling.top_p = 7.0).contains("top_p"));
    let mut state = of(vec![1]);
    state.keep_state = true;
    assert_eq!(why(state), "state: only states of models that recur are given out and taken back");
    assert!(engine.embed(vec![]).is_err());
    for wrong in [
        EngineOptions { page: 0, ..small() },
        EngineOptions { most_running: 0, ..small() },
        EngineOptions { cache: bessemer_core::DType::Q4_0, ..small() },
    ] {
        assert!(bessemer_engine::Engine::new(llm.clone(), wrong).is_err());
    }
}

#[test]
fn a_full_queue_says_when_to_come_back() {
    let llm = llm(Tiny::default(), &cpu());
    let options_of = EngineOptions { most_running: 1, most_waiting: 2, ..small() };
    let engine = engine(&llm, options_of);
    let request = || Request::new(vec![1, 2, 3], options(200));
    let mut first = engine.submit(request()).unwrap();
    // It has its place.
    assert!(matches!(first.next(), Some(Ok(Event::Piece(_)))));
    let waiting: Vec<_> = (0..2).map(|_| engine.submit(request()).unwrap()).collect();
    match engine.submit(request()) {
        Err(Refused::QueueFull { waiting: 2, retry_after }) => {
            assert!(retry_after.as_secs() >= 1);
        }
        other => panic!("{:?}", other.map(|_| ())),
    }
    drop(waiting);
    drop(first);
    // All have gone, so there is room again.
    loop {
        match engine.submit(request()) {
            Ok(answer) => break assert_eq!(answer.finish().unwrap().tokens.len(), 200),
            Err(Refused::QueueFull { .. }) => std::thread::yield_now(),
            Err(other) => panic!("{other}"),
        }
    }
    assert!(engine.stats().totals.refused > 0);
}

#[test]
fn draining_ends_what_was_taken_and_takes_nothing_more() {
    let llm = llm(Tiny::default(), &cpu());
    let engine = engine(&llm, EngineOptions { most_running: 2, ..small() });
    let asks = asks(11, 6, 50);
    let answers: Vec<_> = asks.iter().map(|ask| engine.submit(ask.request()).unwrap()).collect();
    let drained = engine.drain();
    assert!(matches!(engine.submit(asks[0].request()), Err(Refused::Draining)));
    drained.wait().unwrap();
    assert_eq!(engine.stats().totals.ended, 6);
    for (ask, answer) in asks.iter().zip(answers) {
        assert_eq!(bits(&answer.finish().unwrap()), bits(&alone(&llm, &small(), ask)));
    }
}

#[test]
fn who_goes_away_in_the_prompt_frees_the_place() {
    let llm = llm(Tiny::default(), &cpu());
    let engine = engine(&llm, EngineOptions { most_running: 1, prompt_rows: 1, ..small() });
    for _ in 0..5 {
        drop(engine.submit(Request::new(Random::new(1).tokens(250), options(5))).unwrap());
        let answer = engine.submit(Request::new(vec![7], options(2))).unwrap();
        assert_eq!(answer.finish().unwrap().tokens.len(), 2);
    }
    let cancel = Cancel::new();
    let request = GenerateOptions { cancel: cancel.clone(), ..options(200) };
    let mut answer = engine.submit(Request::new(vec![1], request)).unwrap();
    assert!(matches!(answer.next(), Some(Ok(Event::Piece(_)))));
    cancel.cancel();
    assert_eq!(answer.finish().unwrap().end.reason, StopReason::Cancelled);
    engine.drain().wait().unwrap();
    let stats = engine.stats();
    assert_eq!((stats.running, stats.pages.used), (0, 0));
    assert!(stats.totals.cancelled >= 1);
}

/// The order in which requests of these users and priorities end, if one runs at a time.
fn order(requests: &[(&str, Priority)]) -> Vec<usize> {
    let llm = llm(Tiny::default(), &cpu());
    let engine = engine(&llm, EngineOptions { most_running: 1, ..small() });
    // While this one runs, all others come.
    let mut first = engine.submit(Request::new(vec![1], options(200))).unwrap();
    assert!(matches!(first.next(), Some(Ok(Event::Piece(_)))));
    let (ended, ends) = std::sync::mpsc::channel();
    let threads: Vec<_> = requests
        .iter()
        .enumerate()
        .map(|(number, (user, priority))| {
            let mut request = Request::new(vec![2, 3], options(60));
            request.user = Some(Arc::from(*user));
            request.priority = *priority;
            let (answer, ended) = (engine.submit(request).unwrap(), ended.clone());
            std::thread::spawn(move || {
                for event in answer {
                    if let Event::End(end) = event.unwrap() {
                        ended.send((end.timings.queued, number)).unwrap();
                    }
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    drop(ended);
    let mut ends: Vec<_> = ends.iter().collect();
    ends.sort_unstable();
    ends.into_iter().map(|(_, number)| number).collect()
}

#[test]
fn the_important_go_first() {
    let (low, high) = (Priority::Low, Priority::High);
    let found = order(&[("a", low), ("a", low), ("b", Priority::Normal), ("b", high)]);
    assert_eq!(found, [3, 2, 0, 1]);
}

#[test]
fn a_user_with_many_requests_does_not_hold_up_another() {
    let mut requests = vec![("greedy", Priority::Normal); 8];
    requests.push(("modest", Priority::Normal));
    let found = order(&requests);
    let place = found.iter().position(|&number| number == 8).unwrap();
    assert!(place <= 5, "{found:?}");
}

#[test]
fn meanings_are_those_of_sessions() {
    let llm = llm(Tiny::default(), &cpu());
    let engine = engine(&llm, small());
    let answer = engine.submit(asks(1, 1, 40)[0].request()).unwrap();
    let tokens: Vec<u32> = b"what does it mean?".iter().map(|&byte| byte.into()).collect();
    let meaning = engine.embed(tokens).unwrap().wait().unwrap();
    let mut session = llm.session(Default::default()).unwrap();
    assert_eq!(meaning, llm.embed(&mut session, "what does it mean?").unwrap());
    answer.finish().unwrap();
}

/// Letters and digits in turn, six of them.
struct Turns(usize);

impl Constraint for Turns {
    fn restrict(&mut self, mask: &mut Mask) -> Result<(), String> {
        let digits = self.0 % 2 == 1;
        for token in 0..mask.tokens() as u32 {
            let wanted = match u8::try_from(token) {
                Ok(byte) if digits => byte.is_ascii_digit(),
                Ok(byte) => byte.is_ascii_lowercase(),
                Err(_) => false,
            };
            if !wanted {
                mask.forbid(token);
            }
        }
        Ok(())
    }

    fn accept(&mut self, token: u32) -> Result<(), String> {
        let byte = token as u8;
        let right = if self.0 % 2 == 1 { byte.is_ascii_digit() } else { byte.is_ascii_lowercase() };
        self.0 += 1;
        if right { Ok(()) } else { Err(format!("{byte} is not its turn")) }
    }

    fn may_end(&mut self) -> bool {
        self.is_complete()
    }

    fn is_complete(&mut self) -> bool {
        self.0 == 6
    }
}

#[test]
fn a_constraint_makes_the_text() {
    let llm = llm(Tiny::default(), &cpu());
    let engine = engine(&llm, small());
    let texts: Vec<String> = [false, true]
        .into_iter()
        .map(|lookup| {
            let options = GenerateOptions { lookup, ..options(50) };
            let mut request = Request::new(b"a1b2c3a1b2c3".map(u32::from).to_vec(), options);
            request.constraint = Some(Box::new(Turns(0)));
            let answer = engine.submit(request).unwrap().finish().unwrap();
            assert_eq!(answer.end.reason, StopReason::Complete);
            assert_eq!(answer.end.usage.generated, 6);
            answer.text
        })
        .collect();
    let turns = |(i, c): (usize, char)| match i % 2 {
        0 => c.is_ascii_lowercase(),
        _ => c.is_ascii_digit(),
    };
    assert!(texts[0].chars().enumerate().all(turns), "{texts:?}");
    assert_eq!(texts[0], texts[1]);
}

#[test]
fn texts_go_on_elsewhere_when_the_device_is_lost() {
    let faulty = Arc::new(Faulty::losable(cpu()));
    let device: Arc<dyn Device> = Arc::clone(&faulty) as _;
    let plain = llm(Tiny::default(), &cpu());
    let asks = asks(13, 8, 100);
    let alone: Vec<_> = asks.iter().map(|ask| bits(&alone(&plain, &small(), ask))).collect();
    let elsewhere = plain.clone();
    let lost = llm(Tiny::default(), &device)
        .with_fallback(Fallback::new(move || Ok(Arc::clone(elsewhere.model())), |_| {}));
    for call in [0, 3, 50, 123] {
        let engine = engine(&lost, small());
        faulty.fail_at(Some(call));
        let answers: Vec<_> =
            asks.iter().map(|ask| engine.submit(ask.request()).unwrap()).collect();
        for (answer, alone) in answers.into_iter().zip(&alone) {
            assert_eq!(bits(&answer.finish().unwrap()), *alone, "lost at call {call}");
        }
        assert!(faulty.has_failed());
        assert_eq!(engine.stats().totals.moved, 1);
        faulty.fail_at(None);
    }
}

#[test]
fn without_a_fallback_a_lost_device_is_an_error_and_the_engine_goes_on() {
    let faulty = Arc::new(Faulty::new(cpu()));
    let device: Arc<dyn Device> = Arc::clone(&faulty) as _;
    let llm = llm(Tiny::default(), &device);
    let engine = engine(&llm, small());
    faulty.fail_at(Some(40));
    let asks = asks(17, 6, 60);
    let answers: Vec<_> = asks.iter().map(|ask| engine.submit(ask.request()).unwrap()).collect();
    let failed = answers.into_iter().map(|answer| answer.finish()).filter(Result::is_err).count();
    assert!(failed > 0);
    let plain = common::llm(Tiny::default(), &cpu());
    for ask in &asks {
        let answer = engine.submit(ask.request()).unwrap().finish().unwrap();
        assert_eq!(bits(&answer), bits(&alone(&plain, &small(), ask)));
    }
    engine.drain().wait().unwrap();
    assert_eq!(engine.stats().pages.used, 0);
}
