//! The disk cache and the compiler: whatever state they are in, a run works or says why not.
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const KERNEL: &str = "kernel void k(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = x[i] * 3 + 1; }";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("softmetal-dir-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("k.metal"), KERNEL).unwrap();
        Folder(path)
    }

    fn command(&self, cache: &Path) -> Command {
        let mut c = Command::new(env!("CARGO_BIN_EXE_softmetal"));
        c.args(["run", "k.metal", "k", "--grid", "2", "--buffer", "f32:1,2"]);
        c.current_dir(&self.0).env("SOFTMETAL_CACHE", cache).env("TMPDIR", &self.0);
        c
    }

    fn works(&self, cache: &Path) {
        let out = self.command(cache).output().unwrap();
        assert!(text(&out).contains("buffer(0) [2]: 4 7"), "{}", text(&out));
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(out: &Output) -> String {
    String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr)
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { out.extend(files(&path)) } else { out.push(path) }
    }
    out
}

#[test]
fn what_is_damaged_is_made_again() {
    let f = Folder::new("damaged");
    let cache = f.0.join("cache");
    f.works(&cache);
    for turn in 0..2 {
        for (n, path) in files(&cache).into_iter().enumerate() {
            let mut bytes = std::fs::read(&path).unwrap();
            match (n + turn) % 4 {
                0 => bytes.clear(),
                1 => bytes.truncate(bytes.len() / 2),
                2 => bytes.iter_mut().step_by(7).for_each(|b| *b ^= 0x55),
                _ => bytes = b"something else".to_vec(),
            }
            std::fs::write(&path, bytes).unwrap();
        }
        f.works(&cache);
    }
    // Nothing of the runs is left in the folder of temporary files.
    let left: Vec<_> = std::fs::read_dir(&f.0).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn processes_share_it() {
    let f = Folder::new("shared");
    let cache = f.0.join("cache");
    let start = |_| {
        let mut c = f.command(&cache);
        c.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        c.spawn().unwrap()
    };
    let all: Vec<_> = (0..4).map(start).collect();
    for child in all {
        let out = child.wait_with_output().unwrap();
        assert!(text(&out).contains("buffer(0) [2]: 4 7"), "{}", text(&out));
    }
}

#[test]
fn a_cache_that_takes_nothing_is_done_without() {
    let f = Folder::new("nowhere");
    f.works(Path::new("/proc/no/such/folder"));
    // A file where a folder should be, as a full or read-only disk would refuse too.
    std::fs::write(f.0.join("file"), "").unwrap();
    f.works(&f.0.join("file"));
    // Where every write fails with "no space left on device".
    f.works(Path::new("/dev/full"));
}

#[test]
fn the_compiler_is_looked_for_and_its_absence_told() {
    let f = Folder::new("clang");
    let cache = f.0.join("cache");
    let out = f.command(&cache).env("PATH", &f.0).env_remove("SOFTMETAL_CLANG").output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out).contains("clang was not found"), "{}", text(&out));
    assert!(text(&out).contains("apt-get install clang-19"), "{}", text(&out));
    let out = f.command(&cache).env("SOFTMETAL_CLANG", "/no/such/clang").output().unwrap();
    assert!(text(&out).contains("SOFTMETAL_CLANG=/no/such/clang"), "{}", text(&out));
    // The newest version on the path is taken: this one only says who it is.
    let fake = f.0.join("clang-30");
    std::fs::write(&fake, "#!/bin/sh\necho 'a fake clang: error: ran' >&2; exit 1\n").unwrap();
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", f.0.display(), std::env::var("PATH").unwrap());
    let out = f.command(&cache).env("PATH", path).env_remove("SOFTMETAL_CLANG").output().unwrap();
    assert!(text(&out).contains("ran"), "{}", text(&out));
}
