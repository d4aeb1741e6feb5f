//! Every rule of docs/rules.md has a file in tests/rules with kernels that keep it, which must
//! compile, and kernels that break it, which must be refused at the right line, by the rule's name.
//!
//! A file reads: a comment, then sections that start with `// accept` or `// refuse: words`. The
//! line at fault ends with `// HERE`; the message has the words and ends with `[the-rule]`. A
//! section may ask for a version of the language: `// accept --std=3.1`.
mod common;

use common::HEAD;
use softmetal::{CompileOptions, Device, Error, Severity};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// So many rules are known at least.
const LEAST: usize = 100;

/// One kernel of a rule.
struct Section {
    /// What the message must say, if it must be refused.
    refuse: Option<String>,
    version: u32,
    text: String,
    /// The line of the rule's file that the text starts at.
    line: usize,
}

struct Rule {
    name: String,
    sections: Vec<Section>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules")
}

fn rules() -> Vec<Rule> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("tests/rules") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "metal") {
            let name = path.file_stem().unwrap().to_str().unwrap().replace('_', "-");
            let text = std::fs::read_to_string(&path).expect("a rule's file");
            out.push(Rule { sections: sections(&name, &text), name });
        }
    }
    out.sort_by(|a, b| a.name.cmp(&b.name));
    out
}

fn sections(name: &str, text: &str) -> Vec<Section> {
    let mut out: Vec<Section> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let kind = ["// accept", "// refuse"].into_iter().find(|k| line.starts_with(k));
        if let Some(kind) = kind {
            let (options, words) = line.split_once(": ").unwrap_or((line, ""));
            let refuse = kind == "// refuse";
            assert!(refuse != words.is_empty(), "{name}: '{line}' and its words do not fit");
            let version = match options.split_once("--std=") {
                None => 320,
                Some((_, v)) => v.replace('.', "").parse::<u32>().expect("a version") * 10,
            };
            let refuse = refuse.then(|| words.to_string());
            out.push(Section { refuse, version, text: String::new(), line: number + 2 });
        } else if let Some(section) = out.last_mut() {
            let _ = writeln!(section.text, "{line}");
        }
    }
    let both = out.iter().any(|s| s.refuse.is_some()) && out.iter().any(|s| s.refuse.is_none());
    assert!(both, "{name}: a kernel that must compile and one that must not are needed");
    out
}

/// What is wrong with how a section fared, if anything is.
fn fault(device: &Device, rule: &str, section: &Section) -> Option<String> {
    let options = CompileOptions {
        name: format!("{}.metal", rule.replace('-', "_")),
        language_version: section.version,
        ..CompileOptions::default()
    };
    // With a function constant a library is only checked, and compiled when a pipeline needs it:
    // all that is wanted here.
    let constant = "\nconstant int rules_unused [[function_constant(65535)]];\n";
    let source = format!("{HEAD}{}{constant}", section.text);
    let outcome = device.new_library_with_source(&source, &options);
    let place = format!("{}:{}", options.name, section.line);
    match (&section.refuse, outcome) {
        (None, Ok(_)) => None,
        (None, Err(e)) => Some(format!("{place}: must compile:\n{e}")),
        (Some(_), Ok(_)) => Some(format!("{place}: must be refused, but compiles")),
        (Some(words), Err(Error::Compile(list))) => {
            let wanted = section.text.lines().position(|l| l.ends_with("// HERE"));
            let wanted = wanted.unwrap_or_else(|| panic!("{place}: no line ends with // HERE"));
            let line = wanted + 1 + HEAD.lines().count();
            let found = list.iter().any(|d| {
                d.severity == Severity::Error
                    && d.line == line
                    && d.message.contains(words)
                    && d.message.ends_with(&format!(" [{rule}]"))
                    && d.source_line.is_some()
            });
            let shown = || list.iter().map(|d| format!("{d}\n")).collect::<String>();
            (!found).then(|| {
                format!("{place}: wanted line {line}, '{words}' and [{rule}], got:\n{}", shown())
            })
        }
        (Some(_), Err(e)) => Some(format!("{place}: not a message about source: {e}")),
    }
}

