//! Our lexer held against clang's: the same tokens at the same places, over random lines.

use super::lex::is_floating;
use super::rewrite::literal;
use super::token::{Kind, Source};
use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

/// Numbers that are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn digits(&mut self, of: &str, most: usize) -> String {
        let n = 1 + self.below(most);
        (0..n)
            .map(|_| {
                self.pick(&of.split("").filter(|d| !d.is_empty()).collect::<Vec<_>>()).to_string()
            })
            .collect()
    }
}

/// An integer, in any base and with any suffix.
fn integer(r: &mut Random) -> String {
    let suffix = r.pick(&["", "", "", "u", "U", "l", "ul", "LU", "ull"]);
    let digits = match r.below(5) {
        0 => format!("0x{}", r.digits("0123456789abcdefABCDEF", 8)),
        1 => format!(
            "0X{}{}",
            r.digits("0123456789abcdef", 4),
            r.pick(&["bf", "BF", "f", "ef", "bF"])
        ),
        2 => format!("0b{}", r.digits("01", 8)),
        3 => format!("0{}", r.digits("01234567", 5)),
        _ => format!("{}{}", r.pick(&["1", "9", "12", "1'000"]), r.digits("0123456789", 4)),
    };
    digits + suffix
}

/// A floating number, and whether clang needs it written otherwise.
fn floating(r: &mut Random) -> (String, bool) {
    let digits = "0123456789";
    let number = match r.below(5) {
        0 => format!("{}.{}", r.digits(digits, 3), r.digits(digits, 3)),
        1 => format!(".{}", r.digits(digits, 3)),
        2 => format!("{}.", r.digits(digits, 3)),
        3 => format!(
            "{}{}{}",
            r.digits(digits, 3),
            r.pick(&["e", "E", "e+", "e-", ".5E-"]),
            r.digits(digits, 1)
        ),
        _ => format!(
            "0x{}{}{}",
            r.pick(&["1", "f", "bf", "1.8", "0.ebf"]),
            r.pick(&["p", "P+", "p-"]),
            r.digits(digits, 1)
        ),
    };
    let suffix = r.pick(&["", "f", "F", "h", "H", "bf", "BF"]);
    (format!("{number}{suffix}"), matches!(suffix, "" | "bf" | "BF"))
}

fn piece(r: &mut Random) -> String {
    match r.below(8) {
        0 | 1 => r
            .pick(&["a", "u8", "L", "x1", "e", "p", "_", "$v", "caf\u{e9}", "float4", "bf", "uR"])
            .into(),
        2 => integer(r),
        3 => floating(r).0,
        4 => r
            .pick(&[
                "\"s\"",
                "\"a\\\"b\"",
                "u8\"x\"",
                "L'c'",
                "'\\''",
                "\"\"_s",
                "R\"(a\"b)\"",
                "uR\"-(x)\")-\"",
            ])
            .into(),
        5 => r
            .pick(&[
                "1.e", "0x1e+3", "1p+2", "0x1p+2_a", "1_x+", "1..2", "1.5.x", "08", "0xg", "1e+-",
            ])
            .into(),
        _ => r
            .pick(&[
                "<:", ":>", "<%", "%>", "<::", "<::>", "::", "->", "...", "<<=", "(", ")", "[",
                "]", "+", "-", ".", ",", "*", "&&", "=", "%", ":", ">>",
            ])
            .into(),
    }
}

/// A line of pieces, some with nothing between them. Comments, directives and trigraphs are gone
/// once a file is preprocessed, and what ends in no quote is no program.
fn line(r: &mut Random) -> String {
    let mut out = String::from("x ");
    for _ in 0..1 + r.below(7) {
        let next = piece(r);
        let last = out.chars().next_back().unwrap_or(' ');
        let quote = next.contains(['"', '\'']);
        let word = last.is_alphanumeric() || matches!(last, '_' | '$' | '\'' | '.');
        let hash = last == '%' && next.starts_with(':');
        if (quote && word) || last == '\'' || hash || r.below(3) == 0 {
            out.push_str(r.pick(&[" ", "\t", "  ", "\u{b}"]));
        }
        out.push_str(&next);
    }
    out
}

