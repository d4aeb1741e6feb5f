//! API keys, of which only hashes are kept, and what each may use.

use crate::{Kind, Refusal};
use axum::http::{HeaderMap, header};
use sha2::{Digest, Sha256};
use std::{
    fmt::Write,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use subtle::ConstantTimeEq;

/// The keys that may ask. Without any, nobody is asked for one.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    keys: Arc<[Arc<Key>]>,
}

/// A key, and what it may use.
#[derive(Debug)]
pub(crate) struct Key {
    /// What logs call it.
    pub(crate) name: String,
    hash: [u8; 32],
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
}

/// What every key may use, if its line does not say otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Allowance {
    /// Requests per minute.
    pub requests: Option<u32>,
    /// Tokens per minute, of prompts and answers together.
    pub tokens: Option<u32>,
}

/// A line of a file of keys that makes no sense.
#[derive(Debug, thiserror::Error)]
#[error("API keys: line {line}: {why}")]
pub struct BadKey {
    line: usize,
    why: String,
}

const PREFIX: &str = "sha256:";

impl Keys {
    /// Reads a list of keys, one to a line: the key itself or `sha256:` and its hash in hex, then
    /// perhaps `name=`, `requests=` and `tokens=` (per minute). Lines that begin with `#` are comments.
    ///
    /// ```
    /// use bessemer_server::Keys;
    ///
    /// let keys = Keys::parse("# a test\nsecret name=alice requests=60\n", Default::default())?;
    /// assert_eq!(keys.len(), 1);
    /// assert!(Keys::parse("sha256:12 name=bob", Default::default()).is_err());
    /// # Ok::<(), bessemer_server::BadKey>(())
    /// ```
    pub fn parse(text: &str, usual: Allowance) -> Result<Keys, BadKey> {
        let mut keys = Vec::new();
        for (line, text) in text.lines().enumerate().map(|(at, text)| (at + 1, text.trim())) {
            if !text.is_empty() && !text.starts_with('#') {
                let key = key_of(text, line, usual).map_err(|why| BadKey { line, why })?;
                keys.push(Arc::new(key));
            }
        }
        Ok(Keys { keys: keys.into() })
    }

