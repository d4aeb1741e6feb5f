//! Templates put together from pieces of others: whatever comes out, it ends without a panic.

use bessemer_jinja::{Limits, Template};
use serde_json::Value;

/// A small generator, so that every run tries the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }

    /// A piece of a text, at most `longest` characters.
    fn piece(&mut self, text: &[char], longest: usize) -> Vec<char> {
        let start = self.roll(text.len());
        let end = (start + 1 + self.roll(longest)).min(text.len());
        text[start.min(end)..end].to_vec()
    }
}

/// What templates choke on.
const ODD: [&str; 16] = [
    "{%",
    "%}",
    "{{",
    "}}",
    "{#",
    "-",
    "(",
    "]",
    "'",
    "\\",
    "é",
    "\u{0}",
    "99999999999",
    "1e308",
    "170141183460469231731687303715884105727",
    " | map('list') | list | tojson(indent=99)",
];

#[test]
fn mutated_templates_end() {
    let cases: Value = serde_json::from_slice(include_bytes!("../fixtures/cases.json")).unwrap();
    let corpus: Vec<Vec<char>> = cases["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| case["template"].as_str().unwrap().chars().collect())
        .collect();
    let limits = Limits { steps: 50_000, ..Limits::default() };
    let mut dice = Dice(7);
    let mut rendered = 0;
    for _ in 0..20_000 {
        let mut source = corpus[dice.roll(corpus.len())].clone();
        for _ in 0..=dice.roll(3) {
            let at = dice.roll(source.len() + 1);
            let insert: Vec<char> = match dice.roll(4) {
                0 => ODD[dice.roll(ODD.len())].chars().collect(),
                1 => dice.piece(&source.clone(), 20),
                _ => {
                    let other = &corpus[dice.roll(corpus.len())];
                    dice.piece(other, 40)
                }
            };
            let remove = dice.roll(4).min(source.len() - at);
            source.splice(at..at + remove, insert);
        }
        let source: String = source.into_iter().collect();
        let result = Template::with_limits(&source, limits)
            .and_then(|template| template.render(&cases["context"]));
        rendered += usize::from(result.is_ok());
    }
    // Enough of them are valid to reach everything.
    assert!(rendered > 2_000, "{rendered}");
}
