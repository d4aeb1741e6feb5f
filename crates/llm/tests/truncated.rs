//! Model files that are truncated or changed while they are mapped: an error, not the end of the process.
#![cfg(unix)]

use bessemer_core::Device;
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_llm::{Llm, tiny};
use std::{
    env,
    fs::{self, File, OpenOptions},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
    sync::Arc,
};

/// Set in the child: where it works.
const FOLDER: &str = "BESSEMER_TEST_FOLDER";

/// Runs the rest of a test in a process of its own: it may end by a signal.
fn in_child(test: &str, work: fn(&Path)) -> Option<ExitStatus> {
    if let Some(folder) = env::var_os(FOLDER) {
        work(Path::new(&folder));
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", test, "--nocapture"]).env(FOLDER, folder.path());
    Some(child.status().unwrap())
}

fn model(folder: &Path) -> (PathBuf, Llm) {
    let path = folder.join("model.gguf");
    fs::write(&path, tiny::gguf()).unwrap();
    let options = CpuOptions { mapped: true, ..Default::default() };
    let device: Arc<dyn Device> = Arc::new(Cpu::open(options).unwrap());
    let llm = Llm::open(&path, &device).unwrap();
    (path, llm)
}

fn truncate(path: &Path, len: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(len).unwrap();
}

#[test]
fn between_passes() {
    let status = in_child("between_passes", |folder| {
        let (path, llm) = model(folder);
        let mut session = llm.session(Default::default()).unwrap();
        session.extend(&[1, 2, 3]).unwrap();
        truncate(&path, 4096);
        let wanted = "bytes while it was in use; restore the file and open the model again";
        for _ in 0..2 {
            let error = session.extend(&[4]).unwrap_err().to_string();
            assert!(error.contains("to 4,096 ") && error.ends_with(wanted), "{error}");
            assert!(error.contains("model.gguf: the file was truncated from "), "{error}");
        }
        assert_eq!(session.tokens(), [1, 2, 3]);
        let error = llm.session(Default::default()).unwrap_err().to_string();
        assert!(error.ends_with(wanted), "{error}");
    });
    assert!(status.is_none_or(|status| status.success()));
}

#[test]
fn before_a_session() {
    let status = in_child("before_a_session", |folder| {
        let (path, llm) = model(folder);
        truncate(&path, 100);
        let error = llm.session(Default::default()).unwrap_err().to_string();
        assert!(error.contains("to 100 bytes while it was in use"), "{error}");
        // The same bytes, written anew.
        fs::write(&path, tiny::gguf()).unwrap();
        File::open(&path).unwrap().set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        let error = llm.session(Default::default()).unwrap_err().to_string();
        assert!(error.contains("was changed while it was in use; open the model again"), "{error}");
    });
    assert!(status.is_none_or(|status| status.success()));
}

/// A fault in memory that is not ours.
fn fault_elsewhere(folder: &Path) {
    let path = folder.join("other");
    fs::write(&path, [1; 8192]).unwrap();
    let file = File::open(&path).unwrap();
    // SAFETY: the file is truncated on purpose; reading it ends this process, or its handler does.
    let map = unsafe { memmap2::Mmap::map(&file) }.unwrap();
    truncate(&path, 0);
    std::hint::black_box(map[5000]);
}

#[test]
fn faults_elsewhere_end_the_process_as_before() {
    let status = in_child("faults_elsewhere_end_the_process_as_before", |folder| {
        let _model = model(folder);
        fault_elsewhere(folder);
    });
    assert!(status.is_none_or(|status| status.signal() == Some(libc::SIGBUS)), "{status:?}");
}

#[test]
fn a_handler_that_was_there_is_called() {
    extern "C" fn leave(_: i32) {
        // SAFETY: `_exit` may be called anywhere.
        unsafe { libc::_exit(42) };
    }
    let status = in_child("a_handler_that_was_there_is_called", |folder| {
        // SAFETY: the handler only ends the process.
        unsafe { libc::signal(libc::SIGBUS, leave as extern "C" fn(i32) as libc::sighandler_t) };
        let _model = model(folder);
        fault_elsewhere(folder);
    });
    assert!(status.is_none_or(|status| status.code() == Some(42)), "{status:?}");
}
