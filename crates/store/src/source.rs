//! The source of a model, as users write it: `smollm2`, `qwen3:0.6b`, `hf:OWNER/REPO/FILE`,
//! `hf:OWNER/REPO`, `hf:OWNER/REPO:Q8_0`.

use crate::{CATALOGUE, Error, Listed, Result, error::mean, resolve::nearest};
use std::{fmt, path::PathBuf, str::FromStr};

/// What can be pulled.
///
/// ```
/// use bessemer_store::Source;
///
/// let source: Source = "hf:someone/a-model-GGUF/a-model.Q4_K_M.gguf".parse()?;
/// assert_eq!(source.name(), "someone/a-model-GGUF/a-model.Q4_K_M");
/// assert_eq!("smollm2".parse::<Source>()?.name(), "smollm2");
/// let source: Source = "qwen3:0.6b".parse()?;
/// assert_eq!(source.to_string(), "hf:Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf");
/// assert_eq!(source.name(), "qwen3:0.6b");
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
    /// A repository on the hub, of which one GGUF file is chosen.
    Repo {
        /// Who it belongs to.
        owner: String,
        /// The repository.
        repo: String,
        /// The quantisation type of the file to choose; `None` prefers Q4_K_M.
        quant: Option<String>,
    },
}

impl Source {
    /// The name the model has once it is downloaded.
    pub fn name(&self) -> String {
        match self {
            Source::SmolLm2 => "smollm2".to_owned(),
            Source::Hub { owner, repo, file } => match Listed::of_file(owner, repo, file) {
                Some(listed) => listed.name().to_owned(),
                None => format!("{owner}/{repo}/{}", file.strip_suffix(".gguf").unwrap_or(file)),
            },
            Source::Repo { owner, repo, .. } => format!("{owner}/{repo}"),
        }
    }

    /// Where it lies in the folder of models; for a repository, where its files do.
    pub fn place(&self) -> PathBuf {
        match self {
            Source::SmolLm2 => PathBuf::from("smollm2.gguf"),
            Source::Hub { owner, repo, file } => [owner, repo, file].iter().collect(),
            Source::Repo { owner, repo, .. } => [owner, repo].iter().collect(),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::SmolLm2 => f.write_str("smollm2"),
            Source::Hub { owner, repo, file } => write!(f, "hf:{owner}/{repo}/{file}"),
            Source::Repo { owner, repo, quant: None } => write!(f, "hf:{owner}/{repo}"),
            Source::Repo { owner, repo, quant: Some(quant) } => {
                write!(f, "hf:{owner}/{repo}:{quant}")
            }
        }
    }
}

impl FromStr for Source {
    type Err = Error;

    fn from_str(name: &str) -> Result<Source> {
        let refuse = |why: String| Err(Error::BadName { name: name.to_owned(), why });
        if name.eq_ignore_ascii_case("smollm2") {
            return Ok(Source::SmolLm2);
        }
        if let Some(listed) = Listed::of_name(name) {
            let (owner, repo) = (listed.owner.to_owned(), listed.repo.to_owned());
            return Ok(Source::Hub { owner, repo, file: listed.file.to_owned() });
        }
        let Some(rest) = name.strip_prefix("hf:").or_else(|| name.strip_prefix("hf.co/")) else {
            let names = CATALOGUE.iter().flat_map(|listed| listed.names.iter().copied());
            let near = nearest(name, names.chain(["smollm2"]));
            let remedy = near.map_or_else(
                || "use a name from \"bessemer pull --list\", or hf:OWNER/REPO/FILE".to_owned(),
                mean,
            );
            return refuse(format!("no model to download has this name; {remedy}"));
        };
        let (path, quant) = match rest.rsplit_once(':') {
            Some((path, quant)) => (path, Some(quant.to_owned())),
            None => (rest, None),
        };
        let parts: Vec<&str> = path.split('/').collect();
        // Parts become folders: none may lead out of the one for models, or hide there.
        let sound = |part: &&str| {
            let plain = |c: char| c.is_alphanumeric() || "-_.+ ()[]".contains(c);
            !part.is_empty() && !part.starts_with('.') && part.chars().all(plain)
        };
        if !parts.iter().chain(&quant.as_deref()).all(sound) {
            let why = "a part of the name is empty, starts with a dot or has unusual characters";
            return refuse(format!("{why}; use hf:OWNER/REPO/FILE"));
        }
        match (&parts[..], quant) {
            ([owner, repo], quant) => {
                Ok(Source::Repo { owner: (*owner).to_owned(), repo: (*repo).to_owned(), quant })
            }
            ([owner, repo, file @ ..], None) => Ok(Source::Hub {
                owner: (*owner).to_owned(),
                repo: (*repo).to_owned(),
                file: file.join("/"),
            }),
            ([_], _) => refuse("the repository is missing; use hf:OWNER/REPO/FILE".to_owned()),
            _ => refuse(
                "it names a file and a type; use hf:OWNER/REPO/FILE or hf:OWNER/REPO:TYPE"
                    .to_owned(),
            ),
        }
    }
}
