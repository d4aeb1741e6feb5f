//! Words in nested brackets, in lines of limited width.

/// The longest line.
const WIDTH: usize = 75;
/// What stands for elements that are not shown.
const DOTS: &str = "...";

/// The words of an array of `shape`, of which those of `shown` are there: axes that are longer
/// show their first and last elements.
pub(super) fn lay_out(shape: &[usize], shown: &[usize], words: &[String]) -> String {
    Layout { shape, shown }.block(0, words, 1, WIDTH)
}

struct Layout<'a> {
    shape: &'a [usize],
    shown: &'a [usize],
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
                let between =
                    format!("{}{}", "\n".repeat(self.shape.len() - axis - 1), " ".repeat(indent));
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
            line.push(' ');
        };
        for (i, word) in words.iter().enumerate() {
            if dots == Some(i) {
                add(DOTS);
            }
            add(word);
        }
        line.pop();
        done += &line;
        done[indent..].to_owned()
    }
}
