//! Resolves a model's name to its path.

use crate::{Error, Result, Source, Store};
use std::path::PathBuf;

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
    /// assert!(error.contains("did you mean `tiny`?"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn resolve(&self, name: &str, built_in: &[&str]) -> Result<Resolved> {
        let path = PathBuf::from(name);
        if path.exists() {
            return Ok(Resolved::File { name: name.to_owned(), path });
        }
        if let Some(entry) = self.find(name)? {
            return Ok(Resolved::File { name: entry.name, path: entry.path });
        }
        if built_in.contains(&name) {
            return Ok(Resolved::BuiltIn(name.to_owned()));
        }
        if let Ok(source) = name.parse::<Source>() {
            let source_name = source.to_string();
            return Err(Error::NotPulled { name: name.to_owned(), source_name });
        }
        let known = self.list()?.into_iter().map(|entry| entry.name);
        let known: Vec<String> =
            known.chain(built_in.iter().map(|&name| name.to_owned())).collect();
        let near = nearest(name, known.iter().map(String::as_str).chain(["smollm2"]));
        let near = near.map(str::to_owned);
        Err(Error::Unknown { name: name.to_owned(), known, near })
    }
}

/// The name that was most likely meant, if there is one.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
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
        for name in ["smollm2", "hf:someone/repo/model.gguf"] {
            let error = store.resolve(name, &["ember"]).unwrap_err().to_string();
            assert!(error.contains(&format!("bessemer pull {name}")), "{error}");
        }
        let error = store.resolve("embre", &["ember"]).unwrap_err().to_string();
        assert!(error.contains("did you mean `ember`?") && error.contains("(ember)"), "{error}");
    }
}