/// Where words, numbers and quotes are, and which bytes are punctuation, by line.
type Tokens = BTreeMap<(usize, usize), String>;

fn ours(text: &str) -> Tokens {
    let source = Source::new(text.to_string());
    let mut out = Tokens::new();
    for (i, t) in source.tokens.iter().enumerate() {
        let start = t.start - source.text[..t.start].rfind('\n').map_or(0, |n| n + 1);
        match t.kind {
            Kind::Punct => {
                for (k, c) in source.text(i).char_indices() {
                    out.insert((t.line, start + k), c.to_string());
                }
            }
            _ => drop(out.insert((t.line, start), source.text(i).to_string())),
        }
    }
    out
}

fn clangs(text: &str) -> Tokens {
    let clang = crate::compile::Clang::find(Default::default()).unwrap();
    let mut child = Command::new(clang.path())
        .args(["-x", "c++", "-std=c++14", "-w", "-fsyntax-only", "-Xclang", "-dump-tokens", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let whole = text.to_string();
    let writer = std::thread::spawn(move || stdin.write_all(whole.as_bytes()).unwrap());
    let dump = child.wait_with_output().unwrap().stderr;
    writer.join().unwrap();
    let mut out = Tokens::new();
    for entry in String::from_utf8(dump).unwrap().lines() {
        // `identifier 'x'	 [StartOfLine]	Loc=<<stdin>:1:1>`
        let Some((kind, rest)) = entry.split_once(' ') else { continue };
        let Some((spelling, place)) = rest.rsplit_once("Loc=<<stdin>:") else { continue };
        let spelling = spelling.split('\t').next().unwrap_or("").trim();
        let spelling = &spelling[1..spelling.len() - 1];
        let mut place = place.trim_end_matches('>').split(':').map(|n| n.parse::<usize>().unwrap());
        let (line, column) = (place.next().unwrap(), place.next().unwrap() - 1);
        let plain = match spelling {
            "<:" => "[",
            ":>" => "]",
            "<%" => "{",
            "%>" => "}",
            other => other,
        };
        let whole =
            kind.contains("identifier") || kind.contains("constant") || kind.contains("literal");
        if whole {
            out.insert((line, column), plain.to_string());
        } else {
            for (k, c) in plain.char_indices() {
                out.insert((line, column + k), c.to_string());
            }
        }
    }
    out
}

#[test]
fn random_lines_are_split_as_clang_splits_them() {
    let mut r = Random(20_240_607);
    let lines: Vec<String> = (0..6000).map(|_| line(&mut r)).collect();
    let text = lines.join("\n") + "\n";
    let (mine, theirs) = (ours(&text), clangs(&text));
    let mut wrong: Vec<usize> = mine
        .iter()
        .filter(|(k, v)| theirs.get(k) != Some(v))
        .chain(theirs.iter().filter(|(k, v)| mine.get(k) != Some(v)))
        .map(|((line, _), _)| *line)
        .collect();
    wrong.sort_unstable();
    wrong.dedup();
    let on = |of: &Tokens, n: usize| {
        of.range((n, 0)..(n + 1, 0)).map(|(_, v)| v.clone()).collect::<Vec<_>>().join(" ")
    };
    for &n in wrong.iter().take(8) {
        let line = &lines[n - 1];
        eprintln!("{line}\n  ours:  {}\n  clang: {}", on(&mine, n), on(&theirs, n));
    }
    assert!(wrong.is_empty(), "{} of {} lines differ", wrong.len(), lines.len());
    assert!(theirs.len() > 20_000, "clang said nothing");
}

#[test]
fn literals_are_what_they_were_made_as() {
    let mut r = Random(7);
    for _ in 0..20_000 {
        let text = integer(&mut r);
        assert!(!is_floating(&text) && literal(&text).is_none(), "{text}");
        let (text, rewritten) = floating(&mut r);
        assert!(is_floating(&text), "{text}");
        assert_eq!(literal(&text).is_some(), rewritten, "{text}");
    }
}
