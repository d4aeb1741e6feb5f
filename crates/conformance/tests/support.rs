//! The table of supported ops in the docs knows all of them.

use bessemer_conformance::{CaseResult, Outcome, Report, needs_doubles, support_table};
use bessemer_core::{DType, View};
use bessemer_cpu::Reference;
use bessemer_ops::{
    case::{Case, Variation},
    cases,
};
use std::{fs, path::Path};

/// What a device that passes all cases would report, but those of doubles where a GPU has none. That these do is tested by the lists in
/// `crates/conformance`, `crates/metal` and `crates/webgpu`, which let no case fail or be refused.
fn all_passed(device: &'static str) -> Report {
    let reference = Reference::new();
    let result = |case: &Case| {
        let blank = Variation { blank: true, ..Default::default() };
        let access = case.make_varied(&reference, &blank).unwrap().access();
        let dtypes: Vec<DType> = access.views().map(View::dtype).collect();
        let gpu = matches!(device, "metal" | "webgpu");
        let outcome = match gpu && needs_doubles(case.op, &dtypes) {
            true => Outcome::Lacking { why: "no doubles".into() },
            false => Outcome::Passed { nmse: 0.0, max_abs: 0.0 },
        };
        CaseResult { op: case.op, case: case.name.clone(), quick: case.quick, dtypes, outcome }
    };
    Report {
        device,
        hardware: String::new(),
        features: Vec::new(),
        threads: 1,
        results: cases().iter().map(result).collect(),
    }
}

#[test]
fn the_page_is_current() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/support.md");
    let found = fs::read_to_string(page).unwrap_or_default();
    assert_eq!(
        found.replace("\r\n", "\n"),
        support_table(&["reference", "cpu", "metal", "webgpu"].map(all_passed)),
        "make it anew: cargo xtask support"
    );
}

#[test]
fn what_does_not_pass_is_told() {
    let mut report = all_passed("cpu");
    let first = report.results.iter_mut().find(|result| result.op == "copy").unwrap();
    first.outcome = Outcome::Refused { why: "no".into() };
    let dtype = first.dtypes[0];
    let page = support_table(&[report]);
    let line = page.lines().find(|line| line.starts_with("| `copy`")).unwrap();
    assert!(line.ends_with(&format!("| not {dtype} |")), "{line}");
}
