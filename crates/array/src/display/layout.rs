//! Words in nested brackets, in lines of limited width.

/// The longest line.
const WIDTH: usize = 75;
/// What stands for elements that are not shown.
const DOTS: &str = "...";

/// What stands around and between the words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// What follows a word before the space.
    pub(super) separator: &'static str,
    /// Characters to leave free at the beginning of lines.
    pub(super) before: usize,
    /// Characters to leave free at their end.
    pub(super) after: usize,
}

impl Style {
    /// Words with spaces between them, and nothing around.
    pub(super) const TEXT: Style = Style { separator: "", before: 0, after: 0 };
}

/// The words of an array of `shape`, of which those of `shown` are there: axes that are longer
/// show their first and last elements.
pub(super) fn lay_out(shape: &[usize], shown: &[usize], words: &[String], style: Style) -> String {
    Layout { shape, shown, style }.block(0, words, 1 + style.before, WIDTH - style.after)
}

struct Layout<'a> {
    shape: &'a [usize],
    shown: &'a [usize],
    style: Style,
}

impl Layout<'_> {
    /// Everything from `axis` on, in brackets, with lines after the first indented.
    fn block(&self, axis: usize, words: &[String], indent: usize, width: usize) -> String {
        let count = self.shown[axis];
        // Where the dots go, if elements are left out.
        let dots = (count < self.shape[axis]).then_some(count / 2);
        let inner = match axis + 1 == self.shape.len() {
            true => self.line(words, dots, indent, width),
            false => {
                let between = "\n".repeat(self.shape.len() - axis - 1) + &" ".repeat(indent);
                let between = self.style.separator.to_owned() + &between;
                let part = words.len() / count.max(1);
                let mut blocks: Vec<String> = words
                    .chunks(part.max(1))
                    .map(|words| self.block(axis + 1, words, indent + 1, width - 1))
                    .collect();
                if let Some(dots) = dots {
                    blocks.insert(dots, DOTS.into());
                }
                blocks.join(&between)
            }
        };
        format!("[{inner}]")
    }

    /// Words of the last axis, in as many lines as they need.
    fn line(&self, words: &[String], dots: Option<usize>, indent: usize, width: usize) -> String {
        let start = " ".repeat(indent);
        // The bracket that may follow takes its place.
        let width = width - 1;
        let (mut done, mut line) = (String::new(), start.clone());
        let mut add = |word: &str| {
            if line.len() + word.len() > width && line.len() > indent {
                done += line.trim_end();
                done.push('\n');
                line.clone_from(&start);
            }
            line += word;
            line += self.style.separator;
            line.push(' ');
        };
        for (i, word) in words.iter().enumerate() {
            if dots == Some(i) {
                add(DOTS);
            }
            add(word);
        }
        line.truncate(line.len() - self.style.separator.len() - 1);
        done += &line;
        done[indent..].to_owned()
    }
}
