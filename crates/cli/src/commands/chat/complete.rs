//! What Tab completes in a chat: the commands, and the names of settings after `/set`.

use super::orders::ORDERS;
use bessemer_llm::SETTINGS;
use rustyline::{
    Context, Helper, completion::Completer, error::ReadlineError, highlight::Highlighter,
    hint::Hinter, validate::Validator,
};

/// The words that chats know.
pub(super) struct Words;

/// The words that a line may go on with, and where they start.
fn completions(line: &str) -> (usize, Vec<String>) {
    let starting = |words: &mut dyn Iterator<Item = &'static str>, start: &str| {
        words.filter(|word| word.starts_with(start)).map(|word| format!("{word} ")).collect()
    };
    if let Some(name) = line.strip_prefix("/set ") {
        let mut names = SETTINGS.iter().map(|setting| setting.name).chain(["system"]);
        return (line.len() - name.len(), starting(&mut names, name));
    }
    match line.starts_with('/') {
        true => (0, starting(&mut ORDERS.into_iter(), line)),
        false => (line.len(), Vec::new()),
    }
}

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> Result<(usize, Vec<String>), ReadlineError> {
        Ok(completions(&line[..at]))
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}
impl Validator for Words {}
impl Helper for Words {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_and_settings_are_completed_and_nothing_else() {
        assert_eq!(completions("/re"), (0, vec!["/reset ".to_owned()]));
        assert_eq!(completions("/").1.len(), ORDERS.len());
        let tops = vec!["top_k ".to_owned(), "top_p ".to_owned()];
        assert_eq!(completions("/set to"), (5, tops));
        assert_eq!(completions("/set sys").1, ["system "]);
        for line in ["", "re", "//re", "/set top_k 4", "/save x"] {
            assert!(completions(line).1.is_empty(), "{line}");
        }
    }
}
