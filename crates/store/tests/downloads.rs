//! Downloads from a hub that is slow, wrong or hostile, into a folder with damaged files and other people's.

mod common;

use bessemer_store::{Error, Outcome, Progress, Record, Source};
use common::{Hub, SOURCE, gguf, honest, server::Manners, sha256};
use std::{fs, sync::atomic::Ordering, time::Duration};

#[test]
fn a_file_is_recorded_and_verified_without_asking_again() {
    let file = gguf(300_000);
    let hub = Hub::new(honest(&file));
    let pulled = hub.pull().unwrap();
    assert_eq!((pulled.outcome, pulled.checked), (Outcome::Downloaded, "size and SHA-256"));
    hub.assert_whole(&file);
    let record = Record { source: SOURCE.to_owned(), bytes: 300_000, sha256: sha256(&file) };
    assert_eq!(Record::of(&hub.path()).unwrap(), Some(record));
    let requests = hub.server.requests.load(Ordering::Relaxed);
    assert_eq!(hub.pull().unwrap().outcome, Outcome::WasHere);
    assert_eq!(hub.server.requests.load(Ordering::Relaxed), requests);
}

#[test]
fn a_damaged_file_is_repaired_from_where_it_is_right() {
    let file = gguf(300_000);
    let hub = Hub::new(honest(&file));
    hub.pull().unwrap();
    hub.seen();

    // Cut short: the rest comes.
    hub.put(&file[..100_000]);
    assert_eq!(hub.pull().unwrap().outcome, Outcome::Repaired);
    hub.assert_whole(&file);
    assert!(hub.seen().contains("bytes=100000-"));

    // Cut short and not even that is right: all of it comes, after the rest did not help.
    let mut wrong = file[..100_000].to_vec();
    wrong[50_000] ^= 1;
    hub.put(&wrong);
    assert_eq!(hub.pull().unwrap().outcome, Outcome::Repaired);
    hub.assert_whole(&file);

    // As long as it should be, and wrong.
    let mut wrong = file.clone();
    wrong[299_999] ^= 1;
    hub.put(&wrong);
    hub.seen();
    assert_eq!(hub.pull().unwrap().outcome, Outcome::Repaired);
    hub.assert_whole(&file);
    assert!(!hub.seen().contains("range"));

    // No model at all.
    hub.put(b"");
    assert_eq!(hub.pull().unwrap().outcome, Outcome::Repaired);
    hub.assert_whole(&file);
}

#[test]
fn a_damaged_file_stays_until_it_is_repaired() {
    let file = gguf(300_000);
    let hub = Hub::new(honest(&file));
    hub.pull().unwrap();
    hub.put(&file[..100_000]);
    hub.server.become_like(Manners { status: Some(503), ..Manners::default() });
    assert!(hub.refused().contains("status 503"));
    assert!(fs::read(hub.path()).unwrap() == file[..100_000]);
}

#[test]
fn force_downloads_what_is_here() {
    let file = gguf(300_000);
    let mut hub = Hub::new(honest(&file));
    hub.pull().unwrap();
    let newer = gguf(200_000);
    hub.server.become_like(honest(&newer));
    hub.options.force = true;
    assert_eq!(hub.pull().unwrap().outcome, Outcome::Downloaded);
    hub.assert_whole(&newer);
    assert_eq!(Record::of(&hub.path()).unwrap().unwrap().sha256, sha256(&newer));
}

#[test]
fn a_file_that_was_put_there_is_adopted_if_it_is_right_and_never_overwritten() {
    let file = gguf(300_000);
    let mut hub = Hub::new(honest(&file));
    hub.put(&file);
    assert_eq!(hub.pull().unwrap().outcome, Outcome::WasHere);
    hub.assert_whole(&file);

    fs::remove_file(hub.path().with_file_name(".tiny.Q8_0.gguf.pulled.json")).unwrap();
    let yours = gguf(300_001);
    hub.put(&yours);
    let error = hub.refused();
    assert!(error.contains("300001 bytes instead of 300000, and it was not pulled"), "{error}");
    assert!(error.contains(&format!("bessemer pull {SOURCE} --force")), "{error}");
    assert!(fs::read(hub.path()).unwrap() == yours);
    hub.options.force = true;
    hub.pull().unwrap();
    hub.assert_whole(&file);
}

