//! The `decoder` of a file.

use super::{PatternJson, Place, splits::MetaspaceJson, type_of};
use crate::{
    Result,
    tokenizer::{
        decode::{Decode, Decoder},
        split::Prepend,
    },
};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct ReplaceJson {
    pattern: PatternJson,
    content: String,
}

#[derive(Deserialize)]
struct StripJson {
    content: char,
    start: usize,
    stop: usize,
}

#[derive(Deserialize)]
struct WordPieceJson {
    prefix: String,
    cleanup: bool,
}

#[derive(Deserialize)]
struct BpeJson {
    suffix: String,
}

/// Nobody strips more than one or two.
const MOST_STRIPPED: usize = 64;

/// `bytes` says that the vocabulary holds bytes already.
pub(super) fn read(at: &Place<'_>, value: &Value, bytes: bool) -> Result<Decoder> {
    let mut decoder = Decoder::default();
    let mut fused = false;
    match value {
        _ if bytes => {}
        // Without a decoder, pieces are words.
        Value::Null => {
            decoder.steps.push(Decode::WordPiece { prefix: String::new(), cleanup: false })
        }
        _ => add(at, value, &mut decoder, &mut fused)?,
    }
    Ok(decoder)
}

fn add(at: &Place<'_>, value: &Value, decoder: &mut Decoder, fused: &mut bool) -> Result<()> {
    let kind = type_of(value);
    let at = &at.of(kind);
    if *fused && !matches!(kind, "Strip" | "Sequence" | "Fuse") {
        return Err(at.unsupported("a step after Fuse other than Strip"));
    }
    decoder.steps.push(match kind {
        "Sequence" => {
            for step in at.steps(value, "decoders")? {
                add(at, step, decoder, fused)?;
            }
            return Ok(());
        }
        "Fuse" => {
            *fused = true;
            return Ok(());
        }
        "ByteLevel" => Decode::Unspell,
        "ByteFallback" => Decode::ByteFallback,
        "Replace" => {
            let ReplaceJson { pattern, content } = at.parse(value)?;
            Decode::Replace { pattern: pattern.read(at)?, content }
        }
        "Metaspace" => {
            let json: MetaspaceJson = at.parse(value)?;
            Decode::Metaspace {
                visible: json.replacement,
                strip_first: json.prepend() != Prepend::Never,
            }
        }
        "WordPiece" => {
            let WordPieceJson { prefix, cleanup } = at.parse(value)?;
            Decode::WordPiece { prefix, cleanup }
        }
        "BPEDecoder" => Decode::WordEnd(at.parse::<BpeJson>(value)?.suffix),
        "Strip" => {
            let StripJson { content, start, stop } = at.parse(value)?;
            if start.max(stop) > MOST_STRIPPED {
                return Err(at.damaged(format!(
                    "strips {start} and {stop} characters, more than {MOST_STRIPPED}"
                )));
            }
            if *fused {
                if stop > 0 {
                    return Err(at.unsupported("stripping the end of the text"));
                }
                decoder.strip_start = Some((content, start));
                return Ok(());
            }
            Decode::Strip { content, start, stop }
        }
        other => return Err(at.unsupported(format!("decoder {other:?}"))),
    });
    Ok(())
}
