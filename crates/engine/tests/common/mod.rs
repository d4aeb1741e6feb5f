//! What the tests share: models, requests of all kinds, and answers to compare.
#![allow(dead_code, unreachable_pub)] // Each test uses a part of it.

use bessemer_core::Device;
use bessemer_engine::{Answer, Engine, EngineOptions, Request};
use bessemer_llm::{GenerateOptions, Llm, sampling::Sampling, tiny::Tiny};
use std::{sync::Arc, thread, time::Duration};

pub fn cpu() -> Arc<dyn Device> {
    Arc::new(bessemer_cpu::Cpu::open(Default::default()).unwrap())
}

pub fn llm(tiny: Tiny, device: &Arc<dyn Device>) -> Llm {
    Llm::from_bytes(tiny.gguf(|_, _| {}), device).unwrap()
}

pub fn engine(llm: &Llm, options: EngineOptions) -> Engine {
    Engine::new(llm.clone(), options).unwrap()
}

/// A small engine: chunks and pages end often.
pub fn small() -> EngineOptions {
    EngineOptions {
        page: 16,
        pages: Some(96),
        most_running: 6,
        prompt_rows: 64,
        context: Some(256),
        ..Default::default()
    }
}

/// Numbers that look random, the same every time.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    pub fn tokens(&mut self, len: usize) -> Vec<u32> {
        (0..len).map(|_| self.below(256) as u32).collect()
    }
}

/// What a request asks for, to be asked again.
#[derive(Clone, Debug)]
pub struct Ask {
    pub prompt: Vec<u32>,
    pub options: GenerateOptions,
    pub logprobs: Option<usize>,
}

impl Ask {
    pub fn request(&self) -> Request {
        let mut request = Request::new(self.prompt.clone(), self.options.clone());
        request.logprobs = self.logprobs;
        request
    }
}

pub fn options(max_tokens: usize) -> GenerateOptions {
    GenerateOptions {
        max_tokens: Some(max_tokens),
        sampling: Sampling::greedy(),
        ignore_end: true,
        ..Default::default()
    }
}

/// Requests of many lengths, some with a common beginning, greedy or drawn by a seed.
pub fn asks(seed: u64, count: usize, longest: usize) -> Vec<Ask> {
    let mut random = Random::new(seed);
    let common = random.tokens(longest);
    (0..count)
        .map(|i| {
            let own = 1 + random.below(longest);
            let shared = if random.below(2) == 0 { random.below(own) } else { 0 };
            let mut prompt = common[..shared].to_vec();
            prompt.extend(random.tokens(own - shared));
            let mut options = options(1 + random.below(24));
            if i % 3 == 1 {
                options.sampling = Sampling { seed: i as u64, ..Sampling::default() };
            }
            options.lookup = i % 4 == 2;
            Ask { prompt, options, logprobs: (i % 2 == 0).then_some(3) }
        })
        .collect()
}

type TokenBits = (u32, Option<u32>, Vec<(u32, u32)>);

/// What must be the same bit for bit.
#[derive(Debug, PartialEq)]
pub struct Bits {
    text: String,
    tokens: Vec<TokenBits>,
    reason: &'static str,
}

pub fn bits(answer: &Answer) -> Bits {
    let token = |token: &bessemer_engine::Token| {
        let top = token.top.iter().map(|(id, logprob)| (*id, logprob.to_bits())).collect();
        (token.id, token.logprob.map(f32::to_bits), top)
    };
    Bits {
        text: answer.text.clone(),
        tokens: answer.tokens.iter().map(token).collect(),
        reason: answer.end.reason.name(),
    }
}

/// The answer of an engine that has nothing else to do, and nothing left of others.
pub fn alone(llm: &Llm, options: &EngineOptions, ask: &Ask) -> Answer {
    let options = EngineOptions { share_prefixes: false, most_running: 1, ..options.clone() };
    let mut ask = ask.clone();
    ask.options.lookup = false;
    engine(llm, options).submit(ask.request()).unwrap().finish().unwrap()
}

/// All requests at once, twice, with others that are cancelled on the way: each answer is that of the
/// request alone, and no page and no place is lost. The engine, for what else it has to say.
pub fn check_mix(llm: &Llm, options: EngineOptions, asks: &[Ask]) -> Engine {
    let alone: Vec<Bits> = asks.iter().map(|ask| bits(&alone(llm, &options, ask))).collect();
    let engine = engine(llm, options);
    for round in 0..2 {
        let mut random = Random::new(round + 1);
        let answers: Vec<_> = asks
            .iter()
            .map(|ask| {
                if random.below(4) == 0 {
                    thread::sleep(Duration::from_millis(random.below(10) as u64));
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
    engine
}
