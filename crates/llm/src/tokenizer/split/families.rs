//! The pre-tokenizer of each model family, by the name GGUF files give it.

use super::{Behavior, Pattern, Scan, Split};

/// What the name of a pre-tokenizer stands for.
pub(crate) struct Family {
    pub(crate) splits: Vec<Split>,
    /// Whether a word of the vocabulary is taken whole.
    pub(crate) whole_words: bool,
    /// Whether text is composed (NFC) first.
    pub(crate) composes: bool,
    /// Whether text starts with the beginning-of-text token when the file does not say.
    pub(crate) starts_with_bos: bool,
}

/// Signs as Falcon's and the oldest converters' pattern has them.
const SIGNS: &str = r"[\p{P}\$\+<=>\^~\|`]+";
const SIGNS_OF_DEFAULT: &str = r"[\p{P}\$\+<=>\^~\|]+";
const THREE_DIGITS: &str = "[0-9][0-9][0-9]";

const DEEPSEEK_CJK: &str = "[一-龥ࠀ-一가-\u{D7FF}]+";
const DEEPSEEK_SIGNS: &str = r"\s?[!-/:-~！-／：-～‘-‟\u{3000}-。]+";
/// Cased letters of the scripts that DeepSeek's first tokenizer knew.
const DEEPSEEK_LETTERS: &str = concat!(
    r"\s?[",
    r"A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚ",
    r"Ḁ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-\x{1F7D}ᾀ-ᾴᾶ-ᾼ\x{1FBE}ῂ-ῄῆ-ῌῐ-\x{1FD3}ῖ-\x{1FDB}ῠ-Ῥῲ-ῴῶ-ῼℂ",
    r"ℇℊ-ℓℕℙ-ℝℤ\x{2126}ℨ\x{212A}-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗ",
    r"Ａ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃",
    r"]+",
);
const DEEPSEEK_V3: [&str; 3] = [
    r"\p{N}{1,3}",
    "[一-龥\u{3040}-ゟ゠-ヿ]+",
    concat!(
        r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"##,
        r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
];
const BLOOM: &str = r" ?[^(\s|.,!?…。，、।۔،)]+";

/// Words whose capitals may start a new one, as Mistral's Tekken and GPT-4o cut them.
const CASED_WORDS: [&str; 2] = [
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
];
const CASED_REST: &str = r" ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const CONTRACTIONS: &str = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?";

/// The family of a pre-tokenizer's name; `None` if nobody here knows it.
pub(crate) fn family(name: &str) -> Option<Family> {
    let gpt2 = Split::Scan(Scan::Gpt2);
    let llama3 = |digits| vec![Split::Scan(Scan::Llama3 { digits })];
    let single_digits = || vec![at(r"\p{N}"), gpt2.clone()];
    let [lower, upper] = CASED_WORDS;
    let splits = match name {
        "default" => vec![at(SIGNS_OF_DEFAULT), gpt2, at(r"\p{N}+"), at(THREE_DIGITS)],
        "gpt-2" | "phi-2" | "roberta-bpe" | "mpt" | "olmo" | "jais" | "trillion" | "gigachat"
        | "jina-es" | "jina-de" | "jina-v1-en" | "jina-v2-es" | "jina-v2-de" | "jina-v2-code" => {
            vec![gpt2]
        }
        "llama3" | "llama-v3" | "llama-bpe" | "falcon3" | "falcon-h1" | "pixtral" | "midm-2.0"
        | "lfm2" | "dbrx" | "smaug-bpe" | "glm4" | "chatglm-bpe" => llama3(3),
        "qwen2" | "deepseek-r1-qwen" | "stablelm2" | "megrez" | "kormo" => llama3(1),
        "smollm" | "starcoder" | "refact" | "command-r" | "codeshell" | "exaone" | "minerva-7b" => {
            single_digits()
        }
        "falcon" => vec![at(SIGNS), gpt2, at(THREE_DIGITS)],
        "deepseek-llm" => vec![
            at(r"[\r\n]"),
            at(DEEPSEEK_LETTERS),
            at(DEEPSEEK_SIGNS),
            at(r"\s+$"),
            at(DEEPSEEK_CJK),
            at(r"\p{N}"),
        ],
        "deepseek-coder" => {
            vec![at(r"[\r\n]"), at(r"\s?\p{L}+"), at(r"\s?\p{P}+"), at(DEEPSEEK_CJK), at(r"\p{N}")]
        }
        "deepseek-v3" | "hunyuan-dense" => DEEPSEEK_V3.into_iter().map(at).collect(),
        "poro-chat" | "bloom" | "gpt3-finnish" => vec![at(BLOOM)],
        "viking" => vec![at(BLOOM), at(r"\p{N}")],
        "tekken" => vec![at(&format!(r"{lower}|{upper}|\p{{N}}|{CASED_REST}"))],
        "gpt-4o" | "llama4" => vec![at(&format!(
            r"{lower}{CONTRACTIONS}|{upper}{CONTRACTIONS}|\p{{N}}{{1,3}}|{CASED_REST}"
        ))],
        _ => return None,
    };
    let is_llama3 = matches!(
        name,
        "llama3"
            | "llama-v3"
            | "llama-bpe"
            | "falcon3"
            | "falcon-h1"
            | "pixtral"
            | "midm-2.0"
            | "lfm2"
    );
    Some(Family {
        splits,
        whole_words: is_llama3 || name == "tekken",
        starts_with_bos: is_llama3 || name == "tekken",
        composes: matches!(name, "qwen2" | "deepseek-r1-qwen" | "olmo" | "mpt"),
    })
}

fn at(source: &str) -> Split {
    Split::Pattern {
        pattern: Pattern::regex(source).expect("a pattern of ours compiles: tests try all"),
        behavior: Behavior::Isolated,
        invert: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::{
        limits::{Growth, Watch},
        split::Pieces,
    };
    use std::borrow::Cow;

    fn cut(name: &str, text: &str) -> Vec<String> {
        let mut pieces = Pieces::whole(Cow::Borrowed(text), true);
        for split in family(name).unwrap().splits {
            let growth = Growth::of_text(text.len());
            split.apply(&mut pieces, &Watch::new(text.len(), None), growth).unwrap();
        }
        pieces.words().map(str::to_owned).collect()
    }

    #[test]
    fn every_name_has_sound_patterns() {
        for name in [
            "default",
            "gpt-2",
            "llama-bpe",
            "qwen2",
            "smollm",
            "falcon",
            "deepseek-llm",
            "deepseek-coder",
            "deepseek-v3",
            "bloom",
            "viking",
            "tekken",
            "gpt-4o",
        ] {
            let text = "Hello, World's 1234 漢字 \r\n\t ünïcode €5!";
            assert_eq!(cut(name, text).concat(), text, "{name}");
        }
        assert!(family("no-such").is_none());
    }

    #[test]
    fn digits_tell_families_apart() {
        assert_eq!(cut("gpt-2", "a 12345"), ["a", " 12345"]);
        assert_eq!(cut("llama-bpe", "a 12345"), ["a", " ", "123", "45"]);
        assert_eq!(cut("qwen2", "a 123"), ["a", " ", "1", "2", "3"]);
        assert_eq!(cut("smollm", "a 12"), ["a", " ", "1", "2"]);
        assert_eq!(cut("falcon", "a 12345"), ["a", " ", "123", "45"]);
        assert_eq!(cut("default", "a 1234"), ["a", " ", "123", "4"]);
    }

    /// As Hugging Face's library cuts them: no small vocabulary shows every one of these cuts.
    #[test]
    fn deepseek_cuts_where_a_later_step_does() {
        // The signs reach from `:` to `~`, past the letters of ASCII.
        let cuts = cut("deepseek-llm", "Größe 12३४ ไ  \r\n漢字、 ok!  ");
        let start = ["Gr", "öß", "e", " ", "1", "2", "३", "४", " ", "ไ", "  "];
        assert_eq!(cuts[..11], start);
        assert_eq!(cuts[11..], ["\r", "\n", "漢字", "、", " ok", "!", "  "]);
    }
}
