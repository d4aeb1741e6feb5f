//! Tokenizers that want to do harm: each is refused, or encodes and decodes any text, with bounded
//! memory. The time is bounded too: a test that hangs fails.

use bessemer_llm::{
    files::{
        Gguf, GgufWriter,
        gguf::{Array, Value as Meta},
    },
    tokenizer::{Encode, Tokenizer},
};
use serde_json::{Value, json};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Counts the bytes in use, and the most there ever were.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all memory comes from the system's allocator and goes back to it, as asked; counting beside
// it touches nothing of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above; the memory is from `System`.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test at a time, or they would count each other's memory.
static ALONE: Mutex<()> = Mutex::new(());

const MOST: usize = 256 << 20;

/// Random bytes as text.
fn noise(len: usize) -> String {
    let mut random = 7u32;
    let mut byte = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 24) as u8
    };
    let bytes: Vec<u8> = (0..len).map(|_| byte()).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Texts that are bad for something: no place to cut, cuts everywhere, growth, going back.
fn texts(len: usize) -> Vec<String> {
    vec![
        String::new(),
        "a".into(),
        " ".repeat(len),
        "a".repeat(len),
        "ab".repeat(len / 2),
        "1".repeat(len),
        "漢".repeat(len / 3),
        "\u{FDFA}".repeat(len / 3),
        "a \n.".repeat(len / 4),
        noise(len),
    ]
}

/// Loads what `load` makes and uses it on texts of `len` bytes; the error of loading, if there is one.
fn survives(
    name: &str,
    len: usize,
    load: impl FnOnce() -> bessemer_llm::Result<Tokenizer>,
) -> Option<String> {
    let texts = texts(len);
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let error = match load() {
        Err(error) => Some(error.to_string()),
        Ok(tokenizer) => {
            for (i, text) in texts.iter().enumerate() {
                let how = if i % 2 == 0 { Encode::TRUSTED } else { Encode::PLAIN };
                let Ok(tokens) = tokenizer.encode(text, how) else { continue };
                let most = tokens.len().min(10_000);
                if let Ok(text) = tokenizer.decode(&tokens[..most]) {
                    assert!(text.len() <= most * 70_000, "{name}: {} bytes", text.len());
                }
            }
            None
        }
    };
    let grown = PEAK.load(Ordering::Relaxed).saturating_sub(before);
    assert!(grown < MOST, "{name}: {} MB", grown >> 20);
    if let Some(error) = &error {
        assert!(error.len() < 1200, "{name}: an error of {} bytes", error.len());
    }
    error
}

/// A model of three tokens.
fn bpe() -> Value {
    json!({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]})
}

/// A file with this model and these parts.
fn file(model: Value, parts: Value) -> Value {
    let mut file = json!({"model": model});
    for (key, value) in parts.as_object().unwrap() {
        file[key] = value.clone();
    }
    file
}

fn sequence(list: &str, step: Value, count: usize) -> Value {
    let mut sequence = json!({"type": "Sequence"});
    sequence[list] = vec![step; count].into();
    sequence
}

fn nested(list: &str, step: Value, depth: usize) -> Value {
    (0..depth).fold(step, |inner, _| {
        let mut outer = json!({"type": "Sequence"});
        outer[list] = vec![inner].into();
        outer
    })
}

fn replace(pattern: &str, content: &str) -> Value {
    json!({"type": "Replace", "pattern": {"String": pattern}, "content": content})
}

fn split(pattern: &str) -> Value {
    json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false})
}

/// A SentencePiece table of one replacement: each `a` becomes `content`.
fn charsmap(content: &str) -> String {
    // The node of `a` says that a leaf follows it; the leaf points at the start of the replacements.
    let mut units = vec![0u32; 256];
    units[0] = 1 << 10;
    units[1 ^ 0x61] = 0x61 | 1 << 8 | 1 << 10;
    units[1 ^ 0x61 ^ 1] = 1 << 31;
    let mut table = ((units.len() * 4) as u32).to_le_bytes().to_vec();
    table.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    table.extend(content.as_bytes());
    table.push(0);
    base64(&table)
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letters = bytes.chunks(3).flat_map(|chunk| {
        let word =
            chunk.iter().fold(0u32, |word, &b| word << 8 | u32::from(b)) << (8 * (3 - chunk.len()));
        (0..=chunk.len()).map(move |i| LETTERS[(word >> (18 - 6 * i)) as usize & 63] as char)
    });
    letters.collect()
}

