//! Which RWKV a model is: its tensors decide, and a `config.json` must agree.

use super::names::Named;
use crate::{Error, Result, files::Config};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    V4,
    /// 5.0, 5.1 and 5.2.
    V5,
    V6,
    V7,
    /// The mixer of 6 in a Qwen2.
    Qwen6,
    /// The mixer of 7 in a Qwen2.
    Hybrid7,
}

impl Version {
    /// The version of the tensors; `None` if they are no RWKV.
    pub(super) fn of(named: &Named<'_>) -> Option<Version> {
        let has = |name: &str| named.has(&format!("blocks.0.att.{name}"));
        let any = |names: &[&str]| names.iter().any(|name| has(name));
        let in_qwen = named.has("blocks.0.mlp.up_proj.weight");
        if !has("key.weight") && !has("receptance.weight") {
            return None;
        }
        Some(match in_qwen {
            true if any(&["x_r", "x_x", "w0", "r_k"]) => Version::Hybrid7,
            true if any(&["time_maa_x", "time_maa_w1", "time_decay_w1"]) => Version::Qwen6,
            true => return None,
            false if any(&["x_r", "x_x", "w0", "r_k"]) => Version::V7,
            false if any(&["time_maa_x", "time_maa_w1", "time_mix_x", "time_decay_w1"]) => {
                Version::V6
            }
            false if has("ln_x.weight") => Version::V5,
            false if any(&["time_decay", "time_first"]) => Version::V4,
            false => return None,
        })
    }

    /// The version that a `config.json` states; `None` if it is of another model.
    pub(super) fn stated(config: &Config) -> Result<Option<Version>> {
        Ok(match config.get::<String>("model_type")?.unwrap_or_default().as_str() {
            "rwkv" => Some(Version::V4),
            "rwkv5" => Some(Version::V5),
            "rwkv6" => Some(Version::V6),
            "rwkv7" => Some(Version::V7),
            "rwkv6qwen2" => Some(Version::Qwen6),
            "rwkv_hybrid" => Some(Version::Hybrid7),
            _ => None,
        })
    }

    /// An error if a `config.json` states another version.
    pub(super) fn check(self, config: &Config) -> Result<()> {
        match Version::stated(config)? {
            Some(stated) if stated != self => {
                let (stated, found) = (stated.architecture(), self.architecture());
                let why = format!("says {stated}, but the tensors are those of {found}");
                let remedy = "put the model's own config.json beside its weights";
                Err(Error::broken(config.path(), "key `model_type`", why, remedy))
            }
            _ => Ok(()),
        }
    }

    /// What GGUF files call it.
    pub(super) fn architecture(self) -> &'static str {
        match self {
            Version::V4 => "rwkv4",
            Version::V5 => "rwkv5",
            Version::V6 => "rwkv6",
            Version::V7 => "rwkv7",
            Version::Qwen6 => "rwkv6qwen2",
            Version::Hybrid7 => "arwkv7",
        }
    }

    /// Whether only the mixer is RWKV's: norms and feed-forward parts are those of a Qwen2.
    pub(super) fn is_in_qwen(self) -> bool {
        matches!(self, Version::Qwen6 | Version::Hybrid7)
    }
}
