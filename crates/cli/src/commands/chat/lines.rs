//! Lines that people type, with editing and history, or that come from a pipe.

use crate::fault::Fault;
use anyhow::Context;
use rustyline::{DefaultEditor, error::ReadlineError};
use std::{
    io::{self, BufRead, IsTerminal},
    path::PathBuf,
};

/// Where lines come from.
pub(super) enum Lines {
    Terminal { editor: Box<DefaultEditor>, history: Option<PathBuf> },
    Pipe,
}

/// What came.
pub(super) enum Line {
    Text(String),
    /// Ctrl-C at the prompt.
    Interrupted,
    /// Ctrl-D, or the end of the pipe.
    End,
}

impl Lines {
    pub(super) fn open() -> Result<Lines, Fault> {
        if !io::stdin().is_terminal() {
            return Ok(Lines::Pipe);
        }
        let mut editor = DefaultEditor::new().context("cannot use the terminal")?;
        let store = bessemer_store::Store::of_user().ok();
        // Hidden, and no model.
        let history = store.map(|store| store.folder().join(".history"));
        if let Some(history) = &history {
            // There is none the first time.
            let _ = editor.load_history(history);
        }
        Ok(Lines::Terminal { editor: Box::new(editor), history })
    }

    pub(super) fn is_terminal(&self) -> bool {
        matches!(self, Lines::Terminal { .. })
    }

    /// The next line; one that ends in `\` goes on in the one after it.
    pub(super) fn next(&mut self) -> Result<Line, Fault> {
        let mut whole = String::new();
        loop {
            let line = match self.read(whole.is_empty())? {
                Line::Text(line) => line,
                // What was begun counts.
                Line::End if !whole.is_empty() => return Ok(self.finish(whole)),
                other => return Ok(other),
            };
            whole.push_str(line.strip_suffix('\\').unwrap_or(&line));
            if !line.ends_with('\\') {
                return Ok(self.finish(whole));
            }
            whole.push('\n');
        }
    }

    fn finish(&mut self, line: String) -> Line {
        if let Lines::Terminal { editor, .. } = self {
            // A line that can't be recalled is still a line.
            let _ = editor.add_history_entry(&line);
        }
        Line::Text(line)
    }

    fn read(&mut self, first: bool) -> Result<Line, Fault> {
        match self {
            Lines::Terminal { editor, .. } => {
                match editor.readline(if first { "> " } else { ". " }) {
                    Ok(line) => Ok(Line::Text(line)),
                    Err(ReadlineError::Interrupted) => Ok(Line::Interrupted),
                    Err(ReadlineError::Eof) => Ok(Line::End),
                    Err(error) => {
                        Err(anyhow::Error::from(error).context("cannot read a line").into())
                    }
                }
            }
            Lines::Pipe => {
                let mut line = String::new();
                let read = io::stdin().lock().read_line(&mut line);
                if read.context("cannot read stdin as UTF-8 text")? == 0 {
                    return Ok(Line::End);
                }
                Ok(Line::Text(line.trim_end_matches(['\n', '\r']).to_owned()))
            }
        }
    }

    /// Keeps the history for the next time.
    pub(super) fn close(mut self) {
        if let Lines::Terminal { editor, history: Some(history) } = &mut self {
            if let Some(folder) = history.parent() {
                let _ = std::fs::create_dir_all(folder);
            }
            // A conversation that can't be recalled was still one.
            let _ = editor.save_history(history);
        }
    }
}
