//! Lines that people type, with editing and history, or that come from a pipe.

use super::complete::Words;
use crate::fault::Fault;
use anyhow::Context;
use etcetera::BaseStrategy;
use rustyline::{Config, Editor, error::ReadlineError, history::FileHistory};
use std::{
    fs,
    io::{self, BufRead, IsTerminal},
    path::{Path, PathBuf},
};

/// Lines that the history keeps, and the bytes of a line that is worth it.
const MOST_LINES: usize = 1000;
const MOST_BYTES: usize = 10_000;

/// Where lines come from.
pub(super) enum Lines {
    Terminal { editor: Box<Editor<Words, FileHistory>>, history: Option<PathBuf> },
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
        let config = Config::builder().max_history_size(MOST_LINES).map(|config| config.build());
        let editor = config.and_then(Editor::with_config);
        let mut editor = editor.context("chat: cannot use the terminal")?;
        editor.set_helper(Some(Words));
        let history = history_file();
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

    /// Keeps a line for this time and the next. One that can't be recalled is still a line.
    fn finish(&mut self, line: String) -> Line {
        if let Lines::Terminal { editor, history } = self
            && line.len() <= MOST_BYTES
            && editor.add_history_entry(&line).unwrap_or(false)
            && let Some(history) = history
        {
            let _ = fs::create_dir_all(history.parent().unwrap_or(Path::new("")));
            let _ = editor.append_history(history);
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
                        Err(anyhow::Error::from(error).context("chat: cannot read a line").into())
                    }
                }
            }
            Lines::Pipe => {
                let mut line = String::new();
                let read = io::stdin().lock().read_line(&mut line);
                if read.context("stdin: cannot be read as UTF-8 text")? == 0 {
                    return Ok(Line::End);
                }
                Ok(Line::Text(line.trim_end_matches(['\n', '\r']).to_owned()))
            }
        }
    }
}

/// Where the history is kept: in the folder of the system for what programs remember. Only its owner can
/// read it.
fn history_file() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    let folder = folders.state_dir().unwrap_or_else(|| folders.data_dir());
    Some(folder.join("bessemer").join("history"))
}
