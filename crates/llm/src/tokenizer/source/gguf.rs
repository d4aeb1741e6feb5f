//! Tokenizers from GGUF metadata: `tokenizer.ggml.*`.

use super::{ends::ends, parts};
use crate::{
    Error, Result,
    error::grouped,
    files::gguf::{Array, Metadata},
    tokenizer::{
        Roles, Tokenizer,
        added::{Added, AddedTokens},
        decode::{Decode, Decoder},
        limits::MOST_MERGES,
        model::{
            Model,
            bpe::{Bpe, Merges, Start},
            merge::NO_TOKEN,
            spm::Spm,
            unigram::Unigram,
            word_piece::WordPiece,
            world::World,
        },
        normalize::{Bert, Charsmap, Normalize},
        split::{Pattern, Prepend, Split, VISIBLE_SPACE, family},
        vocab::Vocab,
        world::unescape,
    },
};

/// The types of tokens, as files number them.
const UNKNOWN: i32 = 2;
const CONTROL: i32 = 3;
const USER_DEFINED: i32 = 4;
const UNUSED: i32 = 5;
const BYTE: i32 = 6;

fn key(name: &str) -> String {
    format!("tokenizer.ggml.{name}")
}

/// The tokens of a file and what it says of each.
struct Listed<'a> {
    meta: &'a Metadata,
    tokens: Vec<&'a [u8]>,
    types: Vec<i32>,
    scores: Vec<f32>,
}

/// What differs between the kinds of tokenizers.
struct Kind {
    vocab: Vocab,
    model: Model,
    normalizers: Vec<Normalize>,
    splits: Vec<Split>,
    decoder: Decoder,
    /// Whether text gets these tokens around it when the file does not say.
    bos: bool,
    eos: bool,
}

pub(super) fn read(meta: &Metadata) -> Result<Tokenizer> {
    let model = meta.require::<&str>(&key("model"))?;
    let listed = Listed::read(meta)?;
    let kind = match model {
        "llama" => listed.spm()?,
        "gpt2" => listed.bpe()?,
        "bert" => listed.word_piece()?,
        "t5" => listed.unigram()?,
        "rwkv" => listed.world()?,
        other => {
            return Err(Error::unsupported(
                meta.path(),
                format!("key `{}`", key("model")),
                format!("tokenizer {other:?}"),
                "the supported ones are llama, gpt2, bert, t5 and rwkv",
            ));
        }
    };
    listed.assemble(model, kind)
}

