//! The patterns of GPT-2 and of Llama 3, by hand: they look ahead, which costs a general engine
//! more than everything else in a tokenizer. Tests hold them to the expressions they stand for.

use crate::tokenizer::chars::{Class, class};

/// A pattern whose matches cover every text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scan {
    /// Words with the space before them, runs of digits, runs of signs.
    Gpt2,
    /// Words with whatever sign is before them, up to so many digits at once, signs with the line
    /// ends after them.
    Llama3 { digits: usize },
}

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const LLAMA3: [&str; 2] = [
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
];

impl Scan {
    /// The scan that does what an expression does, if there is one.
    pub(crate) fn of(source: &str) -> Option<Scan> {
        if source == GPT2 {
            return Some(Scan::Gpt2);
        }
        let digits = source.strip_prefix(LLAMA3[0])?.strip_suffix(LLAMA3[1])?;
        match digits {
            "" => Some(Scan::Llama3 { digits: 1 }),
            "{1,2}" => Some(Scan::Llama3 { digits: 2 }),
            "{1,3}" => Some(Scan::Llama3 { digits: 3 }),
            _ => None,
        }
    }

    /// Where each match ends.
    pub(super) fn cut(self, text: &str, ends: &mut Vec<usize>) {
        let mut at = 0;
        while at < text.len() {
            at = self.next(text, at);
            ends.push(at);
        }
    }

    /// The end of the match that starts at `at`, which is before the end of the text.
    fn next(self, text: &str, at: usize) -> usize {
        let any_case = self != Scan::Gpt2;
        let mut rest = Chars { text, at };
        let Some((first, kind)) = rest.next() else {
            return text.len();
        };
        if first == '\''
            && let Some(end) = contraction(text, rest.at, any_case)
        {
            return end;
        }
        let following = rest.peek();
        // What may stand before a word or a run of signs and go with it.
        let joins_word = match self {
            Scan::Gpt2 => first == ' ',
            Scan::Llama3 { .. } => !matches!(kind, Class::Letter | Class::Number | Class::LineEnd),
        };
        match (kind, following) {
            (Class::Letter, _) => rest.skip(Class::Letter),
            (_, Some(Class::Letter)) if joins_word => rest.skip(Class::Letter),
            (Class::Number, _) => self.number(rest),
            (_, Some(Class::Number)) if first == ' ' && self == Scan::Gpt2 => {
                rest.skip(Class::Number)
            }
            (Class::Other, _) => self.signs(rest),
            (_, Some(Class::Other)) if first == ' ' => self.signs(rest),
            _ => self.spaces(text, at),
        }
    }

    fn number(self, mut rest: Chars<'_>) -> usize {
        match self {
            Scan::Gpt2 => rest.skip(Class::Number),
            Scan::Llama3 { digits } => {
                for _ in 1..digits {
                    if rest.peek() != Some(Class::Number) {
                        break;
                    }
                    rest.next();
                }
                rest.at
            }
        }
    }

    fn signs(self, mut rest: Chars<'_>) -> usize {
        rest.skip(Class::Other);
        match self {
            Scan::Gpt2 => rest.at,
            Scan::Llama3 { .. } => rest.skip(Class::LineEnd),
        }
    }

    /// A run of spaces: up to its last line end (Llama 3), else up to the last space, which goes
    /// with what follows, unless there is nothing or only one space.
    fn spaces(self, text: &str, at: usize) -> usize {
        let mut rest = Chars { text, at };
        let (mut last, mut line_end) = (at, None);
        while matches!(rest.peek(), Some(Class::Space | Class::LineEnd)) {
            last = rest.at;
            if matches!(rest.next(), Some((_, Class::LineEnd))) {
                line_end = Some(rest.at);
            }
        }
        match line_end {
            Some(end) if self != Scan::Gpt2 => end,
            _ if rest.at == text.len() || last == at => rest.at,
            _ => last,
        }
    }
}

/// Characters with their classes.
struct Chars<'a> {
    text: &'a str,
    at: usize,
}

impl Chars<'_> {
    fn next(&mut self) -> Option<(char, Class)> {
        let c = self.text[self.at..].chars().next()?;
        self.at += c.len_utf8();
        Some((c, class(c)))
    }

    fn peek(&self) -> Option<Class> {
        self.text[self.at..].chars().next().map(class)
    }

    /// Passes over all characters of a class that follow; where that ends.
    fn skip(&mut self, over: Class) -> usize {
        while self.peek() == Some(over) {
            self.next();
        }
        self.at
    }
}

/// The end of `'s`, `'re` and the like whose letters start at `at`.
fn contraction(text: &str, at: usize, any_case: bool) -> Option<usize> {
    let fold = |c: char| match c {
        // The long s is an s in any case.
        'ſ' if any_case => 's',
        c if any_case => c.to_ascii_lowercase(),
        c => c,
    };
    let mut letters = text[at..].chars();
    let first = letters.next()?;
    let end = at + first.len_utf8();
    match fold(first) {
        's' | 't' | 'm' | 'd' => Some(end),
        c @ ('r' | 'v' | 'l') => {
            let second = letters.next()?;
            let wanted = if c == 'l' { 'l' } else { 'e' };
            (fold(second) == wanted).then_some(end + second.len_utf8())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::{limits::Watch, split::Pattern};
    use proptest::prelude::*;
    use std::sync::LazyLock;

    /// Each scan with the expression it stands for.
    static PAIRS: LazyLock<Vec<(Scan, Pattern)>> = LazyLock::new(|| {
        let llama3 = |digits| format!("{}{digits}{}", LLAMA3[0], LLAMA3[1]);
        let sources = [GPT2.to_owned(), llama3(""), llama3("{1,3}")];
        let pair = |source: &String| (Scan::of(source).unwrap(), Pattern::regex(source).unwrap());
        sources.iter().map(pair).collect()
    });

    fn agree(text: &str) {
        for (scan, pattern) in PAIRS.iter() {
            let (mut scanned, mut matched) = (Vec::new(), Vec::new());
            scan.cut(text, &mut scanned);
            let watch = Watch::new(text.len(), None);
            let push = &mut |range: std::ops::Range<usize>| {
                matched.push(range.end);
                Ok(())
            };
            pattern.matches(text, &watch, push).unwrap();
            assert_eq!(scanned, matched, "{text:?} by {scan:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn scans_agree_with_their_expressions(text in "[ab'sSreVE\u{17f}0-9٣ \t\r\n\u{a0}\u{3000}.,!é漢\u{301}😀-]{0,24}") {
            agree(&text);
        }

        #[test]
        fn on_any_text(text in "\\PC{0,40}") {
            agree(&text);
        }
    }
}
