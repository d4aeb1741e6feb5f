//! The source of a model, as users write it: `smollm2`, `hf:OWNER/REPO/FILE`.

use crate::{Error, Result};
use std::{fmt, path::PathBuf, str::FromStr};

/// What can be pulled.
///
/// ```
/// use bessemer_store::Source;
///
/// let source: Source = "hf:someone/a-model-GGUF/a-model.Q4_K_M.gguf".parse()?;
/// assert_eq!(source.name(), "someone/a-model-GGUF/a-model.Q4_K_M");
/// assert_eq!("smollm2".parse::<Source>()?.name(), "smollm2");
/// assert!("hf:someone".parse::<Source>().is_err());
/// assert!("hf:a/b/../../../etc/passwd".parse::<Source>().is_err());
/// # Ok::<(), bessemer_store::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// SmolLM2-135M-Instruct in Q4_1, out of a Python package.
    SmolLm2,
    /// A file of a repository on the Hugging Face hub.
    Hub {
        /// Who it belongs to.
        owner: String,
        /// The repository.
        repo: String,
        /// The file in it; folders are split by `/`.
        file: String,
    },
}

impl Source {
    /// The name the model has once it is here.
    pub fn name(&self) -> String {
        match self {
            Source::SmolLm2 => "smollm2".to_owned(),
            Source::Hub { owner, repo, file } => {
                let file = file.strip_suffix(".gguf").unwrap_or(file);
                format!("{owner}/{repo}/{file}")
            }
        }
    }

    /// Where it lies in the folder of models.
    pub fn place(&self) -> PathBuf {
        match self {
            Source::SmolLm2 => PathBuf::from("smollm2.gguf"),
            Source::Hub { owner, repo, file } => [owner, repo, file].iter().collect(),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::SmolLm2 => f.write_str("smollm2"),
            Source::Hub { owner, repo, file } => write!(f, "hf:{owner}/{repo}/{file}"),
        }
    }
}

impl FromStr for Source {
    type Err = Error;

    fn from_str(name: &str) -> Result<Source> {
        let refuse = |why: &str| Err(Error::BadName { name: name.to_owned(), why: why.to_owned() });
        if name.eq_ignore_ascii_case("smollm2") {
            return Ok(Source::SmolLm2);
        }
        let Some(rest) = name.strip_prefix("hf:") else {
            return refuse("there are smollm2 and hf:OWNER/REPO/FILE");
        };
        let parts: Vec<&str> = rest.split('/').collect();
        // Parts become folders: none may lead out of the one for models, or hide there.
        let sound = |part: &&str| {
            let plain = |c: char| c.is_alphanumeric() || "-_.+ ()[]".contains(c);
            !part.is_empty() && !part.starts_with('.') && part.chars().all(plain)
        };
        if !parts.iter().all(sound) {
            return refuse("a part of it is empty, starts with a dot or has unusual characters");
        }
        let [owner, repo, file @ ..] = &parts[..] else {
            return refuse("it needs the form hf:OWNER/REPO/FILE");
        };
        if file.is_empty() {
            return refuse("it lacks the file: hf:OWNER/REPO/FILE.gguf");
        }
        Ok(Source::Hub {
            owner: (*owner).to_owned(),
            repo: (*repo).to_owned(),
            file: file.join("/"),
        })
    }
}
