//! Flags of keys, certificates and other origins.

use super::cannot_read;
use crate::fault::Fault;
use bessemer_server::{Allowance, Keys, Tls};
use clap::Args;
use std::{fs, path::PathBuf};

// Who may ask, and how.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Safety")]
pub(super) struct SafetyArgs {
    /// A key that clients have to send; a file or BESSEMER_API_KEY hides it from others on this machine
    #[arg(long, value_name = "KEY", env = "BESSEMER_API_KEY", hide_env_values = true)]
    api_key: Option<String>,

    /// A file of keys, or of their hashes, one to a line, each with its own limits if need be:
    /// `KEY name=alice requests=60 tokens=100000`
    #[arg(long, value_name = "FILE")]
    api_key_file: Option<PathBuf>,

    /// Requests per minute and key
    #[arg(long, value_name = "N")]
    max_requests: Option<u32>,

    /// Tokens per minute and key, of prompts and answers together
    #[arg(long, value_name = "N")]
    max_tokens_per_minute: Option<u32>,

    /// A certificate chain in PEM, for HTTPS
    #[arg(long, value_name = "FILE", alias = "ssl-cert-file", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// The private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", alias = "ssl-key-file", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// An origin whose pages may ask, such as https://example.org, or * for all; can be given several times
    #[arg(long, value_name = "ORIGIN")]
    pub(super) cors: Vec<String>,
}

impl SafetyArgs {
    pub(super) fn keys(&self) -> Result<Keys, Fault> {
        let usual = Allowance { requests: self.max_requests, tokens: self.max_tokens_per_minute };
        let mut keys = Keys::default();
        if let Some(key) = &self.api_key {
            if key.split_whitespace().count() != 1 {
                return Err(Fault::usage("--api-key: a key is one word"));
            }
            let key = format!("{} name=default", bessemer_server::hashed_key(key));
            keys = keys.and(Keys::parse(&key, usual).map_err(anyhow::Error::from)?);
        }
        if let Some(path) = &self.api_key_file {
            let text = fs::read_to_string(path);
            let text = text.map_err(|error| cannot_read("--api-key-file", path, error))?;
            let listed = Keys::parse(&text, usual).map_err(anyhow::Error::from)?;
            if listed.is_empty() {
                // An empty file would let everybody in.
                let why = format!("--api-key-file: there are no keys in {}", path.display());
                return Err(Fault::usage(why));
            }
            keys = keys.and(listed);
        }
        if keys.is_empty() && usual != Allowance::default() {
            return Err(Fault::usage("limits per key need a key: use --api-key or --api-key-file"));
        }
        Ok(keys)
    }

    pub(super) fn tls(&self) -> Option<Tls> {
        let (certificate, key) = self.tls_cert.clone().zip(self.tls_key.clone())?;
        Some(Tls { certificate, key })
    }
}