/// What each normalizer, pre-tokenizer and decoder is repeated as, and how often.
fn multiplied() -> Vec<(&'static str, Value)> {
    let normalizer = |value| json!({"normalizer": value});
    let splits = |value| json!({"pre_tokenizer": value});
    let decoder = |value| json!({"decoder": value});
    let precompiled =
        |content: &str| json!({"type": "Precompiled", "precompiled_charsmap": charsmap(content)});
    let big = "x".repeat(1 << 20);
    vec![
        ("Replace x12", normalizer(sequence("normalizers", replace("a", "aa"), 12))),
        ("Replace x63", normalizer(sequence("normalizers", replace("a", "aa"), 63))),
        ("Replace x1000", normalizer(sequence("normalizers", replace("a", "aa"), 1000))),
        ("Replace by 1 MB", normalizer(replace("a", &big))),
        ("Replace nothing", normalizer(replace("", &big))),
        (
            "Replace every place",
            normalizer(json!({"type": "Replace",
            "pattern": {"Regex": "(?=.)"}, "content": "abc"})),
        ),
        ("Prepend 1 MB", normalizer(json!({"type": "Prepend", "prepend": big}))),
        (
            "Prepend x60",
            normalizer(sequence(
                "normalizers",
                json!({"type": "Prepend",
            "prepend": "a".repeat(1000)}),
                60,
            )),
        ),
        (
            "ByteLevel x40 before",
            normalizer(sequence("normalizers", json!({"type": "ByteLevel"}), 40)),
        ),
        ("ByteLevel x40", splits(sequence("pretokenizers", json!({"type": "ByteLevel"}), 40))),
        (
            "ByteLevel x20, plain",
            splits(sequence(
                "pretokenizers",
                json!({"type": "ByteLevel",
            "use_regex": false, "add_prefix_space": false}),
                20,
            )),
        ),
        (
            "Metaspace x60",
            splits(sequence(
                "pretokenizers",
                json!({"type": "Metaspace",
            "replacement": "\u{1F600}", "prepend_scheme": "always", "split": true}),
                60,
            )),
        ),
        ("NFKD x60", normalizer(sequence("normalizers", json!({"type": "NFKD"}), 60))),
        (
            "Bert x60",
            normalizer(sequence(
                "normalizers",
                json!({"type": "BertNormalizer",
            "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
            "lowercase": true}),
                60,
            )),
        ),
        ("Precompiled to 200", normalizer(precompiled(&"a".repeat(200)))),
        (
            "Precompiled to 200 x20",
            normalizer(sequence("normalizers", precompiled(&"a".repeat(200)), 20)),
        ),
        ("Precompiled to 1 MB", normalizer(precompiled(&"a".repeat(1 << 20)))),
        (
            "Precompiled of noise",
            normalizer(json!({"type": "Precompiled",
            "precompiled_charsmap": base64(&[0x61; 4096])})),
        ),
        (
            "Precompiled of 3 MB",
            normalizer(json!({"type": "Precompiled",
            "precompiled_charsmap": "A".repeat(3 << 20)})),
        ),
        ("decode Replace x12", decoder(sequence("decoders", replace("a", "aa"), 12))),
        ("decode Replace x63", decoder(sequence("decoders", replace("a", "aa"), 63))),
        ("decode Replace by 1 MB", decoder(replace("a", &big))),
        (
            "decode WordPiece x60",
            decoder(sequence(
                "decoders",
                json!({"type": "WordPiece",
            "prefix": "b", "cleanup": true}),
                60,
            )),
        ),
        (
            "decode Replace of a pattern",
            decoder(json!({"type": "Replace",
            "pattern": {"Regex": "(a+)+(?!a)b|a"}, "content": "aaaaaaaaaaaaaaa"})),
        ),
        ("normalizers 8 deep", normalizer(nested("normalizers", replace("a", "aa"), 8))),
        ("normalizers 40 deep", normalizer(nested("normalizers", replace("a", "aa"), 40))),
        ("pre-tokenizers 40 deep", splits(nested("pretokenizers", json!({"type": "Digits"}), 40))),
        ("decoders 40 deep", decoder(nested("decoders", json!({"type": "Fuse"}), 40))),
        (
            "processors 40 deep",
            json!({"post_processor": nested("processors",
            json!({"type": "ByteLevel"}), 40)}),
        ),
        ("Digits x2000", splits(sequence("pretokenizers", json!({"type": "Digits"}), 2000))),
        ("Fuse x100000", decoder(sequence("decoders", json!({"type": "Fuse"}), 100_000))),
        (
            "FixedLength 1 x60",
            splits(sequence(
                "pretokenizers",
                json!({"type": "FixedLength",
            "length": 1}),
                60,
            )),
        ),
        (
            "affixes",
            json!({"post_processor": {"type": "TemplateProcessing",
            "single": vec![json!({"SpecialToken": {"id": "x"}}); 5000],
            "special_tokens": {"x": {"ids": vec![0; 5000]}}}}),
        ),
        (
            "null steps",
            normalizer(json!({"type": "Sequence", "normalizers": vec![Value::Null; 400_000]})),
        ),
    ]
}

