//! The prompt of a generation.

use crate::template::Chat;

/// What text is generated from. Texts and lists of tokens turn into one by themselves.
///
/// ```
/// use bessemer_llm::Prompt;
///
/// assert!(matches!(Prompt::from("Once upon a time"), Prompt::Text(_)));
/// assert!(matches!(Prompt::from(&[1, 2, 3][..]), Prompt::Tokens(_)));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Prompt<'a> {
    /// A text to go on with. Nothing in it steers the model, whatever it says.
    Text(&'a str),
    /// A chat to answer, by the model's template.
    Chat(&'a Chat),
    /// Tokens, as they are.
    Tokens(&'a [u32]),
}

impl<'a> From<&'a str> for Prompt<'a> {
    fn from(text: &'a str) -> Prompt<'a> {
        Prompt::Text(text)
    }
}

impl<'a> From<&'a String> for Prompt<'a> {
    fn from(text: &'a String) -> Prompt<'a> {
        Prompt::Text(text)
    }
}

impl<'a> From<&'a Chat> for Prompt<'a> {
    fn from(chat: &'a Chat) -> Prompt<'a> {
        Prompt::Chat(chat)
    }
}

impl<'a> From<&'a [u32]> for Prompt<'a> {
    fn from(tokens: &'a [u32]) -> Prompt<'a> {
        Prompt::Tokens(tokens)
    }
}

impl<'a> From<&'a Vec<u32>> for Prompt<'a> {
    fn from(tokens: &'a Vec<u32>) -> Prompt<'a> {
        Prompt::Tokens(tokens)
    }
}