    /// These and those of another list.
    pub fn and(self, other: Keys) -> Keys {
        Keys { keys: self.keys.iter().chain(other.keys.iter()).cloned().collect() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether nobody is asked for a key.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The key of a request; `None` where none is needed.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<Option<Arc<Key>>, Refusal> {
        if self.is_empty() {
            return Ok(None);
        }
        let refused = |why: &str| Refusal::new(Kind::Unauthorized, why);
        let given = given(headers).ok_or_else(|| {
            refused("no API key; send it in the header authorization, as `Bearer KEY`")
        })?;
        let hash = hash_of(given);
        // All are compared, each in the time of all others: nothing tells how near a guess was.
        let mut found = None;
        for key in self.keys.iter() {
            if bool::from(key.hash.ct_eq(&hash)) {
                found = Some(Arc::clone(key));
            }
        }
        found.map(Some).ok_or_else(|| refused("the API key is not known"))
    }
}

/// The key that a client sends, in any of the ways that clients do.
fn given(headers: &HeaderMap) -> Option<&[u8]> {
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let value = value.as_bytes();
        let (scheme, key) = value.split_at_checked(7)?;
        return scheme.eq_ignore_ascii_case(b"Bearer ").then(|| key.trim_ascii());
    }
    headers.get("x-api-key").map(|value| value.as_bytes().trim_ascii())
}

fn hash_of(key: &[u8]) -> [u8; 32] {
    Sha256::digest(key).into()
}

/// The line that stands for a key in a file: its hash.
///
/// ```
/// let line = bessemer_server::hashed_key("abc");
/// assert!(line.starts_with("sha256:ba7816bf"));
/// ```
pub fn hashed_key(key: &str) -> String {
    let mut line = PREFIX.to_owned();
    for byte in hash_of(key.as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(line, "{byte:02x}");
    }
    line
}

fn key_of(text: &str, line: usize, usual: Allowance) -> Result<Key, String> {
    let mut words = text.split_whitespace();
    let secret = words.next().unwrap_or_default();
    let hash = match secret.strip_prefix(PREFIX) {
        Some(hex) => unhex(hex).ok_or("a hash has 64 hexadecimal digits")?,
        None => hash_of(secret.as_bytes()),
    };
    let (mut name, mut allowed) = (format!("key {line}"), usual);
    for word in words {
        let number = |value: &str| {
            value.parse().map(Some).map_err(|_| format!("{word}: not a whole number"))
        };
        match word.split_once('=') {
            Some(("name", value)) => name = value.to_owned(),
            Some(("requests", value)) => allowed.requests = number(value)?,
            Some(("tokens", value)) => allowed.tokens = number(value)?,
            // It may be a part of the key, so it is not shown.
            _ => return Err("behind the key only name=, requests= and tokens= can follow".into()),
        }
    }
    let bucket = |per_minute: Option<u32>| per_minute.map(Bucket::new);
    Ok(Key { name, hash, requests: bucket(allowed.requests), tokens: bucket(allowed.tokens) })
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

impl Key {
    /// Takes one request of what the key may use, if there is one left, and tokens too.
    pub(crate) fn admit(&self) -> Result<(), Refusal> {
        let refuse = |what: &str, bucket: &Bucket, wait: Duration| {
            let message = format!(
                "{what}: the limit of this API key, {} a minute, is reached; try again in {:.0} s",
                bucket.per_minute,
                wait.as_secs_f64().ceil()
            );
            Refusal::new(Kind::RateLimited, message).after(wait)
        };
        if let Some(bucket) = &self.tokens
            && let Err(wait) = bucket.take(0.0)
        {
            return Err(refuse("tokens", bucket, wait));
        }
        if let Some(bucket) = &self.requests
            && let Err(wait) = bucket.take(1.0)
        {
            return Err(refuse("requests", bucket, wait));
        }
        Ok(())
    }

    /// Takes tokens that were used. How many they would be was not known before, so this may go below
    /// nothing; then the key has to wait the longer.
    pub(crate) fn spend(&self, tokens: usize) {
        if let Some(bucket) = &self.tokens {
            bucket.spend(tokens as f64);
        }
    }
}

/// Fills steadily, up to what one minute gives.
#[derive(Debug)]
struct Bucket {
    per_minute: u32,
    level: Mutex<(f64, Instant)>,
}

impl Bucket {
    fn new(per_minute: u32) -> Bucket {
        Bucket { per_minute, level: Mutex::new((f64::from(per_minute), Instant::now())) }
    }

    /// Takes `count`, or says how long to wait. There has to be something left.
    fn take(&self, count: f64) -> Result<(), Duration> {
        let needed = count.max(f64::MIN_POSITIVE);
        self.with(|level| {
            if *level >= needed {
                *level -= count;
                return Ok(());
            }
            let per_second = f64::from(self.per_minute) / 60.0;
            let seconds = (count.max(1.0) - *level) / per_second;
            Err(Duration::from_secs_f64(seconds.clamp(1.0, 86_400.0)))
        })
    }

    fn spend(&self, count: f64) {
        self.with(|level| *level -= count);
    }

    fn with<T>(&self, act: impl FnOnce(&mut f64) -> T) -> T {
        let mut level = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        let (most, now) = (f64::from(self.per_minute), Instant::now());
        let gained = now.duration_since(level.1).as_secs_f64() * most / 60.0;
        *level = ((level.0 + gained).min(most), now);
        act(&mut level.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).unwrap());
        headers
    }

    #[test]
    fn keys_are_found_by_their_hash() {
        let list = format!("one name=first\n\n# two\n{} name=second\n", hashed_key("two"));
        let keys = Keys::parse(&list, Allowance::default()).unwrap();
        let name = |headers| keys.check(&headers).map(|key| key.unwrap().name.clone());
        assert_eq!(name(headers("authorization", "Bearer one")).unwrap(), "first");
        assert_eq!(name(headers("authorization", "bearer  two ")).unwrap(), "second");
        assert_eq!(name(headers("x-api-key", "two")).unwrap(), "second");
        for wrong in [
            HeaderMap::new(),
            headers("authorization", "Bearer three"),
            headers("authorization", "Basic one"),
            headers("authorization", "Be"),
            headers("x-api-key", &hashed_key("two")),
        ] {
            assert_eq!(name(wrong).unwrap_err().kind, Kind::Unauthorized);
        }
        assert!(Keys::default().check(&HeaderMap::new()).unwrap().is_none());
    }

    #[test]
    fn errors_in_a_list_do_not_show_keys() {
        let error = Keys::parse("one\nsecret more-secret", Allowance::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "API keys: line 2: behind the key only name=, requests= and tokens= can follow"
        );
        let error = Keys::parse("secret tokens=x", Allowance::default()).unwrap_err();
        assert_eq!(error.to_string(), "API keys: line 1: tokens=x: not a whole number");
    }

    #[test]
    fn what_a_key_may_use_runs_out() {
        let usual = Allowance { requests: Some(2), tokens: None };
        let keys = Keys::parse("a\nb requests=1 tokens=10", usual).unwrap();
        let key = |name| keys.check(&headers("x-api-key", name)).unwrap().unwrap();
        assert!(key("a").admit().is_ok() && key("a").admit().is_ok());
        let refusal = key("a").admit().unwrap_err();
        assert_eq!(refusal.kind, Kind::RateLimited);
        assert!(refusal.retry_after.is_some(), "{refusal}");
        key("b").spend(100);
        let refusal = key("b").admit().unwrap_err();
        assert!(refusal.message.starts_with("tokens: "), "{refusal}");
        assert!(refusal.retry_after.unwrap() > Duration::from_secs(60));
    }
}
