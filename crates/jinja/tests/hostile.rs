//! Templates that want to do harm. Each must end with a text or an error, on the stack of an ordinary
//! thread, and without taking much more memory than its limit.

mod templates;

use bessemer_jinja::{ErrorKind, Limits, Template};
use serde_json::{Value, json};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// Counts the bytes that are allocated, and the most there ever were.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The counters are for one test at a time.
static TURN: Mutex<()> = Mutex::new(());

// SAFETY: everything is passed on to the system's allocator; the counters allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The stack of a thread that nobody asked for more: Rust's default.
const STACK: usize = 2 << 20;

/// Well above the limit of 64 MB, which leaves out the source, the tree and small change.
const MOST_MEMORY: usize = 100 << 20;

fn variables() -> Value {
    json!({
        "messages": [
            { "role": "system", "content": "Be kind." },
            { "role": "user", "content": "Hello, wörld's 123 漢字\n\n  <s>😀\u{301}\u{0}▁ aaaaaaaaaaaaaaaa" },
            { "role": "assistant", "content": null, "tool_calls": [] },
        ],
        "bos_token": "<s>",
        "add_generation_prompt": true,
    })
}

fn run(source: &str) -> Result<String, bessemer_jinja::Error> {
    run_within(source, Limits::default().steps)
}

/// Renders on a thread of its own.
fn run_within(source: &str, steps: u64) -> Result<String, bessemer_jinja::Error> {
    // Time is not what is tested: a slow machine may not hide what steps and memory allow.
    let limits = Limits { time: Duration::from_secs(60), steps, ..Limits::default() };
    let source = source.to_owned();
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let rendered = thread::Builder::new()
        .stack_size(STACK)
        .spawn({
            let source = source.clone();
            move || Template::with_limits(&source, limits)?.render(&variables())
        })
        .unwrap()
        .join();
    let peak = PEAK.load(Ordering::Relaxed).saturating_sub(before);
    let start: String = source.chars().take(200).collect();
    assert!(peak < MOST_MEMORY, "{peak} bytes: {start}");
    let rendered = rendered.unwrap_or_else(|_| panic!("panicked: {start}"));
    let after = LIVE.load(Ordering::Relaxed);
    assert!(after < before + (20 << 20), "{} bytes are not given back: {start}", after - before);
    rendered
}

#[test]
fn hostile_templates_end() {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    for source in templates::single() {
        let _ = run(&source);
    }
    for source in templates::long_and_deep() {
        // The stack and the parser are what these are for.
        let _ = run_within(&source, 1_000_000);
    }
}

#[test]
fn hostile_uses_end() {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    let all = templates::uses();
    assert!(all.len() > 800, "{}", all.len());
    for source in all {
        // Fewer steps than by default, for there are many.
        let _ = run_within(&source, 2_000_000);
    }
}

/// These must reach a limit, and say which.
#[test]
fn limits_are_named() {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    let loops = "{% for a in range(9999) %}".repeat(9) + &"{% endfor %}".repeat(9);
    for (source, said) in [
        (loops.as_str(), "more than 10,000,000 steps"),
        ("{{ 'x' * 99999999999 }}", "more than 67,108,864 bytes of memory"),
        ("{{ [1] * 99999999999 }}", "more than 67,108,864 bytes of memory"),
        ("{{ range(99999999999) }}", "more than 100000"),
        ("{% for i in range(999) %}{{ 'x' * 100000 }}{% endfor %}", "longer than 16,777,216 bytes"),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "nest deeper than 200"),
        (&format!("{{{{ {}1{} }}}}", "(".repeat(999), ")".repeat(999)), "nest deeper than 64"),
        (&"{% if 1 %}".repeat(999), "nest deeper than 64"),
        (
            "{% set ns = namespace(l=[]) %}{% for i in range(999) %}{% set ns.l = [ns.l] %}{% endfor %}",
            "nest deeper than 130",
        ),
        (&"{{a}}".repeat(150_000), "more than 100,000"),
        (&" ".repeat(2 << 20), "2,097,152 bytes"),
    ] {
        let error = run(source).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[test]
fn time_is_limited() {
    let loops = "{% for a in range(9999) %}".repeat(9) + &"{% endfor %}".repeat(9);
    let limits =
        Limits { time: Duration::from_millis(20), steps: u64::MAX - 1, ..Limits::default() };
    let error = Template::with_limits(&loops, limits).unwrap().render(&variables()).unwrap_err();
    assert_eq!(error.to_string(), "line 1: the template takes more than 20 ms of CPU time");
}

#[test]
fn cycles_are_refused() {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    for source in [
        "{% set n = namespace() %}{% set n.n = n %}",
        "{% set n = namespace() %}{% set n.n = [n] %}",
        "{% set n = namespace() %}{% set n.n = {'a': (n,)} %}",
        "{% set n = namespace() %}{% macro m() %}{{ n }}{% endmacro %}{% set n.m = m %}",
        "{% set n = namespace() %}{% for x in [1] %}{% set n.l = loop %}{% endfor %}",
        "{% set n = namespace() %}{% set n.n = [n].index %}",
        "{% set n = namespace() %}{% set n.n = cycler(n) %}",
        "{% set n = namespace() %}{% set n.n = [n] | map('default') %}",
        "{% for x in [1, 2] %}{{ loop.changed(loop) }}{% endfor %}",
        "{% set n = namespace(m=namespace()) %}",
    ] {
        let error = run(source).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Runtime, "{source}: {error}");
    }
}

/// Variables are the host's, but may come from strangers as well.
#[test]
fn deep_variables_are_refused() {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    let template = Template::new("{{ x }}").unwrap();
    let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    assert!(template.render(&json!({ "x": nested(125) })).is_ok());
    let error = template.render(&json!({ "x": nested(2000) })).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}

/// What real chats need is far below the limits.
#[test]
fn long_chats_are_rendered() {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    let source = "{% set ns = namespace(text='') %}{% for m in messages %}\
                  {% set content = m.content | trim %}{% if '</think>' in content %}\
                  {% set content = content.split('</think>')[-1].lstrip('\n') %}{% endif %}\
                  {% set ns.text = ns.text ~ m.role + ': ' + content ~ '\n' %}{% endfor %}{{ ns.text }}";
    let content = "<think>hm</think> ".to_owned() + &"word ".repeat(2000);
    let message = json!({ "role": "user", "content": content });
    let variables = json!({ "messages": vec![message; 200] });
    // Many machines at once run tests; only steps and memory count.
    let limits = Limits { time: Duration::from_secs(60), ..Limits::default() };
    let text = Template::with_limits(source, limits).unwrap().render(&variables).unwrap();
    assert_eq!(text.len(), 200 * (6 + " ".len() + 2000 * 5 - 1 + 1));
}
