//! Words wrapped at the width of a terminal while they come in, piece by piece.

use super::visible;
use std::io::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Writes text to a terminal and breaks its lines between words. Without a width it passes text on.
pub(crate) struct Wrap<'o> {
    out: &'o mut dyn Write,
    columns: Option<usize>,
    /// The column after what was written.
    column: usize,
    /// Blanks after it: they are left out where a line breaks.
    blanks: String,
    /// The start of a word, until it is whole.
    word: String,
}

impl<'o> Wrap<'o> {
    pub(crate) fn new(out: &'o mut dyn Write, columns: Option<usize>) -> Wrap<'o> {
        Wrap { out, columns, column: 0, blanks: String::new(), word: String::new() }
    }

    pub(crate) fn write(&mut self, text: &str) -> io::Result<()> {
        let Some(columns) = self.columns else {
            self.out.write_all(text.as_bytes())?;
            return self.out.flush();
        };
        for c in visible(text).chars() {
            match c {
                '\n' => {
                    self.end_word(columns)?;
                    self.blanks.clear();
                    self.break_line()?;
                }
                ' ' | '\t' => {
                    self.end_word(columns)?;
                    self.blanks.push(c);
                }
                c => {
                    // Wide characters are words: scripts that have them have no blanks.
                    let wide = c.width() == Some(2);
                    if wide || self.word.width() + c.width().unwrap_or(0) > columns {
                        self.end_word(columns)?;
                    }
                    self.word.push(c);
                    if wide {
                        self.end_word(columns)?;
                    }
                }
            }
        }
        self.out.flush()
    }

    /// Writes the last word.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if let Some(columns) = self.columns {
            self.end_word(columns)?;
        }
        self.out.flush()
    }

    fn end_word(&mut self, columns: usize) -> io::Result<()> {
        if self.word.is_empty() {
            return Ok(());
        }
        let mut gap = 0;
        for c in self.blanks.chars() {
            let tab = 8 - (self.column + gap) % 8;
            gap += if c == '\t' { tab } else { 1 };
        }
        if self.column > 0 && self.column + gap + self.word.width() > columns {
            self.blanks.clear();
            self.break_line()?;
            gap = 0;
        }
        write!(self.out, "{}{}", self.blanks, self.word)?;
        self.column += gap + self.word.width();
        self.blanks.clear();
        self.word.clear();
        Ok(())
    }

    fn break_line(&mut self) -> io::Result<()> {
        self.column = 0;
        writeln!(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, columns: Option<usize>, piece: usize) -> String {
        let mut out = Vec::new();
        let mut wrap = Wrap::new(&mut out, columns);
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(piece) {
            wrap.write(&piece.iter().collect::<String>()).unwrap();
        }
        wrap.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_break_between_words_whatever_the_pieces() {
        for piece in [1, 3, 100] {
            let at = |text, columns| wrapped(text, Some(columns), piece);
            assert_eq!(at("one two three", 7), "one two\nthree");
            assert_eq!(at("one two\n  indented", 10), "one two\n  indented");
            assert_eq!(at("abcdefghij kl", 4), "abcd\nefgh\nij\nkl");
            assert_eq!(at("漢字漢字漢", 5), "漢字\n漢字\n漢");
            assert_eq!(at("a\n\nb ", 5), "a\n\nb");
            assert_eq!(at("a\tbb c", 10), "a\tbb\nc");
            // What is made visible takes its columns.
            assert_eq!(at("ab \x1b[0m", 9), "ab\n\\u001b[0m");
            assert_eq!(wrapped("one two\x1b three ", None, piece), "one two\x1b three ");
        }
    }
}
