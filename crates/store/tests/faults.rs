//! Pulls with every file and socket call failing in turn, and with servers that close, stop or lie after
//! every so many bytes: an error that says what, no model half written, and the next pull succeeds.

mod common;

use bessemer_files::faults::Plan;
use bessemer_store::{Error, Verdict};
use common::{Hub, gguf, honest, server::Manners};
use std::{fs, io::ErrorKind};

/// What is in the folder before a pull.
#[derive(Clone, Copy, Debug)]
enum Before {
    Nothing,
    /// The part that an interrupted pull left.
    Part,
    /// A pulled file that was cut short since.
    Damaged,
}

fn hub(before: Before, file: &[u8]) -> Hub {
    let hub = Hub::new(honest(file));
    match before {
        Before::Nothing => {}
        Before::Part => {
            let cut = Manners { cut_after: Some(30_000), no_ranges: true, ..honest(file) };
            hub.server.become_like(cut);
            hub.pull().unwrap_err();
            hub.server.become_like(honest(file));
        }
        Before::Damaged => {
            hub.pull().unwrap();
            hub.put(&file[..30_000]);
        }
    }
    hub
}

/// Fails one call after the other until none is left to fail; gives how many failed.
fn every_fault(before: Before, lasting: bool, kind: ErrorKind) -> u64 {
    let file = gguf(100_000);
    for at in 1.. {
        let hub = hub(before, &file);
        let armed = Plan { at, lasting, kind }.arm();
        let pulled = hub.pull();
        let failed = armed.failed();
        drop(armed);
        let about = format!("{before:?}, call {at}: {failed:?}");
        match pulled {
            // What is tried again may help.
            Ok(_) => hub.assert_whole(&file),
            Err(error) => {
                let said = error.to_string();
                assert!(
                    said.contains("injected fault") || said.contains("disk is full"),
                    "{about}: {said}"
                );
                // Either nothing, or all of it, or what was there before.
                if let Ok(there) = fs::read(hub.path()) {
                    let old = matches!(before, Before::Damaged) && there == file[..30_000];
                    assert!(there == file || old, "{about}: half a file of {} bytes", there.len());
                }
                let known = |name: &String| {
                    name == "tiny.Q8_0.gguf"
                        || name.ends_with(".pulled.json")
                        || name.ends_with(".part")
                };
                if !lasting {
                    assert!(hub.files().iter().all(known), "{about}: {:?}", hub.files());
                }
                hub.pull().unwrap_or_else(|e| panic!("{about}: then {e}"));
                hub.assert_whole(&file);
            }
        }
        let entry = hub.store.find("tiny.q8_0").unwrap().unwrap();
        assert_eq!(hub.store.verify(&entry, &mut |_| ()).unwrap(), Verdict::Intact, "{about}");
        if failed.is_none() {
            return at - 1;
        }
    }
    unreachable!("it ends when nothing is left to fail")
}

#[test]
fn every_call_of_a_first_pull_may_fail() {
    assert!(every_fault(Before::Nothing, false, ErrorKind::Other) > 15);
    every_fault(Before::Nothing, true, ErrorKind::Other);
}

#[test]
fn every_call_of_a_resumed_pull_may_fail() {
    assert!(every_fault(Before::Part, false, ErrorKind::Other) > 20);
    every_fault(Before::Part, true, ErrorKind::Other);
}

#[test]
fn every_call_of_a_repair_may_fail() {
    assert!(every_fault(Before::Damaged, false, ErrorKind::Other) > 20);
    every_fault(Before::Damaged, true, ErrorKind::Other);
}

#[test]
fn a_full_disk_is_told_and_the_rest_comes_when_there_is_room() {
    every_fault(Before::Nothing, true, ErrorKind::StorageFull);
    let file = gguf(100_000);
    let told = (1..100).any(|at| {
        let hub = Hub::new(honest(&file));
        let armed = Plan { at, lasting: true, kind: ErrorKind::StorageFull }.arm();
        let full = matches!(hub.pull(), Err(Error::DiskFull { total: Some(100_000), .. }));
        drop(armed);
        full
    });
    assert!(told);
}

#[test]
fn connections_may_end_after_any_number_of_bytes() {
    let file = gguf(2000);
    for after in (0..40).chain((40..2000).step_by(131)) {
        let hub = Hub::new(Manners { cut_after: Some(after), times: Some(2), ..honest(&file) });
        hub.pull().unwrap_or_else(|e| panic!("cut after {after}: {e}"));
        hub.assert_whole(&file);
        // And if all of them do, there is an error and what has come is used.
        let hub = Hub::new(Manners { cut_after: Some(after), no_ranges: true, ..honest(&file) });
        let error = hub.refused();
        assert!(
            error.contains(&format!("closed after {after} of")) || after < 16,
            "{after}: {error}"
        );
        assert!(!hub.path().exists());
        hub.server.become_like(honest(&file));
        hub.pull().unwrap();
        hub.assert_whole(&file);
    }
}

#[test]
fn bytes_may_be_wrong_after_any_number_of_right_ones() {
    let file = gguf(2000);
    for after in (0..20).chain((20..2000).step_by(131)) {
        let garbled = Manners { garble_after: Some(after), ..honest(&file) };
        let hub = Hub::new(garbled.clone());
        let error = hub.refused();
        let why = if after < 4 { "is not a GGUF file" } else { "has the SHA-256" };
        assert!(error.contains(why) && error.contains("nothing was kept"), "{after}: {error}");
        assert_eq!(hub.files(), Vec::<String>::new());
        // Wrong bytes of a connection that then broke are found out, and all comes anew.
        let cut = Some(after + 500);
        hub.server.become_like(Manners { cut_after: cut, no_ranges: true, ..garbled });
        hub.pull().unwrap_err();
        hub.server.become_like(honest(&file));
        hub.pull().unwrap_or_else(|e| panic!("garbled after {after}: {e}"));
        hub.assert_whole(&file);
    }
}
