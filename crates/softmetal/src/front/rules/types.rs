//! What a few words of a declaration mean as a type, as far as that can be told without a compiler.

use super::super::items::ItemKind;
use super::Look;
use std::collections::HashMap;

/// A scalar (one element) or a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) element: &'static str,
    pub(super) width: u32,
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.width {
            1 => write!(f, "{}", self.element),
            n => write!(f, "{}{n}", self.element),
        }
    }
}

/// Every spelling of the scalar types.
const SCALARS: &[(&str, &str)] = &[
    ("bool", "bool"),
    ("char", "char"),
    ("signed char", "char"),
    ("int8_t", "char"),
    ("uchar", "uchar"),
    ("unsigned char", "uchar"),
    ("uint8_t", "uchar"),
    ("short", "short"),
    ("short int", "short"),
    ("int16_t", "short"),
    ("ushort", "ushort"),
    ("unsigned short", "ushort"),
    ("unsigned short int", "ushort"),
    ("uint16_t", "ushort"),
    ("int", "int"),
    ("signed", "int"),
    ("signed int", "int"),
    ("int32_t", "int"),
    ("uint", "uint"),
    ("unsigned", "uint"),
    ("unsigned int", "uint"),
    ("uint32_t", "uint"),
    ("long", "long"),
    ("long int", "long"),
    ("int64_t", "long"),
    ("ptrdiff_t", "long"),
    ("ulong", "ulong"),
    ("unsigned long", "ulong"),
    ("unsigned long int", "ulong"),
    ("uint64_t", "ulong"),
    ("size_t", "ulong"),
    ("half", "half"),
    ("float", "float"),
    ("bfloat", "bfloat"),
    ("double", "double"),
];

/// The types that a file's own names stand for.
pub(super) struct Types {
    aliases: HashMap<String, Vec<String>>,
}

impl Types {
    /// Collects `using A = T;` and `typedef T A;`.
    pub(super) fn new(look: &Look<'_>) -> Types {
        let source = look.source;
        let mut aliases = HashMap::new();
        let plain = look.items.iter().filter(|i| i.kind == ItemKind::Other && i.template.is_none());
        for item in plain {
            let last = item.tokens.end.saturating_sub(1);
            let (name, words) = match source.text(item.start) {
                "using" if source.is(item.start + 2, "=") => (item.start + 1, item.start + 3..last),
                "typedef" => (last.saturating_sub(1), item.start + 1..last.saturating_sub(1)),
                _ => continue,
            };
            let words = words.map(|i| source.text(i).to_string()).collect();
            aliases.insert(source.text(name).to_string(), words);
        }
        Types { aliases }
    }

    /// The shape that words such as `const`, `metal`, `::`, `uint3` spell.
    pub(super) fn shape<'t>(&self, words: impl Iterator<Item = &'t str>) -> Option<Shape> {
        self.resolve(&words.map(String::from).collect::<Vec<_>>(), 8)
    }

    fn resolve(&self, words: &[String], depth: u32) -> Option<Shape> {
        let kept: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .filter(|w| !matches!(*w, "const" | "volatile" | "metal" | "simd" | "::" | "typename"))
            .collect();
        if let ["vec", "<", element @ .., ",", width, ">"] = &kept[..] {
            let element = scalar(&element.join(" "))?;
            return Some(Shape { element, width: width.parse().ok()? });
        }
        let joined = kept.join(" ");
        if let Some(element) = scalar(&joined) {
            return Some(Shape { element, width: 1 });
        }
        if let Some(own) = self.aliases.get(&joined) {
            return if depth > 0 { self.resolve(own, depth - 1) } else { None };
        }
        let name = joined.strip_prefix("vector_").unwrap_or(&joined);
        let width = name.chars().last()?.to_digit(10).filter(|n| (2..=4).contains(n))?;
        let element = SCALARS.iter().find(|(s, e)| s == e && *s == &name[..name.len() - 1])?.1;
        Some(Shape { element, width })
    }
}

fn scalar(spelled: &str) -> Option<&'static str> {
    SCALARS.iter().find(|(s, _)| *s == spelled).map(|(_, e)| *e)
}

/// Whether a word is the name of a built-in scalar, vector or matrix type.
pub(super) fn is_builtin(word: &str) -> bool {
    let word = word.strip_prefix("packed_").unwrap_or(word);
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == 'x');
    let named = |w: &str| SCALARS.iter().any(|(s, _)| *s == w);
    named(word) || named(stem) && stem != "int_t"
}