#[test]
fn rules_hold() {
    let device = common::device();
    let rules = rules();
    let next = AtomicUsize::new(0);
    let faults: Mutex<Vec<String>> = Mutex::default();
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(rule) = rules.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = rule.sections.iter().filter_map(|s| fault(&device, &rule.name, s));
                    faults.lock().unwrap().extend(found);
                }
            });
        }
    });
    let mut faults = faults.into_inner().unwrap();
    faults.sort();
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn rules_are_documented_and_tested() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md");
    let page = std::fs::read_to_string(page).expect("docs/rules.md");
    let mut documented = BTreeSet::new();
    for line in page.lines().filter_map(|l| l.strip_prefix("| `")) {
        let (name, rest) = line.split_once('`').expect("a name");
        let columns: Vec<&str> = rest.split(" | ").map(str::trim).collect();
        assert_eq!(columns.len(), 3, "{name}: a rule is a name, a sentence and its evidence");
        let evidence = columns[2];
        let known = evidence.contains("MSL ")
            || evidence.contains("https://")
            || evidence.contains("practice");
        assert!(known, "{name}: where is it known from?");
        assert!(documented.insert(name.to_string()), "{name} is there twice");
    }
    let tested: BTreeSet<String> = rules().into_iter().map(|r| r.name).collect();
    let missing: Vec<_> = documented.symmetric_difference(&tested).collect();
    assert!(missing.is_empty(), "only documented, or only tested: {missing:?}");
    assert!(tested.len() >= LEAST, "{} rules", tested.len());
}

/// Compiles with some options changed.
fn compile(source: &str, change: impl Fn(&mut CompileOptions)) -> softmetal::Result<()> {
    let mut options = CompileOptions { name: "test.metal".into(), ..CompileOptions::default() };
    change(&mut options);
    common::device().new_library_with_source(&format!("{HEAD}{source}"), &options).map(|_| ())
}

#[test]
fn lenient_takes_what_clang_understands() {
    let source = "constexpr int two = 2;\n\
        kernel void k(device float *o [[buffer(0)]], uint i [[thread_position_in_grid]], uint3 n [[threads_per_threadgroup]]) { o[i] = n.x * two; }";
    let e = compile(source, |_| {}).unwrap_err().to_string();
    assert!(e.contains("[program-scope-constexpr]") && e.contains("[position-width]"), "{e}");
    compile(source, |o| o.lenient = true).unwrap();
    // What softmetal has not stays refused.
    let tensor = "kernel void k(tensor<device half, dextents<int, 2>> t [[buffer(0)]]) { }";
    assert!(compile(tensor, |o| o.lenient = true).is_err());
}

#[test]
fn versions_that_do_not_exist_are_refused() {
    let source = "kernel void k(device int *o [[buffer(0)]]) { o[0] = __METAL_VERSION__; }";
    for version in [100, 110, 120, 200, 210, 220, 230, 240, 300, 310, 320, 400] {
        compile(source, |o| o.language_version = version).unwrap();
    }
    for version in [0, 90, 130, 250, 311, 330, 410, 3200] {
        let e = compile(source, |o| o.language_version = version).unwrap_err().to_string();
        assert!(e.contains(&format!("{version} is no version of Metal")), "{e}");
    }
}

#[test]
fn bfloat_is_announced_when_it_is_there() {
    let source = "#ifdef __HAVE_BFLOAT__\ntypedef bfloat small;\n#else\ntypedef half small;\n#endif\n\
        kernel void k(device small *o [[buffer(0)]]) { o[0] = small(1.0f); }";
    for version in [240, 300, 310, 400] {
        compile(source, |o| o.language_version = version).unwrap();
    }
}
