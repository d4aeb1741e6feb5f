//! The Hugging Face hub.

use super::{
    Progress,
    download::{Wanted, download},
    http::Client,
};
use crate::Result;
use std::{env, path::Path};

/// Where the hub is, unless `HF_ENDPOINT` says otherwise, as for the hub's own tools.
const ENDPOINT: &str = "https://huggingface.co";

pub(super) fn pull(
    owner: &str,
    repo: &str,
    file: &str,
    path: &Path,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<&'static str> {
    let setting = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let endpoint = setting("HF_ENDPOINT").unwrap_or_else(|| ENDPOINT.to_owned());
    let endpoint = endpoint.trim_end_matches('/');
    let file = escaped(file);
    let url = format!("{endpoint}/{}/{}/resolve/main/{file}", escaped(owner), escaped(repo));
    let client = Client::new(setting("HF_TOKEN"));
    let wanted = Wanted { url: &url, sha256: None, path, what: &file };
    let hashed = download(&client, &wanted, progress)?;
    Ok(if hashed { "size and SHA-256" } else { "size" })
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
