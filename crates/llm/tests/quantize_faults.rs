//! `quantize` with every file operation failing in turn: an error that names the file, nothing half
//! written, nothing left behind, and the next run succeeds.

use bessemer_files::faults::Plan;
use bessemer_llm::{files::Gguf, quantize::quantize, tiny};
use std::{fs, io::ErrorKind, path::Path};

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Fails one call after the other until none is left to fail; gives how many failed.
fn every_fault(lasting: bool) -> u64 {
    let input = Gguf::from_bytes(tiny::gguf()).unwrap();
    let recipe = "Q4_0".parse().unwrap();
    for at in 1.. {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small.gguf");
        fs::write(&path, b"old").unwrap();
        let armed = Plan { at, lasting, kind: ErrorKind::StorageFull }.arm();
        let written = quantize(&input, &path, recipe, 1, &mut |_| ());
        let failed = armed.failed();
        drop(armed);
        match written {
            Ok(_) => {
                Gguf::open(&path).unwrap();
                assert_eq!(files(folder.path()), ["small.gguf"]);
            }
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains("small.gguf: cannot "), "{error}");
                assert_eq!(fs::read(&path).unwrap(), b"old", "{failed:?}");
                if !lasting {
                    assert_eq!(files(folder.path()), ["small.gguf"], "{failed:?}");
                }
                quantize(&input, &path, recipe, 1, &mut |_| ()).unwrap();
                Gguf::open(&path).unwrap();
                assert_eq!(files(folder.path()), ["small.gguf"], "{failed:?}");
            }
        }
        if failed.is_none() {
            return at - 1;
        }
    }
    unreachable!("it ends when nothing is left to fail")
}

#[test]
fn one_failure_leaves_the_old_file_and_nothing_else() {
    assert!(every_fault(false) >= 5);
}

#[test]
fn what_a_dead_disk_leaves_behind_is_swept_up_by_the_next_run() {
    assert!(every_fault(true) >= 5);
}
