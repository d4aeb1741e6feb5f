//! A hub with one file, and a folder of models to pull it into.
#![allow(dead_code, unreachable_pub)]

pub mod server;

use bessemer_store::{Patience, PullOptions, Pulled, Result, Source, Store};
use server::{Manners, Server};
use sha2::{Digest, Sha256};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};
use tempfile::TempDir;

pub const SOURCE: &str = "hf:someone/tiny-GGUF/tiny.Q8_0.gguf";

/// A file that says it is GGUF, of so many bytes.
pub fn gguf(length: u32) -> Vec<u8> {
    let noise = (4..length).map(|i| (i.wrapping_mul(i) >> 7) as u8);
    b"GGUF".iter().copied().chain(noise).collect()
}

pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a hub does that has nothing to hide.
pub fn honest(file: &[u8]) -> Manners {
    Manners {
        file: file.to_owned(),
        linked_etag: Some(sha256(file)),
        redirect: true,
        ..Manners::default()
    }
}

pub struct Hub {
    pub folder: TempDir,
    pub server: Server,
    pub store: Store,
    pub options: PullOptions,
}

impl Hub {
    pub fn new(manners: Manners) -> Hub {
        let folder = tempfile::tempdir().unwrap();
        let (server, store) = (Server::start(manners), Store::at(folder.path()));
        let patience = Patience {
            tell: Duration::from_secs(10),
            reconnect: Duration::from_secs(30),
            attempts: 3,
            pause: Duration::from_micros(10),
        };
        let endpoint = Some(server.url.clone());
        let options = PullOptions { endpoint, patience, ..Default::default() };
        Hub { folder, server, store, options }
    }

    pub fn pull(&self) -> Result<Pulled> {
        self.pull_as(SOURCE)
    }

    pub fn pull_as(&self, source: &str) -> Result<Pulled> {
        self.store.pull(&source.parse::<Source>()?, &self.options, &mut |_| ())
    }

    /// The error of a pull that must fail.
    pub fn refused(&self) -> String {
        self.pull().unwrap_err().to_string()
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("someone/tiny-GGUF/tiny.Q8_0.gguf")
    }

    /// Puts a file where the model goes.
    pub fn put(&self, bytes: &[u8]) {
        fs::create_dir_all(self.path().parent().unwrap()).unwrap();
        fs::write(self.path(), bytes).unwrap();
    }

    /// The names of all files, hidden ones too, without the folders they are in.
    pub fn files(&self) -> Vec<String> {
        let mut names = Vec::new();
        collect(self.folder.path(), &mut names);
        names.sort();
        names
    }

    /// Asserts that the model is there, with its record and nothing else.
    #[track_caller]
    pub fn assert_whole(&self, file: &[u8]) {
        assert!(fs::read(self.path()).unwrap() == file, "the file differs");
        assert_eq!(self.files(), [".tiny.Q8_0.gguf.pulled.json", "tiny.Q8_0.gguf"]);
    }

    /// What was asked of the server since the last time.
    pub fn seen(&self) -> String {
        std::mem::take(&mut *self.server.seen.lock().unwrap()).join("\n")
    }
}

fn collect(folder: &Path, names: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        match entry.file_type().unwrap().is_dir() {
            true => collect(&entry.path(), names),
            false => names.push(entry.file_name().into_string().unwrap()),
        }
    }
}