#[test]
fn pages_and_messages_are_no_models() {
    let html = b"<!DOCTYPE html><html>Please log in</html>".repeat(1000);
    let json = br#"{"error": "no such model"}"#.to_vec();
    for (file, kind, why) in [
        (&html, Some("text/html; charset=utf-8"), "the server sent text/html"),
        (&html, None, "the file starts with \"<!DOCTYPE html><\""),
        (&json, Some("application/json"), "the server sent application/json"),
        (&json, None, "the file starts with \"{\\\"error\\\": \\\"no su\""),
        (&b"GGU".to_vec(), None, "the file starts with \"GGU\" and is not a GGUF file"),
    ] {
        let content_type = kind.map(str::to_owned);
        let hub = Hub::new(Manners { content_type, ..honest(file) });
        let error = hub.refused();
        assert!(error.contains(why) && error.contains("is not a GGUF file"), "{error}");
        assert_eq!(hub.files(), Vec::<String>::new());
        assert!(fs::read_dir(hub.folder.path()).unwrap().next().is_none(), "no folder is left");
    }
}

#[test]
fn a_server_that_stalls_is_told_left_and_given_up() {
    let file = gguf(300_000);
    let mut hub = Hub::new(Manners { stall_after: Some(100_000), times: Some(1), ..honest(&file) });
    hub.options.patience.tell = Duration::from_millis(20);
    hub.options.patience.reconnect = Duration::from_millis(500);
    let mut told = Vec::new();
    let source: Source = SOURCE.parse().unwrap();
    let mut tell = |step: Progress<'_>| told.extend(step.stalled.map(|_| step.done));
    hub.store.pull(&source, &hub.options, &mut tell).unwrap();
    hub.assert_whole(&file);
    assert!(told.contains(&100_000), "{told:?}");
    assert!(hub.seen().contains("bytes=100000-"));

    for after in [0, 3, 100_000] {
        let mut hub = Hub::new(Manners { stall_after: Some(after), ..honest(&file) });
        hub.options.patience.reconnect = Duration::from_millis(100);
        // Each connection brings something, until none is left to bring.
        let no_ranges = Manners { stall_after: Some(after), no_ranges: true, ..honest(&file) };
        hub.server.become_like(no_ranges);
        let error = hub.refused();
        assert!(error.contains("no data came for 0.1 s after"), "{error}");
        assert!(!hub.path().exists());
    }
}

#[test]
fn a_file_of_which_bytes_come_one_at_a_time_is_given_up() {
    let hub = Hub::new(Manners { cut_after: Some(20), ..honest(&gguf(300_000)) });
    let error = hub.refused();
    assert!(error.contains("closed after 60 of 300000 bytes"), "{error}");
}

#[test]
fn answers_that_make_no_sense_are_refused() {
    let file = gguf(300_000);
    let cases = [
        (
            Manners { redirect_to: Some("/again".to_owned()), ..honest(&file) },
            "redirects more than 10",
        ),
        (
            Manners { redirect_to: Some("ftp://elsewhere/x".to_owned()), ..honest(&file) },
            "redirects to \"ftp://elsewhere/x\", which is no web address",
        ),
        (
            Manners { headers: format!("x: {}\r\n", "y".repeat(100_000)), ..honest(&file) },
            "more than 65536 bytes",
        ),
        (
            Manners { no_length: true, linked_size: Some(200_000), ..honest(&file) },
            "sent more than the 200000 bytes it announced",
        ),
        (
            Manners { linked_size: Some(299_999), ..honest(&file) },
            "announced 299999 bytes and then 300000",
        ),
        (Manners { linked_etag: Some("0".repeat(64)), ..honest(&file) }, "has the SHA-256"),
    ];
    for (manners, why) in cases {
        let hub = Hub::new(manners);
        let error = hub.refused();
        assert!(error.contains(why), "{error}");
        assert_eq!(hub.files(), Vec::<String>::new(), "{why}");
    }

    // Ranges other than the one that was asked for.
    let cut = Manners { cut_after: Some(100_000), range_shift: 7, ..honest(&file) };
    let hub = Hub::new(cut);
    let error = hub.refused();
    assert!(error.contains("sent bytes from 100007 on instead of 100000"), "{error}");
    hub.server.become_like(honest(&file));
    hub.pull().unwrap();
    hub.assert_whole(&file);
}

#[test]
fn a_file_that_changes_on_the_way_is_never_pieced_together() {
    let (old, new) = (gguf(300_000), gguf(250_000));
    let cut = Manners { cut_after: Some(100_000), no_ranges: true, ..honest(&old) };
    let hub = Hub::new(cut);
    hub.refused();
    assert_eq!(hub.store.partials().unwrap()[0].bytes, 100_000);
    hub.server.become_like(honest(&new));
    hub.pull().unwrap();
    hub.assert_whole(&new);
}

