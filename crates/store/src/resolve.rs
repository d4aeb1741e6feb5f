//! Resolves a model's name to its path.

use crate::{CATALOGUE, Error, Result, Source, Store};
use std::{ffi::OsStr, path::PathBuf};

/// Where a model is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// In a file or a folder.
    File {
        /// What to call it.
        name: String,
        /// Where it is.
        path: PathBuf,
    },
    /// One that the caller has itself, by this name.
    BuiltIn(String),
}

impl Store {
    /// Finds a model by a path, by its name in the folder of models, or among the names of those
    /// that the caller has itself, in this order. What is not here is an error that says how to get
    /// it, or what was likely meant.
    ///
    /// ```
    /// use bessemer_store::{Resolved, Store};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("tiny.gguf");
    /// std::fs::write(&path, b"GGUF")?;
    /// let store = Store::at(folder.path());
    /// assert_eq!(store.resolve("tiny", &[])?, Resolved::File { name: "tiny".into(), path });
    /// assert_eq!(store.resolve("toy", &["toy"])?, Resolved::BuiltIn("toy".into()));
    /// let error = store.resolve("tinny", &[]).unwrap_err().to_string();
    /// assert!(error.contains("did you mean \"tiny\"?"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn resolve(&self, name: impl AsRef<OsStr>, built_in: &[&str]) -> Result<Resolved> {
        let (path, name) = (PathBuf::from(name.as_ref()), name.as_ref());
        let text = name.to_string_lossy();
        if path.exists() {
            return Ok(Resolved::File { name: text.into_owned(), path });
        }
        if let Some(entry) = self.find(name)? {
            return Ok(Resolved::File { name: entry.name, path: entry.path });
        }
        let text = text.into_owned();
        if built_in.contains(&text.as_str()) {
            return Ok(Resolved::BuiltIn(text));
        }
        if text.parse::<Source>().is_ok() {
            return Err(Error::NotPulled { source_name: text.clone(), name: text });
        }
        let entries = self.list()?;
        let known = entries.iter().map(|entry| entry.name.as_str()).chain(built_in.iter().copied());
        let listed = CATALOGUE.iter().flat_map(|listed| listed.names.iter().copied());
        let near = nearest(&text, known.chain(listed).chain(["smollm2"])).map(str::to_owned);
        Err(Error::Unknown { name: text, near })
    }
}

/// The name that was most likely meant, if there is one.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let alike = |known: &&str| strsim::jaro_winkler(&name, &known.to_lowercase());
    let close = known.map(|known| (alike(&known), known)).filter(|(alike, _)| *alike > 0.8);
    close.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_seen_through() {
        let known = || ["ember", "smollm2", "owner/repo/Tiny.Q4_0"].into_iter();
        assert_eq!(nearest("smolm2", known()), Some("smollm2"));
        assert_eq!(nearest("Embr", known()), Some("ember"));
        assert_eq!(nearest("/nope/x.gguf", known()), None);
    }

    #[test]
    fn what_can_be_pulled_is_said_how() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        for name in ["smollm2", "hf:someone/repo/model.gguf", "hf:someone/repo", "qwen3:0.6b"] {
            let error = store.resolve(name, &["ember"]).unwrap_err().to_string();
            assert!(error.contains(&format!("bessemer pull {name}")), "{error}");
        }
        let error = store.resolve("embre", &["ember"]).unwrap_err().to_string();
        assert!(error.contains("did you mean \"ember\"?"), "{error}");
        let error = store.resolve("qwen3:0.6", &[]).unwrap_err().to_string();
        assert!(error.contains("did you mean \"qwen3:0.6b\"?"), "{error}");
    }

    #[test]
    fn a_model_of_the_catalogue_is_found_by_all_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        let path = folder.path().join("Qwen/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, b"GGUF").unwrap();
        assert_eq!(store.list().unwrap()[0].name, "qwen3:8b");
        for name in [
            "qwen3:8b",
            "QWEN3",
            "hf:Qwen/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf",
            "hf:Qwen/Qwen3-8B-GGUF",
            "hf:Qwen/Qwen3-8B-GGUF:q4_k_m",
            "Qwen/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M",
        ] {
            let found = store.resolve(name, &[]).unwrap();
            assert_eq!(found, Resolved::File { name: "qwen3:8b".to_owned(), path: path.clone() });
        }
        assert!(store.find("hf:Qwen/Qwen3-8B-GGUF:Q8_0").unwrap().is_none());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_need_not_be_text() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        let name = OsStr::from_bytes(b"caf\xe9");
        let path = folder.path().join(OsStr::from_bytes(b"caf\xe9.gguf"));
        std::fs::write(&path, b"GGUF").unwrap();
        let entry = store.find(name).unwrap().unwrap();
        assert_eq!((&entry.path, entry.name.as_str()), (&path, "caf\u{fffd}"));
        assert_eq!(
            store.resolve(name, &[]).unwrap(),
            Resolved::File { name: entry.name.clone(), path }
        );
        store.remove(&entry).unwrap();
        assert!(store.list().unwrap().is_empty());
    }
}