impl<'a> Listed<'a> {
    fn read(meta: &'a Metadata) -> Result<Listed<'a>> {
        let tokens: Vec<&[u8]> = match meta.require::<&Array>(&key("tokens"))?.strings() {
            Some(strings) => strings.collect(),
            None => return Err(meta.refuse(&key("tokens"), "is not a list of strings")),
        };
        let same_length = |name: &str, len: usize| match len == tokens.len() {
            true => Ok(()),
            false => {
                let why = format!("has {len} entries for {} tokens", tokens.len());
                Err(meta.refuse(&key(name), why))
            }
        };
        let types: Vec<i32> = meta.get(&key("token_type"))?.unwrap_or_default();
        let scores: Vec<f32> = meta.get(&key("scores"))?.unwrap_or_default();
        if !types.is_empty() {
            same_length("token_type", types.len())?;
        }
        if !scores.is_empty() {
            same_length("scores", scores.len())?;
        }
        Ok(Listed { meta, tokens, types, scores })
    }

    fn token_type(&self, id: u32) -> i32 {
        self.types.get(id as usize).copied().unwrap_or(1)
    }

    /// Whether text can become this token without being looked for as a whole.
    fn is_text(&self, id: u32) -> bool {
        !matches!(self.token_type(id), UNKNOWN | CONTROL | UNUSED | BYTE)
    }

    /// The vocabulary, each token as `bytes` has it.
    fn vocab(&self, bytes: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Result<Vocab> {
        let mut vocab = Vocab::new();
        for (id, token) in self.tokens.iter().enumerate() {
            let is_text = self.is_text(id as u32);
            let spelled = is_text.then(|| bytes(token)).flatten();
            let named = spelled.is_some();
            let piece = spelled.as_deref().unwrap_or(token);
            vocab.push(piece, named).map_err(|e| self.meta.refuse(&key("tokens"), e))?;
        }
        Ok(vocab)
    }

    /// The token that a key names, or this one; `None` if there is neither.
    fn role(&self, name: &str, default: Option<u32>) -> Result<Option<u32>> {
        let name = key(name);
        match self.meta.get::<i64>(&name)? {
            // Some converters write -1, or all ones, for none.
            Some(-1) | Some(0xFFFF_FFFF) => Ok(None),
            Some(id) => match u32::try_from(id) {
                Ok(id) if (id as usize) < self.tokens.len() => Ok(Some(id)),
                _ => {
                    let why = format!("is {id}, out of range for {} tokens", self.tokens.len());
                    Err(self.meta.refuse(&name, why))
                }
            },
            None => Ok(default.filter(|id| (*id as usize) < self.tokens.len())),
        }
    }

    fn flag(&self, name: &str, default: bool) -> Result<bool> {
        Ok(self.meta.get(&key(name))?.unwrap_or(default))
    }

    /// `<0x00>` to `<0xFF>`, which are found by their type or, without types, by their name.
    fn byte_tokens(&self) -> Box<[u32; 256]> {
        let mut by_name = foldhash::HashMap::default();
        for (id, token) in self.tokens.iter().enumerate() {
            if self.types.is_empty() || self.token_type(id as u32) == BYTE {
                by_name.entry(*token).or_insert(id as u32);
            }
        }
        parts::bytes_by_name(|name| by_name.get(name.as_bytes()).copied())
    }

    fn spm(&self) -> Result<Kind> {
        let vocab = self.vocab(|token| Some(token.to_vec()))?;
        let unknown = self.role("unknown_token_id", Some(0))?;
        let usable = |id| self.is_text(id);
        let model = Spm::new(&self.all_scores(), usable, self.byte_tokens(), unknown);
        let mut splits = Vec::new();
        if parts::spaces_start_tokens(vocab.iter()) {
            splits.push(Split::AtVisibleSpaces);
        }
        let prefix = self.flag("add_space_prefix", true)?;
        Ok(Kind {
            vocab,
            model: Model::Spm(model),
            normalizers: self.visible_spaces(prefix)?,
            splits,
            decoder: spaces_decoder(prefix),
            bos: true,
            eos: false,
        })
    }

    /// A file without scores takes earlier tokens first.
    fn all_scores(&self) -> Vec<f32> {
        if self.scores.is_empty() {
            return (0..self.tokens.len()).map(|id| -(id as f32)).collect();
        }
        self.scores.clone()
    }

    fn visible_spaces(&self, prefix: bool) -> Result<Vec<Normalize>> {
        let mut steps = Vec::new();
        let name = key("precompiled_charsmap");
        if let Some(map) = self.meta.get::<&Array>(&name)? {
            let map = Charsmap::parse(map.bytes()).map_err(|e| self.meta.refuse(&name, e))?;
            steps.push(Normalize::Charsmap(map));
        }
        if self.flag("remove_extra_whitespaces", false)? {
            steps.push(Normalize::FewSpaces);
        }
        if prefix {
            steps.push(Normalize::Prepend(" ".into()));
        }
        steps.push(Normalize::Replace {
            pattern: Pattern::Text(" ".into()),
            content: VISIBLE_SPACE.into(),
        });
        Ok(steps)
    }

    fn bpe(&self) -> Result<Kind> {
        let name = self.meta.get::<&str>(&key("pre"))?.unwrap_or("default");
        let family = family(name).ok_or_else(|| {
            let remedy = "use another conversion of the model, or a newer bessemer";
            let place = format!("key `{}`", key("pre"));
            let what = format!("pre-tokenizer {name:?}");
            Error::unsupported(self.meta.path(), place, what, remedy)
        })?;
        let unspelled = |token: &[u8]| parts::unspelled(std::str::from_utf8(token).ok()?);
        let vocab = self.vocab(unspelled)?;
        let mut merges = Merges::default();
        let listed = self.meta.require::<&Array>(&key("merges"))?;
        let Some(strings) = listed.strings() else {
            return Err(self.meta.refuse(&key("merges"), "is not a list of strings"));
        };
        if listed.len() > MOST_MERGES {
            let (len, most) = (grouped(listed.len()), grouped(MOST_MERGES));
            return Err(self
                .meta
                .refuse(&key("merges"), format!("has {len} entries, more than {most}")));
        }
        merges.reserve(listed.len());
        let mut whole = Vec::new();
        for (rank, merge) in strings.enumerate() {
            // A space can only be what parts the two: within tokens it is spelled otherwise.
            let halves = std::str::from_utf8(merge).ok();
            let Some((left, right)) = halves.and_then(|text| text.split_once(' ')) else {
                let why =
                    format!("has an entry {rank} that is not two tokens with a space between");
                return Err(self.meta.refuse(&key("merges"), why));
            };
            whole.clear();
            let is_spelled = parts::unspell_into(left, &mut whole);
            let middle = whole.len();
            if is_spelled && parts::unspell_into(right, &mut whole) {
                // A merge of tokens that do not exist can never happen.
                parts::add_merge(&mut merges, &vocab, rank as u32, &whole, middle, b"");
            }
        }
        let model = Bpe {
            merges,
            whole_words: family.whole_words,
            start: Start::Bytes(parts::bytes_as_they_are(&vocab)),
        };
        let normalizers = match family.composes {
            true => vec![Normalize::Nfc],
            false => Vec::new(),
        };
        let mut splits = family.splits;
        if self.flag("add_space_prefix", false)? {
            splits.insert(0, Split::PrefixSpace);
        }
        Ok(Kind {
            vocab,
            model: Model::Bpe(model),
            normalizers,
            splits,
            decoder: Decoder::default(),
            bos: family.starts_with_bos,
            eos: false,
        })
    }

    fn word_piece(&self) -> Result<Kind> {
        let vocab = self.vocab(|token| Some(token.to_vec()))?;
        let model = WordPiece {
            first_prefix: VISIBLE_SPACE.into(),
            continuing_prefix: String::new(),
            unknown: self.role("unknown_token_id", Some(100))?,
            most_chars: 100,
        };
        let bert = Bert {
            clean_text: true,
            handle_chinese_chars: true,
            strip_accents: Some(true),
            lowercase: true,
        };
        Ok(Kind {
            vocab,
            model: Model::WordPiece(model),
            normalizers: vec![Normalize::Bert(bert)],
            splits: vec![Split::Bert],
            decoder: spaces_decoder(true),
            bos: true,
            eos: true,
        })
    }

    fn unigram(&self) -> Result<Kind> {
        let vocab = self.vocab(|token| Some(token.to_vec()))?;
        let scores = self.all_scores().into_iter().map(f64::from).collect();
        let unknown = self.role("unknown_token_id", Some(2))?;
        let bytes = self.byte_tokens();
        let bytes = (bytes[0] != NO_TOKEN).then_some(bytes);
        let usable = |id| self.is_text(id);
        let model = Unigram::new(&vocab, scores, usable, unknown, bytes)
            .map_err(|e| self.meta.refuse(&key("tokens"), e))?;
        let prefix = self.flag("add_space_prefix", true)?;
        let mut normalizers = self.visible_spaces(false)?;
        normalizers.pop();
        let metaspace = Split::Metaspace {
            visible: VISIBLE_SPACE,
            prepend: if prefix { Prepend::Always } else { Prepend::Never },
            split: false,
        };
        Ok(Kind {
            vocab,
            model: Model::Unigram(model),
            normalizers,
            splits: vec![metaspace],
            decoder: spaces_decoder(prefix),
            bos: false,
            eos: true,
        })
    }

    fn world(&self) -> Result<Kind> {
        let refuse = |why: String| self.meta.refuse(&key("tokens"), why);
        let mut vocab = Vocab::new();
        for (id, token) in self.tokens.iter().enumerate() {
            let token =
                unescape(token).map_err(|why| refuse(format!("has a token {id} that {why}")))?;
            vocab.push(&token, self.is_text(id as u32)).map_err(refuse)?;
        }
        let usable = vocab.iter().zip(0..).filter(|(_, id)| self.is_text(*id));
        let model = World::new(usable, self.role("unknown_token_id", None)?).map_err(refuse)?;
        Ok(Kind {
            vocab,
            model: Model::World(model),
            normalizers: Vec::new(),
            splits: Vec::new(),
            decoder: Decoder::default(),
            bos: false,
            eos: false,
        })
    }

    fn assemble(self, model: &str, kind: Kind) -> Result<Tokenizer> {
        // What files of these kinds leave out is what their first models had.
        let (bos, eos) = match model {
            "llama" => (Some(1), Some(2)),
            "bert" => (Some(101), Some(102)),
            "t5" => (None, Some(1)),
            "rwkv" => (Some(0), Some(0)),
            _ => (None, None),
        };
        let mut bos = self.role("bos_token_id", bos)?;
        let mut last = self.role("eos_token_id", eos)?;
        let eos = last;
        if model == "bert" {
            bos = self.role("cls_token_id", bos)?;
            last = self.role("seperator_token_id", last)?;
        }
        let added = self.added(model, &kind.vocab)?;
        let more = [self.role("eot_token_id", None)?, self.role("eom_token_id", None)?];
        let ends = ends(&added, more.into_iter().chain([eos]).flatten());
        let special = (0..self.tokens.len() as u32)
            .filter(|id| matches!(self.token_type(*id), CONTROL | UNKNOWN))
            .collect();
        let affix = |on: bool, token: Option<u32>| token.filter(|_| on).into_iter().collect();
        Ok(Tokenizer {
            before: affix(self.flag("add_bos_token", kind.bos)?, bos),
            after: affix(self.flag("add_eos_token", kind.eos)?, last),
            added: AddedTokens::new(added, &kind.normalizers)
                .map_err(|e| self.meta.refuse(&key("tokens"), e))?,
            vocab: kind.vocab,
            normalizers: kind.normalizers,
            splits: kind.splits,
            spelled: false,
            model: kind.model,
            decoder: kind.decoder,
            roles: Roles { bos, eos, unknown: self.role("unknown_token_id", None)?, ends, special },
        })
    }

    /// Control tokens are special; tokens of a user's own are found always.
    fn added(&self, model: &str, vocab: &Vocab) -> Result<Vec<Added>> {
        let name = self.meta.get::<&str>("general.name")?.unwrap_or("");
        let is_phi3 = ["phi-3", "phi3"].iter().any(|phi| name.to_lowercase().contains(phi));
        let mut added = Vec::new();
        for (id, token) in self.tokens.iter().enumerate() {
            let special = match self.token_type(id as u32) {
                CONTROL | UNKNOWN => true,
                USER_DEFINED => false,
                _ => continue,
            };
            // Only these are spelled with escapes.
            let token = if model == "rwkv" { vocab.piece(id as u32) } else { Some(*token) };
            let Ok(content) = std::str::from_utf8(token.unwrap_or_default()) else {
                let why = format!("has the special token {id}, which is not UTF-8");
                return Err(self.meta.refuse(&key("tokens"), why));
            };
            // Phi-3's tokenizer drops what follows its marks; GGUF has no place to say so.
            let keeps = matches!(content, "<unk>" | "<s>" | "<|endoftext|>");
            added.push(Added {
                id: id as u32,
                content: content.to_owned(),
                rstrip: is_phi3 && special && !keeps,
                special,
                ..Added::default()
            });
        }
        Ok(added)
    }
}

/// Undoes visible spaces and the space put before text.
fn spaces_decoder(prefix: bool) -> Decoder {
    Decoder {
        steps: vec![
            Decode::Replace { pattern: Pattern::Text(VISIBLE_SPACE.into()), content: " ".into() },
            Decode::ByteFallback,
        ],
        strip_start: prefix.then_some((' ', 1)),
    }
}