#[test]
fn partial_downloads_are_listed_resumed_and_removed() {
    let file = gguf(300_000);
    let hub = Hub::new(Manners { cut_after: Some(100_000), no_ranges: true, ..honest(&file) });
    let error = hub.refused();
    assert!(error.contains("closed after 100000 of 300000 bytes"), "{error}");
    assert!(hub.store.list().unwrap().is_empty());
    let partial = hub.store.find_partial("tiny.q8_0").unwrap().unwrap();
    assert_eq!((partial.bytes, partial.total), (100_000, Some(300_000)));
    assert_eq!(
        (partial.name.as_str(), partial.source.as_str()),
        ("someone/tiny-GGUF/tiny.Q8_0", SOURCE)
    );

    // Whoever is at it keeps it.
    let owner = fs::File::open(&partial.path).unwrap();
    owner.lock().unwrap();
    assert!(matches!(hub.store.remove_partial(&partial), Err(Error::Busy(_))));
    assert!(hub.refused().contains("another process is downloading this file"));
    drop(owner);

    hub.store.remove_partial(&partial).unwrap();
    assert_eq!(hub.files(), Vec::<String>::new());
}

#[test]
fn the_file_of_a_repository_is_chosen_by_its_type() {
    let file = gguf(1000);
    let names = ["README.md", "tiny.Q4_K_M.gguf", "tiny.Q8_0.gguf"];
    let list = format!(
        r#"{{"siblings": [{}]}}"#,
        names.map(|n| format!(r#"{{"rfilename": "{n}"}}"#)).join(",")
    );
    let hub = Hub::new(Manners { list, ..honest(&file) });
    assert_eq!(hub.pull_as("hf:a/b").unwrap().entry.name, "a/b/tiny.Q4_K_M");
    assert_eq!(hub.pull_as("hf:a/b:q8_0").unwrap().entry.name, "a/b/tiny.Q8_0");
    assert!(hub.store.find("hf:a/b").unwrap().unwrap().path.ends_with("a/b/tiny.Q4_K_M.gguf"));
    let error = hub.pull_as("hf:a/b:Q9").unwrap_err().to_string();
    assert!(error.starts_with("hf:a/b: the repository has no GGUF file of type Q9"), "{error}");

    // No name of the list leads out of the folder.
    let list = r#"{"siblings": [{"rfilename": "../../../x.gguf"}]}"#.to_owned();
    let hub = Hub::new(Manners { list, ..honest(&file) });
    assert!(matches!(hub.pull_as("hf:a/b"), Err(Error::BadName { .. })));
}

#[test]
fn names_of_the_catalogue_are_pulled() {
    let hub = Hub::new(honest(&gguf(1000)));
    let pulled = hub.pull_as("qwen3:0.6b").unwrap();
    assert_eq!(pulled.entry.name, "qwen3:0.6b");
    assert!(hub.seen().contains("/Qwen/Qwen3-0.6B-GGUF/resolve/main/Qwen3-0.6B-Q8_0.gguf"));
    assert_eq!(hub.store.list().unwrap()[0].name, "qwen3:0.6b");
    assert_eq!(hub.store.find("qwen3:0.6b").unwrap(), Some(pulled.entry));
}

#[cfg(unix)]
#[test]
fn links_and_special_files_are_neither_followed_nor_replaced() {
    let file = gguf(300_000);
    let hub = Hub::new(Manners { cut_after: Some(100_000), no_ranges: true, ..honest(&file) });
    hub.refused();
    // Somebody puts a link where the part was.
    let part = hub.store.partials().unwrap().remove(0).path;
    let precious = hub.folder.path().join("precious");
    fs::write(&precious, b"yours").unwrap();
    fs::remove_file(&part).unwrap();
    std::os::unix::fs::symlink(&precious, &part).unwrap();
    hub.server.become_like(honest(&file));
    let error = hub.refused();
    assert!(error.contains(".part: cannot write"), "{error}");
    assert_eq!(fs::read(&precious).unwrap(), b"yours");
    fs::remove_file(&part).unwrap();

    fs::create_dir_all(hub.path()).unwrap();
    assert!(hub.refused().contains("it is a directory, not a regular file"));
    fs::remove_dir(hub.path()).unwrap();
    let _listener = std::os::unix::net::UnixListener::bind(hub.path()).unwrap();
    assert!(hub.refused().contains("it is a socket, not a regular file"));
}
