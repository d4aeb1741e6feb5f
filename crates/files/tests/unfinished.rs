//! What is under construction: names, leftovers, locks, modes.

use bessemer_files::{NewFile, NewFolder, abandon, sweep};
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_file_is_replaced_in_one_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    fs::write(&path, b"old").unwrap();
    let mut new = NewFile::create(&path).unwrap();
    new.write_all(b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    new.sync().unwrap();
    new.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    drop(NewFile::create(&path).unwrap());
    assert_eq!(names(folder.path()), ["x"]);
}

#[test]
fn leftovers_of_the_dead_are_swept_and_those_of_the_living_stay() {
    let folder = tempfile::tempdir().unwrap();
    let dead = folder.path().join(".bessemer-1-0-00000000");
    fs::write(&dead, b"half").unwrap();
    let dead_folder = folder.path().join(".bessemer-1-1-00000000");
    fs::create_dir(&dead_folder).unwrap();
    fs::write(dead_folder.join(".lock"), b"").unwrap();
    fs::write(dead_folder.join("wheel"), b"half").unwrap();
    let alive = folder.path().join(".bessemer-2-0-00000000");
    let owner = File::create(&alive).unwrap();
    owner.lock().unwrap();
    let other = folder.path().join("bessemer-notes");
    fs::write(&other, b"yours").unwrap();
    let passing = NewFolder::create_in(folder.path()).unwrap();
    let new = NewFile::create(&folder.path().join("x")).unwrap();
    assert!(!dead.exists() && !dead_folder.exists());
    assert!(alive.exists() && other.exists() && passing.path().exists());
    drop((passing, new, owner));
    sweep(folder.path());
    assert_eq!(names(folder.path()), ["bessemer-notes"]);
}

#[cfg(unix)]
#[test]
fn a_link_among_the_leftovers_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let precious = folder.path().join("precious");
    fs::write(&precious, b"yours").unwrap();
    std::os::unix::fs::symlink(&precious, folder.path().join(".bessemer-1-0-00000000")).unwrap();
    sweep(folder.path());
    assert_eq!(fs::read(&precious).unwrap(), b"yours");
}

#[cfg(unix)]
#[test]
fn a_new_file_has_the_mode_of_any_other() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (usual, new) = (folder.path().join("usual"), folder.path().join("new"));
    fs::write(&usual, b"").unwrap();
    NewFile::create(&new).unwrap().finish().unwrap();
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&new), mode(&usual));
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let cases = [
        (folder.path(), "a directory"),
        (Path::new("/dev/null"), "a device"),
        (&socket, "a socket"),
    ];
    for (path, what) in cases {
        let error = NewFile::create(path).unwrap_err().to_string();
        assert_eq!(error, format!("it is {what}, not a regular file"));
    }
}

/// Alone in its process: nothing can be finished after it.
#[test]
fn what_is_abandoned_is_gone_and_cannot_be_finished() {
    // Other tests of this binary finish files; in a process of its own, this one harms none of them.
    if std::env::var_os("ABANDON").is_none() {
        let test = std::env::current_exe().unwrap();
        let name = "what_is_abandoned_is_gone_and_cannot_be_finished";
        let mut child = std::process::Command::new(test);
        let status = child.args(["--exact", name]).env("ABANDON", "1").status().unwrap();
        assert!(status.success());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = NewFile::create(&folder.path().join("x")).unwrap();
    let passing = NewFolder::create_in(folder.path()).unwrap();
    fs::write(passing.path().join("y"), b"y").unwrap();
    abandon();
    assert_eq!(names(folder.path()), Vec::<String>::new());
    assert!(file.finish().is_err());
    assert!(NewFile::create(&folder.path().join("z")).is_err());
}
