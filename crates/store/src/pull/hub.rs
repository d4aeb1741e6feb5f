//! The Hugging Face hub.

use super::{
    Announced, Progress, PullOptions, Tell,
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
    let (url, what) = (url_of(source, options), source.name());
    let contents = Contents::of(path);
    let wanted = Wanted { url: &url, sha256: None, contents, path, damaged, what: &what };
    let part = download(&client(), &wanted, &options.patience, progress)?;
    part.finish(&wanted, source.to_string())
}

/// What the hub says of a file.
pub(super) fn announced(
    source: &Source,
    options: &PullOptions,
    progress: Tell<'_>,
) -> Result<Announced> {
    let url = url_of(source, options);
    let mut idle = waiting(progress);
    let (_, head) = Connection::open(&client(), &url, 0, &options.patience, &mut idle)?;
    Ok(Announced { bytes: head.size, sha256: head.sha256 })
}

/// The file of a repository that is meant when none is named.
pub(super) fn choose_file(
    owner: &str,
    repo: &str,
    quant: Option<&str>,
    options: &PullOptions,
    progress: Tell<'_>,
) -> Result<Source> {
    let url = format!("{}/api/models/{}/{}", endpoint(options), escaped(owner), escaped(repo));
    let mut idle = waiting(progress);
    let (connection, _) = Connection::open(&client(), &url, 0, &options.patience, &mut idle)?;
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

fn endpoint(options: &PullOptions) -> String {
    let endpoint = options.endpoint.clone().or_else(|| setting("HF_ENDPOINT"));
    let endpoint = endpoint.unwrap_or_else(|| ENDPOINT.to_owned());
    endpoint.trim_end_matches('/').to_owned()
}

/// The address of a file: it lies in the folder of models as on the hub, by owner, repository and path.
fn url_of(source: &Source, options: &PullOptions) -> String {
    let place = source.place();
    let parts: Vec<String> = place.iter().map(|part| escaped(&part.to_string_lossy())).collect();
    let (repo, file) = parts.split_at(parts.len().min(2));
    format!("{}/{}/resolve/main/{}", endpoint(options), repo.join("/"), file.join("/"))
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