/// Expressions that are large, many, or slow.
fn patterns() -> Vec<(&'static str, Value)> {
    let splits = |value| json!({"pre_tokenizer": value});
    let one = |pattern: &str| splits(split(pattern));
    vec![
        ("thousands of patterns", splits(sequence("pretokenizers", split(r"\p{L}+"), 5000))),
        ("17 patterns", splits(sequence("pretokenizers", split(r"\p{L}+"), 17))),
        ("16 large patterns", splits(sequence("pretokenizers", split(r"\p{L}{20}|\w{20}"), 16))),
        ("5 patterns that look ahead", splits(sequence("pretokenizers", split(r"a(?!b)"), 5))),
        (
            "4 patterns of many parts",
            splits(sequence("pretokenizers", split(&[r"(?!a)\p{L}{9}"; 40].join("|")), 4)),
        ),
        ("a pattern of 100 KB", one(&"a".repeat(100_000))),
        ("a pattern of many parts", one(&[r"(?!a)\p{L}"; 700].join("|"))),
        ("nested counts", one("(?:(?:(?:a{100}){100}){100}){100}")),
        ("nested counts that go back", one("(?:(?:(?:a(?!b)){1000}){1000}){1000}")),
        ("deep groups", one(&format!("{}a{}", "(".repeat(4000), ")".repeat(4000)))),
        ("deep lookaheads", one(&format!("{}a{}", "(?=".repeat(2000), ")".repeat(2000)))),
        ("exponential", one(r"(a+)+(?!a)b")),
        ("exponential with a back-reference", one(r"(a*)*\1b")),
        ("a lookahead of all that follows", one(r"(?:a(?!.*b))*c")),
        ("a lookahead of digits", one(r"(?=(\d{3})+(?!\d))")),
        ("a lookbehind of all before", one(r"(?<=(?:a|b)*)c|a")),
        ("quadratic", one(r"[\s\S]*~|[\s\S]")),
        ("empty matches", one(r"a*?")),
        ("empty matches that look", one(r"(?=a)|(?!a)")),
        ("not a pattern", one("(")),
    ]
}

