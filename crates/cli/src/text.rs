//! Text for people: tables, units. How text reaches a terminal or a pipe is in `terminal`.

use crate::terminal::visible;
pub(crate) use crate::terminal::{BAD, BOLD, DIM, GOOD, PLAIN, Style, WARN};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Rows of cells under a header, aligned.
pub(crate) struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Align {
    Left,
    Right,
}

pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub(crate) fn new(text: impl ToString) -> Cell {
        Cell { text: text.to_string(), style: PLAIN }
    }

    pub(crate) fn style(mut self, style: Style) -> Cell {
        self.style = style;
        self
    }

    fn width(&self) -> usize {
        visible(&self.text).width()
    }
}

impl Table {
    pub(crate) fn new(columns: &[(&str, Align)]) -> Table {
        let columns = columns.iter().map(|&(name, align)| (name.to_owned(), align)).collect();
        Table { columns, rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|i| {
                let cells = self.rows.iter().filter_map(|row| row.get(i));
                cells.map(Cell::width).max().unwrap_or(0).max(self.columns[i].0.len())
            })
            .collect();
        let header = self.columns.iter().map(|(name, _)| Cell::new(name).style(BOLD)).collect();
        for row in std::iter::once(&header).chain(&self.rows) {
            let mut line: Vec<String> = Vec::new();
            for (i, (cell, (_, align))) in row.iter().zip(&self.columns).enumerate() {
                let gap = " ".repeat(widths[i] - cell.width());
                let (before, after) = match align {
                    Align::Right => (gap.as_str(), ""),
                    // No blanks at the end of a line.
                    Align::Left if i + 1 == row.len() => ("", ""),
                    Align::Left => ("", gap.as_str()),
                };
                let style = cell.style;
                line.push(format!("{before}{style}{}{style:#}{after}", cell.text));
            }
            writeln!(out, "{}", line.join("  "))?;
        }
        Ok(())
    }
}

/// Memory, in the units of memory.
pub(crate) fn bytes(bytes: usize) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if value < 1024.0 {
            return if unit == "B" { format!("{value} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1024.0;
    }
    format!("{value:.1} TiB")
}

/// How many, in the units people use for parameters.
pub(crate) fn amount(number: u64) -> String {
    match number as f64 {
        n if n >= 1e9 => format!("{:.2} billion", n / 1e9),
        n if n >= 1e6 => format!("{:.1} million", n / 1e6),
        _ => number.to_string(),
    }
}

/// A time, in the unit that suits it.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// `3 cases`, `1 case`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_have_no_blanks_at_their_end() {
        let mut table = Table::new(&[("op", Align::Left), ("n", Align::Right), ("x", Align::Left)]);
        table.row([Cell::new("add"), Cell::new(5), Cell::new("é×")]);
        table.row([Cell::new("softmax"), Cell::new(1234), Cell::new("")]);
        let mut text = Vec::new();
        table.write(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let header = format!("{BOLD}op{BOLD:#}          {BOLD}n{BOLD:#}  {BOLD}x{BOLD:#}\n");
        assert_eq!(text, header + "add         5  é×\nsoftmax  1234  \n");
    }

    #[test]
    fn units() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(usize::MAX), "16777216.0 TiB");
        assert_eq!((amount(134_515_008), amount(7)), ("134.5 million".into(), "7".into()));
        assert_eq!((seconds(2.5e-5), seconds(0.5)), ("25.0 µs".into(), "500.00 ms".into()));
        assert_eq!((count(1, "case"), count(0, "case")), ("1 case".into(), "0 cases".into()));
    }
}
