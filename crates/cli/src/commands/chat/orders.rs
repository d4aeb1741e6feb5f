//! Chat commands: lines that start with a slash.

use bessemer_llm::SETTINGS;
use std::path::PathBuf;

/// A chat command.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Order {
    Help,
    Reset,
    Save(PathBuf),
    Load(PathBuf),
    /// All settings, or one to change.
    Set(Option<(String, String)>),
    Quit,
}

/// What can be typed, in the order of help.
pub(super) const ORDERS: [&str; 6] = ["/help", "/reset", "/save", "/load", "/set", "/quit"];

const HELP: &str = "\
/reset            clear the conversation
/save FILE        save the conversation to a file
/load FILE        load a conversation from a file
/set              show the settings
/set KEY VALUE    change a setting; `none` unsets it, if it can be unset
/quit             quit (so does Ctrl-D)
Tab completes commands and settings. A line that ends in \\ continues on the next. A line that starts
with // is sent with one slash.
Settings:
  system               The system prompt";

/// The text of `/help`.
pub(super) fn help() -> String {
    SETTINGS.iter().fold(HELP.to_owned(), |help, setting| {
        format!("{help}\n  {:<20} {}", setting.name, setting.help)
    })
}

impl Order {
    /// The command in a line; `None` if the line is for the model, an error if it is unknown.
    pub(super) fn parse(line: &str) -> Option<Result<Order, String>> {
        let words = line.trim_end().strip_prefix('/')?;
        if words.starts_with('/') {
            return None;
        }
        let (name, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        let rest = rest.trim();
        let file = || match rest {
            "" => Err(format!("/{name}: no file was given; type /{name} FILE")),
            file => Ok(PathBuf::from(file)),
        };
        Some(match name {
            "help" | "?" => Ok(Order::Help),
            "reset" => Ok(Order::Reset),
            "save" => file().map(Order::Save),
            "load" => file().map(Order::Load),
            "quit" | "exit" | "bye" => Ok(Order::Quit),
            "set" => match rest.split_once(char::is_whitespace) {
                Some((key, value)) => {
                    Ok(Order::Set(Some((key.to_owned(), value.trim().to_owned()))))
                }
                None if rest.is_empty() => Ok(Order::Set(None)),
                None => Err(format!("/set {rest}: no value was given; type /set {rest} VALUE")),
            },
            other => Err(format!("/{other}: unknown command; /help lists them")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_a_slash_are_orders() {
        assert_eq!(Order::parse("hello /help"), None);
        assert_eq!(Order::parse("//help"), None);
        assert_eq!(Order::parse("/help"), Some(Ok(Order::Help)));
        assert_eq!(Order::parse("/save a b.json "), Some(Ok(Order::Save("a b.json".into()))));
        let set = Order::Set(Some(("top_k".into(), "3".into())));
        assert_eq!(Order::parse("/set top_k  3"), Some(Ok(set)));
        assert_eq!(Order::parse("/set"), Some(Ok(Order::Set(None))));
        for wrong in ["/save", "/load ", "/set top_k", "/fly", "/"] {
            assert!(matches!(Order::parse(wrong), Some(Err(_))), "{wrong}");
        }
    }
}