/// Vocabularies and models that are large or lie.
fn models() -> Vec<(&'static str, Value)> {
    let bytes = json!({"type": "ByteLevel", "add_prefix_space": false, "use_regex": false});
    let whole = |model: Value| file(model, json!({"pre_tokenizer": bytes}));
    let chain: Vec<String> = (1..=12).map(|n| "a".repeat(1 << (n - 1))).collect();
    let chained: serde_json::Map<String, Value> =
        chain.iter().enumerate().map(|(id, piece)| (piece.clone(), id.into())).collect();
    let merges: Vec<String> = chain[..11].iter().map(|piece| format!("{piece} {piece}")).collect();
    let runs: Vec<Value> = (1..2000).map(|n| json!(["a".repeat(n), -1.0])).collect();
    let words: serde_json::Map<String, Value> =
        (1..1000).map(|n| ("a".repeat(n), n.into())).collect();
    let many = |count: usize| -> serde_json::Map<String, Value> {
        (0..count).map(|id| (id.to_string(), id.into())).collect()
    };
    let added = |tokens: Vec<Value>| file(bpe(), json!({"added_tokens": tokens}));
    vec![
        ("doubling merges", whole(json!({"type": "BPE", "vocab": chained, "merges": merges}))),
        ("one long word", file(bpe(), json!({}))),
        ("runs as unigrams", json!({"model": {"type": "Unigram", "vocab": runs, "unk_id": 0}})),
        (
            "runs as words",
            json!({"model": {"type": "WordPiece", "vocab": words,
            "continuing_subword_prefix": "", "max_input_chars_per_word": 1000}}),
        ),
        (
            "endless words",
            json!({"model": {"type": "WordPiece", "vocab": {"a": 0},
            "max_input_chars_per_word": u64::MAX}}),
        ),
        (
            "a long prefix",
            json!({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [],
            "continuing_subword_prefix": "x".repeat(1 << 20), "byte_fallback": true}}),
        ),
        (
            "a long suffix",
            json!({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [],
            "end_of_word_suffix": "x".repeat(1 << 20), "byte_fallback": true}}),
        ),
        (
            "a long piece",
            json!({"model": {"type": "BPE", "vocab": {"a".repeat(1 << 20): 0},
            "merges": []}}),
        ),
        (
            "a token far away",
            json!({"model": {"type": "BPE", "vocab": {"a": u32::MAX},
            "merges": []}}),
        ),
        ("holes", json!({"model": {"type": "BPE", "vocab": {"a": 60_000}, "merges": []}})),
        ("300,000 tokens", json!({"model": {"type": "BPE", "vocab": many(300_000), "merges": []}})),
        (
            "400,000 merges",
            whole(json!({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2},
            "merges": vec!["a b"; 400_000]})),
        ),
        (
            "a merge of a megabyte",
            whole(json!({"type": "BPE", "vocab": {"a": 0},
            "merges": ["a".repeat(1 << 20)]})),
        ),
        (
            "many added tokens",
            added(
                (0..60_000)
                    .map(|id| {
                        json!({"id": id,
            "content": format!("<{id}>")})
                    })
                    .collect(),
            ),
        ),
        ("too many added tokens", added(vec![json!({"id": 0, "content": "x"}); 200_000])),
        ("a long added token", added(vec![json!({"id": 0, "content": "x".repeat(1 << 20)})])),
        (
            "nested added tokens",
            added(
                (1..512)
                    .map(|n| {
                        json!({"id": n, "special": n % 2 == 0,
            "content": "a".repeat(n)})
                    })
                    .collect(),
            ),
        ),
        (
            "added tokens that grow",
            file(
                bpe(),
                json!({
            "normalizer": sequence("normalizers", replace("a", "aa"), 12),
            "added_tokens": (0..2000).map(|id| json!({"id": id, "normalized": true,
                "content": format!("a{id}")})).collect::<Vec<_>>()}),
            ),
        ),
        (
            "text between added tokens",
            file(
                bpe(),
                json!({
            "normalizer": {"type": "Prepend", "prepend": "a".repeat(4000)},
            "added_tokens": [{"id": 0, "content": "b"}]}),
            ),
        ),
    ]
}

#[test]
fn of_json() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let parts = |len: usize| move |(name, parts)| (name, len, file(bpe(), parts));
    // What is quadratic is stopped after seconds; shorter texts save them.
    let files = multiplied().into_iter().map(parts(48 << 10));
    let files = files.chain(patterns().into_iter().map(parts(4 << 10)));
    let files = files.chain(models().into_iter().map(|(name, json)| (name, 48 << 10, json)));
    let mut count = 0;
    let mut refused = Vec::new();
    for (name, len, json) in files {
        let json = json.to_string();
        let load = || Tokenizer::from_json("tokenizer.json", json.as_bytes());
        let error = survives(name, len, load);
        refused.extend(error.map(|_| name));
        count += 1;
    }
    assert!(count >= 60, "{count} tokenizers");
    // What no text could make use of is refused when it is loaded.
    for name in [
        "Replace x1000",
        "normalizers 40 deep",
        "processors 40 deep",
        "affixes",
        "thousands of patterns",
        "17 patterns",
        "5 patterns that look ahead",
        "a pattern of 100 KB",
        "nested counts",
        "endless words",
        "a long prefix",
        "a long piece",
        "a token far away",
        "a merge of a megabyte",
        "too many added tokens",
        "a long added token",
    ] {
        assert!(refused.contains(&name), "{name} was accepted");
    }
    for name in ["one long word", "doubling merges", "300,000 tokens", "quadratic"] {
        assert!(!refused.contains(&name), "{name} was refused");
    }
}

