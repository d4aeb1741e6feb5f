//! The Hugging Face hub.

use super::{
    Announced, Patience, Progress, PullOptions, Tell,
    connection::Connection,
    contents::Contents,
    download::{Wanted, download},
    http::{Client, bad_answer},
};
use crate::{Error, Record, Result, Source, choose::choose};
use serde_json::Value;
use std::{env, path::Path, time::Duration};

/// Where the hub is, unless `HF_ENDPOINT` says otherwise, as for the hub's own tools.
const ENDPOINT: &str = "https://huggingface.co";

/// What the hub says of a repository is shorter than this.
const LONGEST_LIST: usize = 1 << 24;

pub(super) fn pull(
    source: &Source,
    path: &Path,
    damaged: Option<&Record>,
    options: &PullOptions,
    progress: Tell<'_>,
) -> Result<&'static str> {
    let (url, what) = (url_of(source), source.name());
    let contents = Contents::of(path);
    let wanted = Wanted { url: &url, sha256: None, contents, path, damaged, what: &what };
    let part = download(&client(), &wanted, &options.patience, progress)?;
    part.finish(&wanted, source.to_string())
}

/// What the hub says of a file.
pub(super) fn announced(source: &Source, patience: &Patience, progress: Tell<'_>) -> Result<Announced> {
    let url = url_of(source);
    let mut idle = waiting(progress);
    let (_, head) = Connection::open(&client(), &url, 0, patience, &mut idle)?;
    Ok(Announced { bytes: head.size, sha256: head.sha256 })
}

/// The file of a repository that is meant when none is named.
pub(super) fn choose_file(
    owner: &str,
    repo: &str,
    quant: Option<&str>,
    patience: &Patience,
    progress: Tell<'_>,
) -> Result<Source> {
    let url = format!("{}/api/models/{}/{}", endpoint(), escaped(owner), escaped(repo));
    let mut idle = waiting(progress);
    let (connection, _) = Connection::open(&client(), &url, 0, patience, &mut idle)?;
    let mut list = Vec::new();
    while let Some(bytes) = connection.next(&mut idle)? {
        list.extend(bytes);
        if list.len() > LONGEST_LIST {
            let why = format!("the list of files has more than {LONGEST_LIST} bytes");
            return Err(bad_answer(&url, why));
        }
    }
    let list: Value = serde_json::from_slice(&list)
        .map_err(|e| bad_answer(&url, format!("the list of files is not JSON: {e}")))?;
    let files = list["siblings"].as_array().into_iter().flatten();
    let files: Vec<&str> = files.filter_map(|file| file["rfilename"].as_str()).collect();
    let chosen = choose(&files, quant)
        .map_err(|why| Error::NoChoice { repo: format!("{owner}/{repo}"), why })?;
    // By way of its name, so that no path of the list leads out of the folder of models.
    format!("hf:{owner}/{repo}/{chosen}").parse()
}

/// Tells that nothing comes while there is no file yet.
fn waiting(progress: Tell<'_>) -> impl FnMut(Duration) {
    |waited| {
        let (what, stalled) = ("asking the hub", Some(waited));
        progress(Progress { what, done: 0, total: None, stalled });
    }
}

fn setting(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn client() -> Client {
    Client::new(setting("HF_TOKEN"))
}

fn endpoint() -> String {
    let endpoint = setting("HF_ENDPOINT").unwrap_or_else(|| ENDPOINT.to_owned());
    endpoint.trim_end_matches('/').to_owned()
}

fn url_of(source: &Source) -> String {
    let place = match source {
        Source::Hub { owner, repo, file } => (owner.as_str(), repo.as_str(), file.as_str()),
        Source::Repo { owner, repo, .. } => (owner.as_str(), repo.as_str(), ""),
        Source::SmolLm2 => ("", "", ""),
    };
    let (owner, repo, file) = place;
    format!("{}/{}/{}/resolve/main/{}", endpoint(), escaped(owner), escaped(repo), escaped(file))
}

/// A path as it stands in a URL.
fn escaped(path: &str) -> String {
    let escape = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    };
    path.bytes().map(escape).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_are_escaped() {
        assert_eq!(super::escaped("a b/é+.gguf"), "a%20b/%C3%A9%2B.gguf");
    }
}
