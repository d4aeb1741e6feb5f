//! The corpora in the repository: few and small inputs that reach what the fuzzer has reached so far.
//! `cargo test` tries all of them, with variations.

use super::{create, folder, libfuzzer};
use crate::shell::{self, root, target_dir};
use anyhow::{Context, Result};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The most bytes of a corpus, so that all of them stay below a megabyte.
const MOST: u64 = 64 << 10;
/// The letters of its hash that name an input of the fuzzer. Inputs with other names are people's, and
/// stay.
const NAME: usize = 12;

/// Where the corpus of a target is.
pub(super) fn saved(name: &str) -> PathBuf {
    root().join("fuzz/corpus").join(name)
}

/// Replaces the fuzzer's inputs by the smallest ones that reach as much as all that are known, as far
/// as they fit.
pub(super) fn save(program: &Path, name: &str) -> Result<()> {
    let (to, merged) = (saved(name), target_dir().join("fuzz/merged").join(name));
    if merged.exists() {
        fs::remove_dir_all(&merged)?;
    }
    create(&merged)?;
    create(&to)?;
    let mut command = libfuzzer(program);
    command.arg("-merge=1").arg(&merged).arg(folder("corpus", name)?).arg(&to);
    shell::run(&mut command)?;
    let mut found = files(&merged)?;
    found.sort();
    let (mut old, people): (Vec<_>, Vec<_>) =
        files(&to)?.into_iter().partition(|(_, path)| is_hash(path));
    let mut room = MOST.saturating_sub(people.iter().map(|(len, _)| len).sum());
    for (_, path) in old.drain(..) {
        fs::remove_file(path)?;
    }
    let known: Vec<Vec<u8>> =
        people.iter().map(|(_, path)| fs::read(path)).collect::<Result<_, _>>()?;
    for (len, path) in found {
        let bytes = fs::read(&path)?;
        let hash = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if known.contains(&bytes) || len > room || hash.len() < NAME {
            continue;
        }
        room -= len;
        fs::write(to.join(&hash[..NAME]), bytes)?;
    }
    Ok(())
}

/// The files of a folder, with their lengths.
fn files(folder: &Path) -> Result<Vec<(u64, PathBuf)>> {
    let read = || -> std::io::Result<Vec<(u64, PathBuf)>> {
        fs::read_dir(folder)?
            .map(|entry| {
                let entry = entry?;
                Ok((entry.metadata()?.len(), entry.path()))
            })
            .collect()
    };
    read().with_context(|| format!("reading {}", folder.display()))
}

fn is_hash(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.len() == NAME && name.chars().all(|c| c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_saved_corpora_are_small() {
        let mut all = 0;
        for (_, corpus) in files(&root().join("fuzz/corpus")).unwrap() {
            all += files(&corpus).unwrap().iter().map(|(len, _)| len).sum::<u64>();
        }
        assert!((1..1 << 20).contains(&all), "{all} bytes");
    }

    #[test]
    fn inputs_of_people_have_other_names() {
        assert!(is_hash(Path::new("corpus/02328ee2f4b5")));
        assert!(!is_hash(Path::new("corpus/spm")) && !is_hash(Path::new("corpus/all_of_it.bp")));
    }
}
