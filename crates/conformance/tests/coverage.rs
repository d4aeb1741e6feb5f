//! The list of cases leaves nothing out: every op there is, with every dtype it takes.

use bessemer_core::{DType, Operation};
use bessemer_cpu::Reference;
use bessemer_ops::{
    case::{Substitution, Variation},
    cases,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The name of the type of an op, as its `Debug` form starts.
fn type_name(op: &dyn Operation) -> String {
    let text = format!("{op:?}");
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The types that implement `Operation` in the sources below `folder`.
fn implementations(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            implementations(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            for line in text.lines().filter(|line| line.starts_with("impl")) {
                if let Some((_, name)) = line.split_once("Operation for ") {
                    let name = name.split(|c: char| !c.is_alphanumeric() && c != '_').next();
                    found.extend(name.map(str::to_owned));
                }
            }
        }
    }
}

#[test]
fn every_op_has_cases() {
    let mut written = BTreeSet::new();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ops/src");
    implementations(&sources, &mut written);
    assert!(written.len() > 5 && written.contains("RmsNorm"), "{written:?}");
    let reference = Reference::new();
    let mut tried = BTreeSet::new();
    for case in cases() {
        let op = case.make(&reference).unwrap();
        assert_eq!(op.name(), case.op, "{case:?} is of another op");
        tried.insert(type_name(&*op));
    }
    let missing: Vec<_> = written.difference(&tried).collect();
    assert!(missing.is_empty(), "ops without cases: {missing:?}");
}

#[test]
fn every_op_has_quick_cases() {
    let all: BTreeSet<_> = cases().iter().map(|case| case.op).collect();
    let quick: BTreeSet<_> = cases().iter().filter(|case| case.quick).map(|case| case.op).collect();
    let missing: Vec<_> = all.difference(&quick).collect();
    assert!(missing.is_empty(), "ops of which `auto` asks nothing: {missing:?}");
}

#[test]
fn names_are_unique() {
    let mut seen = BTreeSet::new();
    for case in cases() {
        assert!(seen.insert((case.op, case.name.clone())), "twice: {case:?}");
    }
}

/// What an op takes is found out by asking: other dtypes are given to the operands of its cases,
/// and those its `check` accepts must be among the cases, as inputs and as outputs.
#[test]
fn every_dtype_an_op_takes_has_cases() {
    type Place = (&'static str, bool);
    let reference = Reference::new();
    let (mut tried, mut taken) = (BTreeMap::new(), BTreeMap::new());
    let note = |all: &mut BTreeMap<Place, BTreeSet<DType>>, name, op: &dyn Operation| {
        let access = op.access();
        for (views, written) in [(&access.reads, false), (&access.writes, true)] {
            let dtypes = all.entry((name, written)).or_default();
            dtypes.extend(views.iter().map(|view| view.dtype()));
        }
    };
    for case in cases() {
        let op = case.make_varied(&reference, &Variation { blank: true, ..Default::default() });
        let op = op.unwrap();
        note(&mut tried, case.op, &*op);
        let operands = op.access().views().count();
        let given = op.access().views().map(|view| view.dtype()).collect::<BTreeSet<_>>();
        for to in DType::ALL {
            let all = given.iter().map(|&from| Substitution::All(from, to));
            let one = (0..operands).map(|number| Substitution::One(number, to));
            for substitution in all.chain(one) {
                let made = case.make_varied(&reference, &Variation::dtypes(substitution));
                if let Ok(op) = made
                    && op.check().is_ok()
                {
                    note(&mut taken, case.op, &*op);
                }
            }
        }
    }
    let mut missing = Vec::new();
    for ((op, written), dtypes) in taken {
        let role = if written { "output" } else { "input" };
        let tried = &tried[&(op, written)];
        missing.extend(dtypes.difference(tried).map(|dtype| format!("{op}: {role} of {dtype}")));
    }
    assert!(missing.is_empty(), "dtypes that are taken but have no case:\n{}", missing.join("\n"));
}