#[test]
fn of_gguf() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    type Keys = Vec<(&'static str, Meta)>;
    let words: Vec<String> = (0..3000).map(|n| "a".repeat(1 + n % 300)).collect();
    // Almost no two of these begin alike, so a tree of them is as large as one gets.
    let noise: String = noise(24 << 20).chars().filter(|&c| c != '\\').collect();
    let cut = |start: usize| noise[noise.floor_char_boundary(start)..].chars().take(1000).collect();
    let long: Vec<String> = (0..3000).map(|n| cut(n * 3500)).collect();
    let longer: Vec<String> = (0..6000).map(|n| cut(n * 3500)).collect();
    let list = |items: &[String]| Meta::from(Array::of_strings(items));
    // A trie in which every step leads on.
    let trie = [1 << 19].into_iter().chain(vec![0x6161_6161; 1 << 18]);
    let cases: Vec<(&str, Keys)> = vec![
        ("runs", vec![("model", "llama".into()), ("tokens", list(&words))]),
        ("runs as unigrams", vec![("model", "t5".into()), ("tokens", list(&words))]),
        ("runs as words", vec![("model", "bert".into()), ("tokens", list(&words))]),
        ("runs as world tokens", vec![("model", "rwkv".into()), ("tokens", list(&words))]),
        ("a broken escape", vec![("model", "rwkv".into()), ("tokens", list(&[r"\x4".into()]))]),
        ("many long tokens", vec![("model", "rwkv".into()), ("tokens", list(&long))]),
        ("many long unigrams", vec![("model", "t5".into()), ("tokens", list(&long))]),
        ("more and longer tokens", vec![("model", "rwkv".into()), ("tokens", list(&longer))]),
        ("a long token", vec![("model", "llama".into()), ("tokens", list(&["x".repeat(1 << 20)]))]),
        (
            "control tokens",
            vec![
                ("model", "llama".into()),
                ("tokens", list(&words)),
                ("token_type", Array::of_i32(vec![3; 3000]).into()),
            ],
        ),
        (
            "a charsmap",
            vec![
                ("model", "t5".into()),
                ("tokens", list(&words)),
                ("precompiled_charsmap", Array::of_i32(trie).into()),
            ],
        ),
    ];
    for (name, keys) in cases {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.gguf");
        let mut writer = GgufWriter::new();
        writer.set("general.architecture", "llama");
        for (key, value) in keys {
            writer.set(&format!("tokenizer.ggml.{key}"), value);
        }
        writer.begin(&path).unwrap().finish().unwrap();
        let error = survives(name, 48 << 10, || Tokenizer::from_gguf(&Gguf::open(&path)?));
        let refused = ["a long token", "a broken escape", "more and longer tokens"];
        assert_eq!(error.is_some(), refused.contains(&name), "{name}: {error:?}");
    }
}

/// A megabyte of anything takes seconds, whatever real kind of tokenizer it is.
#[test]
fn a_megabyte() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let len = 1 << 20;
    let bytes = json!({"type": "ByteLevel", "add_prefix_space": false, "use_regex": false});
    let pieces: Vec<Value> =
        ["a", " ", "  ", "ab", "漢", "aa"].iter().map(|p| json!([p, -1])).collect();
    let cl100k = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s";
    let o200k = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{M}]*[\p{Ll}\p{M}]+|\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
    let cases = [
        file(bpe(), json!({"pre_tokenizer": bytes})),
        file(bpe(), json!({"pre_tokenizer": split(cl100k)})),
        file(bpe(), json!({"pre_tokenizer": split(o200k)})),
        json!({"model": {"type": "Unigram", "vocab": pieces, "unk_id": 0}}),
        json!({"model": {"type": "BPE", "vocab": {"a": 0, "aa": 1, "aaaa": 2},
            "merges": ["a a", "aa aa"]}}),
    ];
    let texts = [
        " ".repeat(len),
        "a".repeat(len),
        "漢".repeat(len / 3),
        "a 漢1\n".repeat(len / 7),
        noise(len),
    ];
    for case in &cases {
        let tokenizer =
            Tokenizer::from_json("tokenizer.json", case.to_string().as_bytes()).unwrap();
        for text in &texts {
            tokenizer.encode(text, Encode::PLAIN).unwrap();
        }
    }
}
